"""Functions: helpers of the module, methods, nested functions, lambdas."""

import dataclasses

from tests.fuzz import leaving
from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.expressions import expression
from tests.fuzz.kinds import (
    FLOAT,
    INT,
    MATRIX,
    ROW,
    SINGLE,
    FunctionKind,
    Kind,
    ListKind,
    ScalarKind,
    Scope,
    TensorKind,
    TupleKind,
)


def helper(author: Author, name: str, *, method: bool = False) -> tuple[Lines, FunctionKind]:
    """Return a function at the module's top level, or a method of its class."""
    kind = _signature(author)
    lines = _function(author, name, kind, Scope({}), method=method)
    return lines, kind


def _signature(author: Author) -> FunctionKind:
    first: Kind = author.pick([MATRIX, MATRIX, ROW])
    required: list[Kind] = [first]
    if author.chance(0.4):
        required.append(author.pick([INT, FLOAT, MATRIX, ROW]))
    if author.chance(0.25):
        # the cell stands for the parameter, whatever list is passed
        required.append(ListKind(author.pick([ROW, INT]), -1 - next(author.cells)))
    optional = (("k", author.pick([INT, FLOAT])),) if author.chance(0.4) else ()
    rest = author.pick([ROW, INT]) if author.chance(0.15) else None
    result: Kind = author.weighted([
        (4, MATRIX), (3, ROW), (1, SINGLE), (1.5, INT), (1.5, FLOAT),
        (1, TupleKind((MATRIX, INT))), (0.7, TupleKind((ROW, FLOAT))),
    ])  # fmt: skip
    return FunctionKind(tuple(required), optional, rest, result)


DEFAULTS = {INT: ("1", "2"), FLOAT: ("0.5", "1.5")}


def _function(
    author: Author, name: str, kind: FunctionKind, outer: Scope, *, method: bool
) -> Lines:
    scope = outer.fork()
    scope.fixed |= set(scope.names)
    scope.maybe = {}
    header = ["self"] if method else []
    for parameter in kind.required:
        header.append(_bound(author, scope, parameter))
    for default, parameter in kind.optional:
        assert isinstance(parameter, ScalarKind)
        scope.names[default] = parameter
        scope.fixed.discard(default)
        header.append(f"{default}={author.pick(DEFAULTS[parameter])}")
    if kind.rest is not None:
        rest = author.fresh("rest")
        cell = next(author.cells)
        scope.names[rest] = ListKind(kind.rest, cell)
        scope.sizes[cell] = 0
        scope.fixed.add(rest)
        header.append(f"*{rest}")
    inner = dataclasses.replace(
        author,
        scope=scope,
        result=kind.result,
        budget=min(author.budget, author.dice.randrange(1, 5)),
        depth=1,
        loops=0,
        functions=author.functions + 1,
        rebindable={},
        ended=False,
        protected=0,
        attributes={},
        in_module=method,
        submodules=author.submodules if method or author.functions else (),
    )
    body = inner.block(3)
    if not inner.ended:
        body.append(f"return {leaving.returned(inner)}")
    return [f"def {name}({', '.join(header)}):", *indented(body)]


def _bound(author: Author, scope: Scope, kind: Kind) -> str:
    name = author.fresh({ListKind: "given", TensorKind: "t"}.get(type(kind), "a"))
    scope.names[name] = kind
    scope.fixed.discard(name)
    if isinstance(kind, ListKind):
        scope.sizes[kind.cell] = 1
    return name


def nested_function(author: Author) -> Lines | None:
    """A function inside the function, that reads names around it."""
    if author.functions > 1 or author.depth > 1 or author.budget < 3:
        return None
    name = author.fresh("inner")
    kind = _signature(author)
    lines = _function(author, name, kind, author.scope, method=False)
    author.bind(name, kind)
    author.scope.fixed.add(name)
    return lines


def nested_lambda(author: Author) -> Lines:
    """``f = lambda t, k=2: t * k + x``."""
    first: Kind = author.pick([MATRIX, ROW])
    kind = FunctionKind((first,), (), None, first)
    name, parameter = author.fresh("apply"), author.fresh("t")
    author.scope.names[parameter] = first
    body = expression(author, first, 2)
    del author.scope.names[parameter]
    author.bind(name, kind)
    author.scope.fixed.add(name)
    return [f"{name} = lambda {parameter}: {body}"]
