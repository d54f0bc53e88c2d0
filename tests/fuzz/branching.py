"""Statements that choose: ifs, ternaries, values that may be None."""

from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.expressions import condition, expression
from tests.fuzz.kinds import FLOAT, INT, MATRIX, ROW, SINGLE, STR, ScalarKind, Scope, TensorKind

DEEPEST = 3


def if_statement(author: Author) -> Lines | None:
    """``if``, with ``elif`` and ``else`` or without."""
    if author.depth >= DEEPEST:
        return None
    lines = [f"if {condition(author)}:"]
    scopes: list[Scope | None] = []
    arms = author.weighted([(4, 1), (4, 2), (2, 3), (0.7, 4)])
    for index in range(arms):
        if index:
            last = index == arms - 1
            lines.append("else:" if last else f"elif {condition(author, 1)}:")
        body, scope = author.arm(lambda: author.block(author.dice.randrange(1, 4)))
        lines += indented(body)
        scopes.append(scope)
    if arms == 1:
        scopes.append(author.scope)
    author.join(scopes)
    return lines


def ternary(author: Author) -> Lines:
    """``h = a if test else b``."""
    kind = author.pick([MATRIX, ROW, SINGLE, INT, FLOAT, STR])
    test = condition(author)
    one, two = (expression(author, kind, 1) for _ in range(2))
    name = author.target(kind)
    author.bind(name, kind)
    return [f"{name} = {one} if {test} else {two}"]


def optional_value(author: Author) -> Lines | None:
    """``best = None``, set in one arm, asked for after it."""
    if author.depth >= DEEPEST:
        return None
    kind = author.pick([MATRIX, ROW, INT, FLOAT])
    name = author.fresh("best")
    test = condition(author)
    value = expression(author, kind, 2)
    other = expression(author, kind, 1)
    author.bind(name, kind)
    missing = author.pick([f"{name} is None", f"not ({name} is not None)"])
    first = [f"{name} = None", f"if {test}:", f"    {name} = {value}"]
    return [*first, f"if {missing}:", f"    {name} = {other}"]


def unbound_use(author: Author) -> Lines | None:
    """Read a name that is bound on some paths only: Python raises on the others."""
    names = [
        (n, k) for n, k in author.scope.maybe.items() if isinstance(k, TensorKind | ScalarKind)
    ]
    if not names or author.functions > 1 or author.chance(0.5):
        return None
    name, kind = author.pick(names)
    if name in author.scope.fixed:
        return None
    target = author.fresh("late")
    author.bind(target, kind)
    author.bind(name, kind)
    return [f"{target} = {name}"]
