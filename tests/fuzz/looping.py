"""Loops: over ranges, lists, zips, modules, tensors; whiles with counters."""

from collections.abc import Callable

from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.branching import DEEPEST
from tests.fuzz.expressions import condition, expression, tensor_test
from tests.fuzz.kinds import (
    INT,
    MATRIX,
    ROW,
    TOKENS,
    DictKind,
    Kind,
    ListKind,
    ModuleKind,
    Scope,
)

Header = tuple[str, dict[str, Kind], bool]
"""What stands between ``for`` and ``:``, what it binds, whether it surely runs once."""


def for_statement(author: Author) -> Lines | None:
    """``for``, with ``break``, ``continue`` and ``else`` among its parts."""
    if author.depth >= DEEPEST or author.loops >= 2:
        return None
    header = author.weighted(HEADERS)(author)
    if header is None:
        return None
    text, bound, runs = header
    body, after = _body(author, bound)
    lines = [f"for {text}:", *indented(body)]
    return lines + _after_loop(author, after, runs=runs and not _jumps(body, "continue", "break"))


def _jumps(body: Lines, *words: str) -> bool:
    return any(line.strip() in words for line in body)


def _after_loop(author: Author, after: Scope | None, *, runs: bool) -> Lines:
    author.join([after] if runs and after is not None else [after, author.scope])
    if author.chance(0.15):
        body, scope = author.arm(lambda: author.block(2))
        author.join([scope, author.scope])
        return ["else:", *indented(body)]
    return []


def _body(
    author: Author, bound: dict[str, Kind], first: Callable[[], Lines] = list
) -> tuple[Lines, Scope | None]:
    outer, author.rebindable = author.rebindable, author.rebindable | author.scope.names
    author.loops += 1

    def write() -> Lines:
        for name, kind in bound.items():
            author.bind(name, kind)
        return first() + author.block(author.dice.randrange(1, 4))

    lines, after = author.arm(write)
    author.loops -= 1
    author.rebindable = outer
    return lines, after


def _range(author: Author) -> Header:
    name = author.fresh("i")
    ends = author.pick(["2", "3", "3", "1, 3", "2, 0, -1", "4"])
    return f"{name} in range({ends})", {name: INT}, True


def _run_time_range(author: Author) -> Header:
    name = author.fresh("i")
    bound = expression(author, INT, 1)
    return f"{name} in range(min({bound}, 3))", {name: INT}, False


def _list(author: Author) -> Header | None:
    held = author.named(lambda k: isinstance(k, ListKind))
    if not held:
        return None
    source, kind = author.pick(held)
    assert isinstance(kind, ListKind)
    name, index = author.fresh("item"), author.fresh("i")
    runs = author.scope.sizes[kind.cell] > 0
    copied = f"list({source})"  # the body may append to the list
    element = {name: kind.element}
    return author.pick([
        (f"{name} in {copied}", element, runs),
        (f"{index}, {name} in enumerate({source}[:4])", {index: INT, **element}, runs),
        (f"{name} in {source}[-2:]", element, runs),
        (f"{name} in reversed({copied})", element, runs),
    ])  # fmt: skip


def _zip(author: Author) -> Header:
    one, two = author.fresh("a"), author.fresh("b")
    rows = ", ".join(expression(author, ROW, 1) for _ in range(2))
    numbers = ", ".join(expression(author, INT, 1) for _ in range(2))
    if author.chance(0.3):
        three = author.fresh("i")
        text = f"{three}, ({one}, {two}) in enumerate(zip([{rows}], [{numbers}]))"
        return text, {three: INT, one: ROW, two: INT}, True
    return f"{one}, {two} in zip([{rows}], [{numbers}])", {one: ROW, two: INT}, True


def _tensor(author: Author) -> Header:
    name = author.fresh("row")
    return f"{name} in {expression(author, MATRIX, 1)}", {name: ROW}, True


def _tokens(author: Author) -> Header | None:
    held = author.reads(TOKENS)
    if not held:
        return None
    name = author.fresh("token")
    return f"{name} in {author.pick(held)}.tolist()", {name: INT}, True


def _modules(author: Author) -> Header | None:
    if not author.in_module:
        return None
    name, index = author.fresh("layer"), author.fresh("i")
    bound: dict[str, Kind] = {name: ModuleKind()}
    if author.chance(0.4):
        return f"{index}, {name} in enumerate(self.layers)", {index: INT, **bound}, True
    return f"{name} in {author.pick(['self.layers', 'self.layers[1:]'])}", bound, True


def _dict(author: Author) -> Header | None:
    held = author.named(lambda k: isinstance(k, DictKind))
    if not held:
        return None
    source, kind = author.pick(held)
    assert isinstance(kind, DictKind)
    key, value = author.fresh("key"), author.fresh("value")
    runs = bool(author.scope.keys[kind.cell])
    return author.pick([
        (f"{key}, {value} in list({source}.items())", {value: kind.value}, runs),
        (f"{value} in list({source}.values())", {value: kind.value}, runs),
    ])  # fmt: skip


HEADERS: tuple[tuple[float, Callable[[Author], Header | None]], ...] = (
    (5, _range),
    (1.5, _run_time_range),
    (3, _list),
    (2, _zip),
    (1, _tensor),
    (1, _tokens),
    (3, _modules),
    (1, _dict),
)


def while_statement(author: Author) -> Lines | None:
    """``while`` with a counter that ends it, whatever else its test says."""
    if author.depth >= DEEPEST or author.loops >= 2:
        return None
    counter = author.fresh("steps")
    most = author.pick(["2", "3", "4"])
    start = [f"{counter} = 0"]
    author.bind(counter, INT)
    author.scope.fixed.add(counter)
    test = tensor_test(author) if author.chance(0.7) else condition(author)
    form = author.pick(["bounded", "bounded", "counted", "endless"])
    head = {
        "bounded": f"while {counter} < {most} and {test}:",
        "counted": f"while {counter} < {most}:",
        "endless": "while True:",
    }[form]
    body, after = _body(author, {}, lambda: [f"{counter} += 1"])
    if form == "endless":
        body = [body[0], f"if {counter} >= {most} or {test}:", "    break", *body[1:]]
    runs = form == "endless"
    if runs:  # what the body binds after the break may be unbound
        author.join([author.scope, author.scope])
        return [*start, head, *indented(body)]
    return [*start, head, *indented(body), *_after_loop(author, after, runs=False)]
