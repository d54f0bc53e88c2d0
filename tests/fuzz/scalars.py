"""Expressions of Python numbers and strings, calls of the program's own functions."""

from tests.fuzz import conditions, tensors
from tests.fuzz.author import Author
from tests.fuzz.kinds import (
    BOOL,
    FLOAT,
    INT,
    MATRIX,
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


def number(author: Author, kind: ScalarKind, depth: int = 2) -> str:
    """Return an expression of a Python scalar."""
    stored = author.reads(kind)
    if stored and (depth <= 0 or author.chance(0.4)):
        return author.pick(stored)
    if depth <= 0 or author.chance(0.2):
        return _constant(author, kind)
    if author.chance(0.1):
        functions = author.callables(kind)
        if functions:
            return call(author, *author.pick(functions), depth=depth - 1)
    if author.chance(0.1):
        test = conditions.condition(author, depth - 1)
        return f"({number(author, kind, depth - 1)} if {test} else {number(author, kind, depth - 1)})"
    writers = {"int": _int, "float": _float, "bool": _bool, "str": _str}
    return writers[kind.type](author, depth - 1)


def _constant(author: Author, kind: ScalarKind) -> str:
    match kind.type:
        case "int":
            return author.pick(["0", "1", "2", "3", "-1"])
        case "float":
            return author.pick(["0.5", "1.5", "-0.25", "2.0", "0.0"])
        case "bool":
            return author.pick(["True", "False"])
        case "str":
            return author.pick(["'a'", "'b'", "''"])


def _int(author: Author, depth: int) -> str:
    i, j = number(author, INT, depth), number(author, INT, depth)
    f = number(author, FLOAT, depth)
    t = tensors.tensor(author, SINGLE, depth)
    rows = tensors.tensor(author, ROW, depth)
    options = [
        f"({i} + {j})", f"({i} - {j})", f"({i} * 2)", f"({i} // 2)", f"({i} % 3)", f"min({i}, {j})",
        f"max({i}, {j})", f"abs({i})", f"int({t})", f"int(({t}).item())", f"({rows}).argmax().item()",
        f"int(({rows}).argmax())", f"(({rows}) > 0.3).sum().item()", f"int({f})", f"round({f})",
        f"int({number(author, BOOL, depth)})", f"({i} + 1)", f"sum([{i}, {j}])",
        f"({tensors.leaf(author, MATRIX)}).shape[{author.pick(['0', '1', '-1'])}]",
    ]  # fmt: skip
    lists = author.named(lambda k: isinstance(k, ListKind | DictKind))
    if lists and author.chance(0.4):
        options = [f"len({author.pick(lists)[0]})"]
    tokens = author.reads(TOKENS)
    if tokens and author.chance(0.3):
        name = author.pick(tokens)
        options = [f"{name}[{j} % 4].item()", f"{name}.max().item()", f"{name}.tolist()[1]", f"int({name}[0])"]  # fmt: skip
    numbers = _number_lists(author, INT)
    if numbers and author.chance(0.3):
        options = [f"max({numbers[0]})", f"sum({numbers[0]})", f"min({numbers[0]})", f"sorted({numbers[0]})[0]"]  # fmt: skip
    return author.pick(options)


def _number_lists(author: Author, kind: ScalarKind) -> list[str]:
    lists = author.named(lambda k: isinstance(k, ListKind) and k.element == kind)
    names = [n for n, k in lists if isinstance(k, ListKind) and author.scope.sizes[k.cell]]
    author.dice.shuffle(names)
    return names


def _float(author: Author, depth: int) -> str:
    f, g = number(author, FLOAT, depth), number(author, FLOAT, depth)
    t = tensors.tensor(author, SINGLE, depth + 1)
    options = [
        f"({t}).item()", f"({t}).item()", f"float({t})", f"({f} + {g})", f"({f} - {g})", f"({f} * 0.5)",
        f"({f} / 2)", f"({number(author, INT, depth)} / 2)", f"min({f}, {g})", f"max({f}, 0.5)",
        f"abs({f})", f"round({f}, 1)", f"float({number(author, INT, depth)})",
        f"math.sqrt(abs({f}))", f"(-{f})", f"math.floor({f}) * 0.5",
    ]  # fmt: skip
    numbers = _number_lists(author, FLOAT)
    if numbers and author.chance(0.3):
        options = [f"max({numbers[0]})", f"sum({numbers[0]}) * 0.5", f"min({numbers[0]})"]
    return author.pick(options)


def _bool(author: Author, depth: int) -> str:
    test = conditions.condition(author, depth)
    single = tensors.tensor(author, SINGLE, depth)
    return author.pick(
        [f"bool({test})", f"(not {test})", f"bool({single} > 0.3)", f"({single} > 0.3).item()"]
    )


def _str(author: Author, depth: int) -> str:
    i, f = number(author, INT, depth), number(author, FLOAT, depth)
    s = number(author, STR, 0)
    options = [
        _formatted(i, ""), _formatted(f, ":.2f"), f"({s} + 'c')", f"str({i})", f"({s}).upper()",
        f"'-'.join([{s}, {s}])", f"('%d' % {i})",
    ]  # fmt: skip
    return author.pick(options)


def _formatted(inner: str, specification: str) -> str:
    if "'" in inner or '"' in inner or "\\" in inner:
        return "'f'"
    return f"f'<{{({inner}){specification}}}>'"


def call(author: Author, name: str, kind: FunctionKind, *, depth: int) -> str:
    """Return a call of a function of the program."""
    arguments = [tensors.argument_of(author, k, depth) for k in kind.required]
    given = [(n, k) for n, k in kind.optional if author.chance(0.5)]
    positional = len(given) == len(kind.optional) and author.chance(0.5)
    for n, k in given:
        text = tensors.argument_of(author, k, depth)
        arguments.append(text if positional else f"{n}={text}")
    if kind.rest is not None and (positional or not kind.optional):
        arguments += [
            tensors.argument_of(author, kind.rest, depth) for _ in range(author.dice.randrange(3))
        ]
    return f"{name}({', '.join(arguments)})"


def stored_or_written(author: Author, kind: Kind, depth: int) -> str:
    """Return an expression of a kind that is no float tensor."""
    match kind:
        case ScalarKind():
            return number(author, kind, depth)
        case TensorKind():
            stored = author.reads(kind)
            return author.pick(stored) if stored else "torch.tensor([1, 0, 3, 2])"
        case TupleKind(items=items):
            parts = [tensors.argument_of(author, item, depth) for item in items]
            return f"({', '.join(parts)},)"
        case ListKind(element=element):
            stored = [
                n
                for n, k in author.named(lambda k: isinstance(k, ListKind) and k.element == element)
                if isinstance(k, ListKind) and author.scope.sizes[k.cell]
            ]
            if stored and author.chance(0.7):
                return author.pick(stored)
            parts = [tensors.argument_of(author, element, depth - 1) for _ in range(2)]
            return f"[{', '.join(parts)}]"
        case DictKind(value=value):
            return f"{{'a': {tensors.argument_of(author, value, depth - 1)}}}"
        case _:
            raise ValueError(f"no expression of {kind}")
