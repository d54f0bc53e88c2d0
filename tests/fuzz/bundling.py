"""Objects of the program: dataclasses, deques, sets, generators, managers, recursion, ``match``."""

from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.branching import DEEPEST
from tests.fuzz.expressions import condition, expression
from tests.fuzz.kinds import FLOAT, INT, MATRIX, ROW, Scope

DEFINITIONS = """
@dataclasses.dataclass
class Hypothesis:
    score: float
    row: torch.Tensor
    length: int = 0
    trail: list = dataclasses.field(default_factory=list)

    def grown(self, row):
        trail = [*self.trail, self.length]
        return Hypothesis(self.score + 1, self.row + row, self.length + 1, trail)

    @property
    def worth(self):
        return self.score / (self.length + 1)


class Managed:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append(1)
        return self

    def __exit__(self, kind, error, trace):
        self.log.append(2 if kind is None else 3)
        return kind is not None and issubclass(kind, Stop)


@contextlib.contextmanager
def managed(log):
    log.append(4)
    try:
        yield log
    except Halt:
        log.append(5)
    finally:
        log.append(6)


def halved(n, t):
    if n <= 0 or t.sum() > 40:
        return t
    return halved(n // 2, t + 1) if t.sum() < 2.3 else halved(n - 1, t * 0.5) + t


def summed(n):
    return 0 if n <= 0 else n + summed(n - 1)


def stepped(n, t):
    while n > 0:
        if t.sum() > 20:
            return
        t = t + n
        yield t
        n -= 1
    yield t * 2
"""
"""What a program may use."""
DEFINED = ("Hypothesis", "Managed", "managed", "halved", "summed", "stepped")


def hypotheses(author: Author) -> Lines | None:
    """A list of dataclass instances that is grown, sorted and cut like a beam."""
    if author.depth >= DEEPEST or author.loops >= 1:
        return None
    beam, item, step = author.fresh("beam"), author.fresh("hyp"), author.fresh("i")
    row, score = expression(author, ROW, 1), expression(author, FLOAT, 1)
    other = expression(author, FLOAT, 1)
    grown = f"{item}.grown({row})"
    change = author.pick([
        [f"{beam} = [{grown} for {item} in {beam}]"],
        [f"{beam} = [{grown} if {item}.score > 0.3 else {item} for {item} in {beam}]"],
        [f"for {item} in {beam}:", f"    {item}.score += {other}", f"    {item}.length += 1"],
        [f"for {item} in list({beam}):", f"    if {item}.row.sum() > 0.3:",
         f"        {beam}.append({grown})"],
        [f"{beam}[0].trail.append({step})", f"{beam}[-1].row = {row}"],
    ])  # fmt: skip
    key = author.pick(["score", "worth", "length"])
    cut = author.pick([
        [f"{beam} = sorted({beam}, key=lambda h: h.{key}, reverse=True)[:2]"],
        [f"{beam}.sort(key=lambda h: h.{key})"], [],
        [f"if {condition(author)}:", "    break"],
    ])  # fmt: skip
    lines = [f"{beam} = [Hypothesis({score}, {row}), Hypothesis({other}, {row}, 1)]"]
    bound = author.pick(["2", "3", f"min({expression(author, INT, 1)}, 3)"])
    lines += [f"for {step} in range({bound}):", *indented([*change, *cut])]
    found, taken, length = author.fresh("row"), author.fresh("f"), author.fresh("n")
    best = author.pick([f"max({beam}, key=lambda h: h.{key})", f"{beam}[0]", f"{beam}[-1]"])
    for name, kind in zip((found, taken, length), (ROW, FLOAT, INT), strict=True):
        author.bind(name, kind)
    held = author.fresh("chosen")
    return [*lines, f"{held} = {best}", f"{found} = {held}.row", f"{taken} = {held}.worth + 0.0",
            f"{length} = len({held}.trail) + {held}.length"]  # fmt: skip


SET_CHANGES = ("{0} |= {1}", "{0} = {0} & {1}", "{0} -= {1}", "{0} ^= {1}")
SET_READS = (
    "len({0})", "sum({0})", "max({0}, default=3)", "int({0} <= {1})", "sum(sorted({0})[:1])",
    "int({0} == {1})",
)  # fmt: skip


def queue_of_numbers(author: Author) -> Lines | None:
    """``queue = deque()`` or a set of numbers: filled, emptied, asked."""
    if author.depth >= DEEPEST or author.loops >= 1:
        return None
    one, two = expression(author, INT, 1), expression(author, INT, 1)
    name, item, result = author.fresh("queue"), author.fresh("item"), author.fresh("n")
    if author.chance(0.5):
        made = author.pick(
            [f"collections.deque([{one}, 2])", f"collections.deque([{one}, {two}, 1], maxlen=3)"]
        )
        grow = author.pick([f"{name}.append({item} - 1)", f"{name}.appendleft({item} // 2)",
                            f"{name}.extend([{item} - 2, {item} // 3])"])  # fmt: skip
        turn = author.pick([[], [f"{name}.rotate(1)"], [f"if {condition(author)}:", "    break"]])
        count = author.fresh("steps")
        body = [f"{count} += 1", f"{item} = {name}.{author.pick(['popleft', 'pop'])}()",
                f"if {item} > 0:", f"    {grow}", *turn]  # fmt: skip
        author.bind(result, INT)
        return [f"{name} = {made}", f"{count} = 0", f"while {name} and {count} < 6:",
                *indented(body), f"{result} = {count} * 10 + len({name})"]  # fmt: skip
    other = author.fresh("queue")
    lines = [f"{name} = {{{one}, {two}}}", f"{other} = {{1, {two}}}"]
    change = author.pick(("{0}.add({2} + 1)", "{0}.discard(1)", *SET_CHANGES))
    text = author.pick(("len({0} | {1})", "int({2} in {0})", *SET_READS))
    lines.append(change.format(name, other, two))
    text = text.format(name, other, one)
    author.bind(result, INT)
    return [*lines, f"{result} = {text}"]


def matched(author: Author) -> Lines | None:
    """``match`` on numbers, tuples, lists and instances."""
    if author.depth >= DEEPEST:
        return None
    number, bound, score = author.fresh("n"), author.fresh("v"), expression(author, FLOAT, 1)
    subject, patterns = author.pick([
        (expression(author, INT, 1), ["0", "1 | 2", f"int() as {bound} if {bound} > 2"]),
        (f"({expression(author, INT, 1)} % 2, {expression(author, INT, 1)})",
         ["(0, 1)", f"(1, {bound})", f"(_, {bound}) if {bound} > 1"]),
        (f"list(range(min({expression(author, INT, 1)}, 3)))",
         ["[]", f"[{bound}]", f"[_, *{bound}]"]),
        (f"Hypothesis({score}, {expression(author, ROW, 1)}, {expression(author, INT, 1)})",
         ["Hypothesis(length=1)", f"Hypothesis(score={bound}, length=0 | 2)",
          f"Hypothesis(length={bound}) if {bound} < 2"]),
        (f"{{'kind': {expression(author, INT, 1)}, 'value': 2}}",
         ["{'kind': 0}", f"{{'kind': 1, 'value': {bound}}}",
          f"{{'kind': {bound}}} if {bound} > 2"]),
    ])  # fmt: skip
    lines: Lines = []
    scopes: list[Scope | None] = []
    for pattern in [*patterns[: author.dice.randrange(1, 4)], "_"]:
        body, scope = author.arm(lambda: author.block(author.dice.randrange(0, 3)))
        lines += [f"case {pattern}:", *indented(body)]
        scopes.append(scope)
    author.join(scopes)
    result = [f"match {subject}:", *indented(lines)]
    if author.ended:
        return result
    value = expression(author, INT, 1)
    author.bind(number, INT)
    return [*result, f"{number} = {value}"]


def managed_block(author: Author) -> Lines | None:
    """``with Managed(log): ...``: left by an error, a jump, or its end."""
    if author.depth >= DEEPEST or author.budget < 3:
        return None
    log, name = author.fresh("log"), author.fresh("inside")
    manager = author.pick([f"Managed({log})", f"managed({log})", "contextlib.suppress(Stop)"])
    error = author.pick(["Stop('no')", "Halt('late')"])
    if manager.startswith("managed"):
        error = "Halt('late')"

    def body() -> Lines:
        first = author.block(1)
        if author.ended:
            return first
        raised = [f"if {condition(author)}:", f"    raise {error}"]
        return [*first, *raised, *author.block(author.dice.randrange(0, 3))]

    inner, after = author.arm(body)
    author.join([author.scope, after or author.scope])
    as_name = f" as {name}" if author.chance(0.3) and "suppress" not in manager else ""
    author.bind(log, author.new_list(INT, 0))
    return [f"{log} = []", f"with {manager}{as_name}:", *indented(inner)]


def generated(author: Author) -> Lines | None:
    """A generator that is walked, left early, asked by ``next`` or gathered."""
    if author.depth >= DEEPEST or author.loops >= 2:
        return None
    made = f"stepped(min({expression(author, INT, 1)}, 3), {expression(author, MATRIX, 1)})"
    result, item, held = author.fresh("h"), author.fresh("item"), author.fresh("walk")
    author.bind(result, MATRIX)
    test = author.pick([f"{item}.sum() > 2.3", f"{item}[0, 0] < 0.3", condition(author)])
    jump = author.pick(["break", "continue"])
    return author.pick([
        [f"{result} = torch.zeros(2, 3)", f"for {item} in {made}:",
         f"    {result} = {result} + {item}", f"    if {test}:", f"        {jump}",
         f"    {result} = {result} * 0.5"],
        [f"{result} = sum({made})"], [f"{result} = list({made})[-1]"],
        [f"{held} = {made}", f"{result} = next({held})",
         f"{result} = {result} + next({held}, {result})",
         f"for {item} in {held}:", f"    {result} = {item}"],
        [f"{held} = ({item} for {item} in {made} if {item}.sum() > 2.3)",
         f"{result} = next({held}, torch.ones(2, 3))"],
        [f"{result} = torch.stack([{item} for {item} in {made}]).sum(0)"],
        [f"{held} = [{item} for {item} in {made} if {item}.sum() > 0.3]",
         f"{result} = torch.ones(2, 3) * len({held})"],
    ])  # fmt: skip


def recursive_call(author: Author) -> Lines:
    """``h = halved(n, h)``, which calls itself as often as the input says."""
    if author.chance(0.4):
        name, number = author.target(INT), expression(author, INT, 1)
        author.bind(name, INT)
        return [f"{name} = summed(min({number}, 4))"]
    number, tensor = expression(author, INT, 1), expression(author, MATRIX, 1)
    name = author.target(MATRIX)
    author.bind(name, MATRIX)
    return [f"{name} = halved(min({number}, 4), {tensor})"]
