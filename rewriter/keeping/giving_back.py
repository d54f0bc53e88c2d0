"""Lists, dicts and objects among the arguments that the call changes: the caller sees it.

The evaluation knows their content. The caller's own container is held by a variable, and gets
the content at every end of the call.
"""

import ast
import operator
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from rewriter.builder import literal_expression
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Run
from rewriter.evaluation.same_values import changed_cells
from rewriter.flattening import Flattening, Roots
from rewriter.keeping.lent import Lent
from rewriter.origin import Origin
from rewriter.program import HostStatement
from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    HostValue,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SetCell,
    TensorValue,
    TupleValue,
    Value,
)


def key_of(run: Run, place: str) -> tuple[int, str]:
    """Return the key under which a state knows an argument that is lent."""
    return id(run.arguments), place


def lend_containers(run: Run, state: State) -> None:
    """At the entry: follow the containers that are known to be changed, and the caller's own.

    Both are handed over to functions of their own, like attributes that were written.
    """
    for place, lent in run.containers.lent.items():
        state.attributes[key_of(run, place)] = lent.reference
        state.attributes[_own_key(run, place)] = HostValue(lent.variable, None)


def _own_key(run: Run, place: str) -> tuple[int, str]:
    return id(run.containers), f"{place}_given"


def give_back_containers(run: Run, state: State, origin: Origin, *, early: bool) -> None:
    """At an end: put the content into the caller's containers.

    ``early`` where the call may end, and may also go on.
    """
    for place, lent in run.containers.lent.items():
        reference = _reference(run, state, place)
        if _is_untouched(run, state, place, reference):
            continue
        if early:
            run.containers.given_early.add(place)
        _give(run, state, lent, origin)


def give_back_hidden(run: Run, state: State, origin: Origin) -> None:
    """At an end of a function of its own: undo what its caller does not know of.

    The caller is told how the call leaves the containers. It is not told that one was given
    on the way which is in the end as it was.
    """
    start = run.containers.start
    assert start is not None
    for place in sorted(run.containers.given_early):
        reached = _reached(run, start, place)
        if not (_are_same(start, state, reached) or changed_cells(reached, start, state)):
            _give(run, state, run.containers.lent[place], origin)


def _reference(run: Run, state: State, place: str) -> Reference:
    value = state.attributes[key_of(run, place)]
    assert isinstance(value, Reference)
    return value


def _is_untouched(run: Run, state: State, place: str, reference: Reference) -> bool:
    """Return whether the caller's container surely holds what it should."""
    start = run.containers.start
    if start is None:
        return state.heap[reference.identity] is run.containers.lent[place].content
    reached = _reached(run, start, place)
    return _are_same(start, state, reached) and not any(
        isinstance(start.heap[identity], RunTimeCell)  # which stays, and changes on the host
        for identity in reached
    )


def _reached(run: Run, start: State, place: str) -> tuple[int, ...]:
    return Flattening(start, Roots(frames=(), attributes=(key_of(run, place),))).run().cells


def _are_same(start: State, state: State, identities: tuple[int, ...]) -> bool:
    return all(state.heap.get(i) is start.heap[i] for i in identities)


def _give(run: Run, state: State, lent: Lent, origin: Origin) -> None:
    place = lent.place
    own = state.attributes[_own_key(run, place)]
    assert isinstance(own, HostValue)
    cell = state.heap[_reference(run, state, place).identity]
    giving = _Giving(run, state, lent, own.name, origin)
    for expression in giving.expressions(cell):
        run.builder.emit(
            state.block,
            HostStatement(target=None, expression=expression, origin=origin, effect=True),
        )


class _Giving:
    """Writes what makes one container of the caller hold what the evaluation says."""

    def __init__(self, run: Run, state: State, lent: Lent, own: str, origin: Origin) -> None:
        self._run, self._state, self._lent, self._origin = run, state, lent, origin
        self._container = name_expression(own)
        is_written = lent.place in run.containers.given_early
        self._before: Cell | None = None if is_written else lent.content
        """What the container surely holds, None where it may have been written already."""

    def expressions(self, cell: Cell) -> Iterator[ast.expr]:
        """Yield what the host must do, in order."""
        match cell:
            case ListCell():
                yield self._list(cell)
            case DictCell():
                yield from self._dict(cell.items)
            case ObjectCell():
                yield from self._object(cell.attributes)
            case RunTimeCell() if isinstance(self._lent.content, ListCell):
                yield self._from(0, name_expression(cell.name))
            case RunTimeCell() if isinstance(self._lent.content, DictCell):
                yield self._method("clear")
                yield self._method("update", name_expression(cell.name))
            case _:
                self._refuse("what it is changed into")

    def _list(self, cell: ListCell) -> ast.expr:
        before = self._before.items if isinstance(self._before, ListCell) else ()
        pairs = enumerate(zip(before, cell.items, strict=False))
        same = next((i for i, (old, new) in pairs if old is not new), None)
        start = min(len(before), len(cell.items)) if same is None else same
        return self._from(start, self._sequence(ast.List, cell.items[start:]))

    def _from(self, start: int, content: ast.expr) -> ast.expr:
        """Return ``container[start:] = content``."""
        part = self._call(slice, "slice", ast.Constant(value=start), ast.Constant(value=None))
        return self._call(operator.setitem, "operator.setitem", self._container, part, content)

    def _dict(self, items: Mapping[Any, Value]) -> Iterator[ast.expr]:
        before = self._before.items if isinstance(self._before, DictCell) else {}
        if isinstance(self._before, DictCell) and list(items)[: len(before)] == list(before):
            changed = {k: v for k, v in items.items() if k not in before or before[k] is not v}
        else:
            changed = dict(items)
            yield self._method("clear")
        for key, value in changed.items():
            yield self._call(
                operator.setitem,
                "operator.setitem",
                self._container,
                self._literal(key),
                self._content(value),
            )

    def _object(self, attributes: Mapping[str, Value]) -> Iterator[ast.expr]:
        assert isinstance(self._lent.content, ObjectCell)
        before = self._lent.content.attributes
        for name, value in attributes.items():
            given = (self._lent.place, name) in self._run.containers.attributes_given
            if given or name not in before or before[name] is not value:
                self._run.containers.attributes_given.add((self._lent.place, name))
                text = ast.Constant(value=name)
                yield self._call(setattr, "setattr", self._container, text, self._content(value))
        for name in before.keys() - attributes.keys():
            yield self._call(delattr, "delattr", self._container, ast.Constant(value=name))

    def _method(self, name: str, *arguments: ast.expr) -> ast.expr:
        method = ast.Attribute(value=self._container, attr=name, ctx=ast.Load())
        return call_expression(method, list(arguments))

    def _call(self, function: object, path: str, *arguments: ast.expr) -> ast.expr:
        return call_expression(self._run.builder.reference(function, path), list(arguments))

    def _content(self, value: Value) -> ast.expr:
        match value:
            case TensorValue():
                return name_expression(self._state.current(value).name)
            case ScalarValue() | HostValue():
                return name_expression(value.name)
            case Known():
                return self._literal(value.value)
            case TupleValue() if value.kind is tuple:
                return self._sequence(ast.Tuple, value.items)
            case Reference():
                return self._cell(value)
            case _:
                self._refuse("what is put into it")

    def _cell(self, reference: Reference) -> ast.expr:
        lasting = {lent.reference.identity for lent in self._run.containers.lent.values()}
        if reference.identity in lasting | self._run.lasting_cells:
            self._refuse("another container of the caller's, put into it,")
        match self._state.heap[reference.identity]:
            case ListCell() as cell if cell.kind is list:
                return self._sequence(ast.List, cell.items)
            case DictCell() as cell if cell.kind is dict:
                keys: list[ast.expr | None] = [self._literal(key) for key in cell.items]
                return ast.Dict(keys=keys, values=list(map(self._content, cell.items.values())))
            case RunTimeCell() as cell:
                return name_expression(cell.name)
            case SetCell() as cell:
                return self._literal(set(cell.items))
            case _:
                self._refuse("what is put into it")

    def _sequence(
        self, display: type[ast.List] | type[ast.Tuple], items: tuple[Value, ...]
    ) -> ast.expr:
        return display(elts=list(map(self._content, items)), ctx=ast.Load())

    def _literal(self, content: object) -> ast.expr:
        found = literal_expression(content)
        if found is None:
            self._refuse(f"an object of type {type(content).__name__}, put into it,")
        return found

    def _refuse(self, what: str) -> NoReturn:
        raise Refused(
            Diagnostic(
                code="DYCL034",
                message=f"an argument of the call is changed, and {what} cannot be given to the "
                "caller",
                origin=self._origin,
                help="return it instead",
            )
        )
