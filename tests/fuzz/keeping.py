"""State that lasts: attributes that calls count in, variables of enclosing functions."""

from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.branching import DEEPEST
from tests.fuzz.expressions import condition, expression
from tests.fuzz.kinds import FLOAT, INT, MATRIX, ROW, SINGLE, FunctionKind, Kind

CONSTRUCTED = """
self.calls = 0
self.best = None
self.seen = []
self.memo = {}
self.mean = torch.zeros(3)
""".strip().splitlines()
"""What the constructor of every module leaves, beside its layers."""


def kept_attribute(author: Author) -> Lines | None:
    """``self.calls += 1``: what one call leaves, the next one finds."""
    if not author.in_module or author.functions > 1:
        return None
    number, row = expression(author, INT, 1), expression(author, ROW, 1)
    change = author.pick([
        ["self.calls += 1"], [f"self.calls = {number}"],
        [f"self.calls = (self.calls + {number}) % 5"],
        [f"self.seen.append({number})"], ["if len(self.seen) > 2:", "    self.seen.pop(0)"],
        ["self.seen.clear()"], [f"self.memo[({number}) % 3] = self.calls"],
        [f"self.memo[({number}) % 3] = self.memo.get(({number}) % 3, 0) + 1"],
        ["self.memo.pop(1, None)"], ["self.best = None"], [f"self.best = ({row}).clone()"],
        [f"self.mean = self.mean * 0.5 + {row}"], [f"self.mean = ({row}).clone()"],
    ])  # fmt: skip
    if author.chance(0.3):
        return [f"if {condition(author)}:", *indented(change)]
    return change


def kept_read(author: Author) -> Lines | None:
    """``n = self.calls``, read wherever the call before may have left it."""
    if not author.in_module or author.functions > 1:
        return None
    kind: Kind = author.pick([INT, INT, INT, ROW, ROW])
    text = author.pick(
        ["self.calls", "len(self.seen)", "sum(self.seen)", "self.memo.get(1, -1)", "len(self.memo)",
         "max(self.memo.values(), default=0)", "(self.seen[-1] if self.seen else 7)"]
        if kind == INT
        else ["self.mean * 1", "(torch.zeros(3) if self.best is None else self.best * 2)"]
    )  # fmt: skip
    name = author.target(kind)
    author.bind(name, kind)
    return [f"{name} = {text}"]


def counter_function(author: Author) -> Lines | None:
    """A function that changes a variable of the function around it, and its calls."""
    if author.functions > 1 or author.depth >= DEEPEST:
        return None
    kind: Kind = author.pick([INT, FLOAT, MATRIX])
    held, name, given = author.fresh("held"), author.fresh("advance"), author.fresh("t")
    start = expression(author, kind, 1)
    step = "1" if kind == INT else author.pick(["0.5", "2"])
    body = [f"nonlocal {held}"]
    if author.chance(0.5):
        body += [f"if {given}.sum() > 0.3:", f"    {held} = {held} + {step}"]
    else:
        body += [f"{held} = {held} + {step}"]
    body += [f"return {given} * {author.pick(['2', held])}"]
    lines = [f"{held} = {start}", f"def {name}({given}):", *indented(body)]
    author.bind(held, kind)
    author.bind(name, FunctionKind((MATRIX,), (), None, MATRIX))
    author.scope.fixed |= {name, held}
    used, matrix = author.fresh("h"), expression(author, MATRIX, 1)
    author.bind(used, MATRIX)
    return [*lines, f"{used} = {name}({matrix})"]


def found_places(author: Author) -> Lines | None:
    """``h[h > 0] = 1``, ``h[rows] += 1``: writes at places that the content says."""
    held = [n for n in author.reads(MATRIX) if n.isidentifier()]
    if not held:
        return None
    name, other = author.pick(held), expression(author, MATRIX, 1)
    number, row = expression(author, FLOAT, 1), expression(author, ROW, 1)
    mask = f"{name}[:, 0] > {author.pick(['0.3', '-1.7', '2.3'])}"
    return [author.pick([
        f"{name}[{other} > 0.3] = {number}", f"{name}[{mask}] = {row}", f"{name}[{mask}] += 1",
        f"{name}[{other} < 0.3] *= {number}", f"{name}[{mask}, 1] = {number}",
        f"{name}[({mask}).nonzero().squeeze(1)] = {row}",
        f"{name}[{name} > 0.3] = {name}[{name} > 0.3] * 2",
        f"{name}[torch.arange(2), {name}.argmax(1)] = {number}",
        f"{name}.masked_fill_({other} > 0.3, {number})",
        f"{name}.scatter_(1, {name}.argmax(1, keepdim=True), {number})",
    ])]  # fmt: skip


def unknown_size(author: Author) -> Lines | None:
    """``kept = h[h[:, 0] > 0]``, walked, counted, summed."""
    if author.depth >= DEEPEST or author.loops >= 2:
        return None
    kept, total, row = author.fresh("kept"), author.fresh("row"), author.fresh("r")
    source = expression(author, MATRIX, 1)
    stored = author.fresh("source")
    lines = [f"{stored} = {source}", f"{kept} = {stored}[{stored}[:, {author.pick('012')}] > 0.3]"]
    walk = author.pick(
        ["{0}", "{0}.unbind(0)", "{0}.unbind()", "torch.unbind({0})", "{0}.split(1)"]
    )
    walk = walk.format(kept)
    row_read = f"{row}[0]" if walk.endswith("split(1)") else row
    body = [f"{total} = {total} + {row_read}"]
    if author.chance(0.4):
        body.insert(0, f"if {row_read}.sum() < {author.pick(['0.3', '2.3'])}:")
        body.insert(1, f"    {author.pick(['continue', 'break'])}")
    lines += [f"{total} = torch.zeros(3)", f"for {row} in {walk}:", *indented(body)]
    if author.chance(0.3):
        lines += ["else:", f"    {total} = {total} * 2"]
    author.bind(total, ROW)
    author.bind(stored, MATRIX)
    count, name = author.fresh("n"), author.fresh("total")
    author.bind(count, INT)
    author.bind(name, SINGLE)
    lines += [f"{count} = {author.pick([f'len({kept})', f'{kept}.shape[0]', f'{kept}.numel()'])}"]
    lines += [f"{name} = {kept}.sum()"]
    return lines
