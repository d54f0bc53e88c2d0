"""Fills the templates of the grammar with what the program holds at a place."""

import re
from collections.abc import Callable

from tests.fuzz import grammar
from tests.fuzz.author import Author
from tests.fuzz.kinds import (
    BOOL,
    FLOAT,
    INT,
    MATRIX,
    PAIR,
    ROW,
    SINGLE,
    STR,
    TOKENS,
    DictKind,
    FunctionKind,
    Kind,
    ListKind,
    ScalarKind,
    TensorKind,
    TupleKind,
)

HOLE = re.compile(r"<(\w+)>")
KINDS: dict[str, Kind] = {
    "M": MATRIX, "R": ROW, "P": PAIR, "S": SINGLE, "I": INT, "F": FLOAT, "B": BOOL, "T": STR,
}  # fmt: skip


def expression(author: Author, kind: Kind, depth: int = 2) -> str:
    """Return an expression of a kind."""
    match kind:
        case TupleKind(items=items):
            stored = author.reads(kind)
            if stored and author.chance(0.3):
                return author.pick(stored)
            return "(" + ", ".join(expression(author, item, depth - 1) for item in items) + ",)"
        case ListKind(element=element):
            return _list(author, element, depth)
        case DictKind(value=value):
            return f"{{'a': {expression(author, value, depth - 1)}}}"
        case TensorKind(element="int"):
            return author.pick(author.reads(kind) or ["torch.tensor([1, 0, 3, 2])"])
        case TensorKind() | ScalarKind():
            return _leaf_or_template(author, kind, depth)
        case _:
            raise ValueError(f"no expression of {kind}")


def condition(author: Author, depth: int = 2) -> str:
    """Return an expression to stand after ``if``."""
    return _filled(author, BOOL, grammar.CONDITIONS, max(depth, 1))


def tensor_test(author: Author) -> str:
    """Return a test that depends on a tensor."""
    return _fill(author, SINGLE, author.pick(["<S> > <threshold>", "<S> < <threshold>"]), 2)


def threshold(author: Author) -> str:
    """Return a number that sums of inputs are unlikely to meet."""
    return author.pick(grammar.THRESHOLDS)


def _list(author: Author, element: Kind, depth: int) -> str:
    stored = [
        n for n, k in author.scope.names.items()
        if isinstance(k, ListKind) and k.element == element and author.scope.sizes[k.cell]
    ]  # fmt: skip
    if stored and author.chance(0.7):
        return author.pick(stored)
    return "[" + ", ".join(expression(author, element, depth - 1) for _ in range(2)) + "]"


def _leaf_or_template(author: Author, kind: Kind, depth: int) -> str:
    stored = author.reads(kind)
    if depth <= 0 or author.chance(0.2):
        if stored and author.chance(0.9):
            return author.pick(stored)
        return _filled(author, kind, grammar.LEAVES[kind], 0)
    functions = author.callables(kind)
    if functions and author.chance(0.15):
        return call(author, *author.pick(functions), depth=depth - 1)
    own = grammar.EXPRESSIONS[kind]
    if isinstance(kind, TensorKind) and author.chance(0.55):
        own = grammar.ANY_TENSOR
    return _filled(author, kind, own, depth)


def call(author: Author, name: str, kind: FunctionKind, *, depth: int) -> str:
    """Return a call of a function of the program."""
    arguments = [expression(author, k, depth) for k in kind.required]
    given = [(n, k) for n, k in kind.optional if author.chance(0.5)]
    positional = len(given) == len(kind.optional) and author.chance(0.5)
    for n, k in given:
        text = expression(author, k, depth)
        arguments.append(text if positional else f"{n}={text}")
    if kind.rest is not None and (positional or not kind.optional):
        rest = kind.rest
        arguments += [expression(author, rest, depth) for _ in range(author.dice.randrange(3))]
    return f"{name}({', '.join(arguments)})"


def _filled(author: Author, kind: Kind, templates: grammar.Templates, depth: int) -> str:
    while True:
        template = author.weighted(templates)
        needed = set(HOLE.findall(template)) & set(NAMES)
        if all(NAMES[hole](author) for hole in needed):
            return _fill(author, kind, template, depth)


def _fill(author: Author, kind: Kind, template: str, depth: int) -> str:
    # parentheses that turn out to be needless go when the whole program is printed
    return HOLE.sub(lambda match: f"({_part(author, kind, match[1], depth - 1)})", template)


def _part(author: Author, kind: Kind, hole: str, depth: int) -> str:
    if hole in NAMES:
        return author.pick(NAMES[hole](author))
    if hole in KINDS:
        return expression(author, KINDS[hole], depth)
    match hole:
        case "same":
            return expression(author, kind, depth)
        case "wide":
            return expression(author, author.pick([MATRIX, MATRIX, ROW, PAIR]), depth)
        case "number":
            return expression(author, author.pick([INT, FLOAT]), depth)
        case "C":
            return condition(author, depth) if depth > 0 else _simple_condition(author)
        case _:
            return author.pick(LITERALS[hole])


def _simple_condition(author: Author) -> str:
    stored = author.reads(BOOL)
    if stored and author.chance(0.3):
        return author.pick(stored)
    name = author.pick(author.reads(MATRIX) or ["torch.ones(2, 3)"])
    return f"{name}.sum() > {threshold(author)}"


LITERALS: dict[str, tuple[str, ...]] = {
    "constant": grammar.CONSTANTS,
    "threshold": grammar.THRESHOLDS,
    "index": ("0", "1", "-1"),
    "small": ("0", "1", "2"),
}


def _lists_of(element: Kind) -> Callable[[Author], list[str]]:
    def find(author: Author) -> list[str]:
        held = author.scope.names.items()
        return [
            n for n, k in held
            if isinstance(k, ListKind) and k.element == element and author.scope.sizes[k.cell]
        ]  # fmt: skip

    return find


def _held(*kinds: type) -> Callable[[Author], list[str]]:
    return lambda author: [n for n, k in author.scope.names.items() if isinstance(k, kinds)]


def _plain(kind: Kind) -> Callable[[Author], list[str]]:
    # no quotes inside an f-string: Python 3.11 cannot nest them
    return lambda author: [text for text in author.reads(kind) if "'" not in text]


NAMES: dict[str, Callable[[Author], list[str]]] = {
    "tokens": lambda author: author.reads(TOKENS),
    "layer": lambda author: author.modules(),
    "matrix": lambda author: author.reads(MATRIX),
    "table": _held(DictKind),
    "container": _held(ListKind, DictKind),
    "stored": _held(TensorKind),
    "rows": _lists_of(ROW),
    "ints": _lists_of(INT),
    "floats": _lists_of(FLOAT),
    "plain": _plain(INT),
    "plainfloat": _plain(FLOAT),
}
"""Holes that only what the program already holds can fill."""
