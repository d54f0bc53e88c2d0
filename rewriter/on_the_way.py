"""What expressions hold while a statement is being evaluated: tensors, and objects."""

from collections.abc import Iterator, Sequence

from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    IteratorCell,
    IteratorValue,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


def leaves_on_the_way(state: State) -> Iterator[TensorValue | HostValue]:
    """Yield the tensors and arrays of values that no variable may hold yet.

    ``f(y[0], change(y))``: while ``change`` runs, only the call being evaluated holds
    ``y[0]``, and a write into ``y`` must reach it.
    """
    seen: set[int] = set()
    for value in state.on_the_way:
        yield from _leaves(state, value, seen)


def changed_on_the_way(states: Sequence[State], values: Sequence[Value]) -> Iterator[Reference]:
    """Yield the objects among values that expressions hold which differ between states.

    While ``__init__`` runs, and in ``sorted([Box(), Box()], key=change)``, no variable holds them.
    """
    first, *others = states
    seen: set[int] = set()
    pending = list(values)
    while pending:
        pending += _parts(first, pending.pop(), seen)
    for identity in sorted(seen):
        cells = [state.heap.get(identity) for state in others]
        changed = any(cell is not first.heap.get(identity) for cell in cells)
        if changed and identity in first.heap and None not in cells:
            yield Reference(identity)


def _leaves(state: State, value: Value, seen: set[int]) -> Iterator[TensorValue | HostValue]:
    if isinstance(value, TensorValue):
        yield state.current(value)
        return
    if isinstance(value, HostValue):
        yield value
        return
    for part in _parts(state, value, seen):
        yield from _leaves(state, part, seen)


def _parts(state: State, value: Value, seen: set[int]) -> tuple[Value, ...]:
    match value:
        case TupleValue():
            return value.items
        case MethodValue():
            return (value.receiver,)
        case Reference() | IteratorValue() | ViewValue():
            if value.identity in seen:
                return ()
            seen.add(value.identity)
            # An object that only a finished part of the expression held may be gone.
            match state.heap.get(value.identity):
                case IteratorCell() as cell:
                    return cell.items
                case ListCell() as cell:
                    return (*cell.items, *cell.attributes.values())
                case DictCell() as cell:
                    return (*cell.items.values(), *cell.attributes.values())
                case ObjectCell() as cell:
                    return tuple(cell.attributes.values())
                case _:
                    return ()
        case _:
            return ()
