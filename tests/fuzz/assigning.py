"""Statements that give a name or a tensor a new content."""

from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.expressions import condition, expression
from tests.fuzz.kinds import (
    BOOL,
    FLOAT,
    INT,
    MATRIX,
    PAIR,
    ROW,
    SINGLE,
    STR,
    DictKind,
    FunctionKind,
    ListKind,
    ModuleKind,
    ScalarKind,
    TensorKind,
)


def tensor_assignment(author: Author) -> Lines:
    """``h = torch.relu(x + y)``."""
    kind = author.weighted([(5, MATRIX), (3, ROW), (1, PAIR), (2, SINGLE)])
    text = expression(author, kind, 3)
    name = author.target(kind)
    author.bind(name, kind)
    return [f"{name} = {text}"]


def scalar_assignment(author: Author) -> Lines:
    """``n = x.argmax().item()``."""
    kind = author.weighted([(4, INT), (3, FLOAT), (2, BOOL), (1, STR)])
    text = expression(author, kind, 3)
    name = author.target(kind)
    author.bind(name, kind)
    return [f"{name} = {text}"]


def augmented_scalar(author: Author) -> Lines | None:
    """``n += 1``."""
    held = author.named(lambda k: isinstance(k, ScalarKind) and k != BOOL)
    held = [(n, k) for n, k in held if n not in author.scope.fixed]
    if not held:
        return None
    name, kind = author.pick(held)
    assert isinstance(kind, ScalarKind)
    sign = {"int": author.pick(["+=", "-=", "*="]), "float": author.pick(["+=", "-=", "*="])}
    value = author.pick(["2", "1", "3"]) if kind == INT else expression(author, kind, 1)
    return [f"{name} {sign.get(kind.type, '+=')} {value}"]


def _written(author: Author) -> tuple[str, TensorKind] | None:
    kind = author.pick([MATRIX, MATRIX, ROW, PAIR, SINGLE])
    assert isinstance(kind, TensorKind)
    reads = author.reads(kind)
    return (author.pick(reads), kind) if reads else None


def in_place(author: Author) -> Lines | None:
    """``x += y``, ``x.mul_(2)``, ``F.relu(x, inplace=True)``."""
    found = _written(author)
    if found is None:
        return None
    target, kind = found
    other = expression(author, kind, 1)
    number = expression(author, FLOAT, 1)
    augmented = [f"{target} += {other}", f"{target} -= {number}", f"{target} *= {number}"]
    if target in author.scope.fixed:
        augmented = []
    return [author.pick([
        *augmented, f"{target}.add_({other})", f"{target}.mul_({number})", f"{target}.relu_()",
        f"F.relu({target}, inplace=True)", f"{target}.clamp_(-2, 2)", f"{target}.copy_({other})",
        f"{target}.sub_(1)", f"{target}.zero_()", f"torch.relu_({target})", f"{target}.neg_()",
    ])]  # fmt: skip


def item_store(author: Author) -> Lines | None:
    """``x[0] = row``."""
    found = _written(author)
    if found is None or not found[1].shape:
        return None
    target, kind = found
    number, index = expression(author, FLOAT, 1), expression(author, INT, 1)
    if kind == MATRIX:
        row = expression(author, ROW, 1)
        pair = expression(author, PAIR, 1)
        options = [
            f"{target}[0] = {row}", f"{target}[:, 1] = {number}", f"{target}[1] += {row}",
            f"{target}[({index}) % 2] = {row}", f"{target}[:, :2] *= {number}",
            f"{target}[:, 0] = {pair}", f"{target}[0, 2] = {number}",
            f"{target}[{target} > 0.3] = {author.pick(['0', number])}",
            f"{target}[:1] = {target}[1:]", f"{target}[-1] -= {number}",
            f"{target}[:, -1 - ({index}) % 3] = {author.pick([number, pair])}",
            f"{target}[({index}) % 2] += {author.pick([number, row])}",
        ]  # fmt: skip
    else:
        options = [
            f"{target}[0] = {number}", f"{target}[-1] += {number}",
            f"{target}[({index}) % 2] = {number}", f"{target}[-1 - ({index}) % 2] *= {number}",
            f"{target}[1:] = {target}[:-1]", f"{target}[0] = {expression(author, SINGLE, 1)}",
            f"{target}[1:] = {target}[:-1].clone()",
        ]  # fmt: skip
    return [author.pick(options)]


def write_through_view(author: Author) -> Lines | None:
    """``v = x[0]; v.mul_(2)``: the write shows in both."""
    reads = author.reads(MATRIX)
    if not reads:
        return None
    source = author.pick(reads)
    form, kind = author.pick([
        ("{}[0]", ROW), ("{}[:, 1]", PAIR), ("{}.view(2, 3)", MATRIX), ("{}.view(6)[:3]", ROW),
        ("{}.t()[2]", PAIR), ("{}.detach()", MATRIX), ("{}.reshape(2, 3)", MATRIX),
        ("{}[1, 1]", SINGLE),
    ])  # fmt: skip
    name = author.fresh("view")
    author.bind(name, kind)
    number = expression(author, FLOAT, 1)
    change = author.pick(
        [f"{name}.mul_(2)", f"{name} += 1", f"{name}.zero_()", f"{name}.add_({number})"]
    )
    lines = [f"{name} = {form.format(source)}"]
    if author.chance(0.4):
        test = condition(author, 1)
        return [*lines, f"if {test}:", *indented([change])]
    return [*lines, change]


def alias(author: Author) -> Lines | None:
    """``y = x``: one object, two names."""
    held = author.named(lambda k: not isinstance(k, FunctionKind | ModuleKind))
    if not held:
        return None
    source, kind = author.pick(held)
    name = author.target(kind, rebind=0.3)
    author.bind(name, kind)
    return [f"{name} = {source}"]


def swap(author: Author) -> Lines | None:
    """``a, b = b, a``."""
    held = [
        (n, k)
        for n, k in author.named(lambda k: not isinstance(k, ListKind | DictKind))
        if n not in author.scope.fixed
    ]
    pairs = [(a, b) for a, one in held for b, two in held if a < b and one == two]
    if not pairs:
        return None
    left, right = author.pick(pairs)
    return [f"{left}, {right} = {right}, {left}"]


def delete(author: Author) -> Lines | None:
    """``del h``."""
    taken = author.scope.fixed | set(author.rebindable)
    names = [n for n in author.scope.names if n not in taken and not n.startswith("self")]
    if len(names) < 3:
        return None
    name = author.pick(names)
    del author.scope.names[name]
    return [f"del {name}"]


def walrus(author: Author) -> Lines:
    """``if (n := ...) > 1``."""
    name = author.target(INT)
    text = expression(author, INT, 2)
    author.bind(name, INT)
    test = f"({name} := {text}) > {author.pick(['0', '1', '2'])}"
    inner = expression(author, FLOAT, 1)
    other = author.target(FLOAT)
    author.bind(other, FLOAT)
    return [f"{other} = {inner} if {test} else 0.5"]


def attribute(author: Author) -> Lines | None:
    """``self.state = h``."""
    if not author.in_module or author.functions > 1:
        return None
    kind = author.pick([MATRIX, ROW, INT, FLOAT])
    text = expression(author, kind, 2)
    same = [n for n, k in author.attributes.items() if k == kind]
    name = author.pick(same) if same and author.chance(0.6) else author.fresh("state")
    author.attributes[name] = kind
    return [f"self.{name} = {text}"]
