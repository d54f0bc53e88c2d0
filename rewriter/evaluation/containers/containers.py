"""Lists, tuples and dicts of known structure: how they are made, read and changed."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.containers.key_views import keys_operator
from rewriter.evaluation.containers.raw_items import held_by, items_read
from rewriter.evaluation.containers.repeated_items import repeated
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.set_history import copied
from rewriter.state import State
from rewriter.values import (
    DictCell,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
    set_cell,
)

_LIST_KINDS = (list, deque)
_MOST_ITEMS = 1_000_000


def adopt(run: Run, state: State, content: object, shared: frozenset[int] = frozenset()) -> Value:
    """Return the value of an object that was just made at compile time.

    New lists and dicts go to the heap, where the program may change them. Those in
    ``shared``, by id, are not new: they belong to objects that outlive the call.
    """
    if id(content) in shared:
        return Known(content)
    if type(content) in _LIST_KINDS:
        assert isinstance(content, list | deque)
        items = tuple(adopt(run, state, item, shared) for item in content)
        bound = getattr(content, "maxlen", None)
        return run.allocate(state, ListCell(items, type(content), bound=bound))
    if type(content) in (dict, OrderedDict):
        assert isinstance(content, dict)
        pairs = {key: adopt(run, state, item, shared) for key, item in content.items()}
        return run.allocate(state, DictCell(pairs, type(content)))
    if type(content) is set:
        return run.allocate(state, set_cell(copied(content)))
    if type(content) is tuple and any(type(item) in (list, dict, tuple) for item in content):
        return TupleValue(tuple(adopt(run, state, item, shared) for item in content))
    if isinstance(content, Iterator) and not isinstance(content, torch.Tensor):
        drawn = zip(range(_MOST_ITEMS), content, strict=False)
        return iterator(run, state, tuple(adopt(run, state, item, shared) for _, item in drawn))
    return Known(content)


def containers_in(*contents: object) -> frozenset[int]:
    """Return the ids of the mutable containers that objects are or hold."""
    found: set[int] = set()
    pending = list(contents)
    while pending:
        content = pending.pop()
        if id(content) in found or not isinstance(content, (*_LIST_KINDS, tuple, dict, set)):
            continue
        found.add(id(content))
        pending += held_by(content)
    return frozenset(found)


def iterator(run: Run, state: State, items: tuple[Value, ...]) -> IteratorValue:
    """Return a new iterator over fixed items."""
    return IteratorValue(run.allocate(state, IteratorCell(items)).identity)


def tuple_value(items: tuple[Value, ...], kind: type[tuple[Any, ...]] = tuple) -> Value:
    """Return a tuple, or a ``torch.Size``, known as a whole where all items are known constants."""
    if all(isinstance(item, Known) and item.path is None for item in items):
        return Known(kind(item.value for item in items if isinstance(item, Known)))
    return TupleValue(items, kind)


def tuple_kind(*values: Value) -> type[tuple[Any, ...]]:
    """Return the class of what is cut from tuples, or put together: one of sizes stays one."""
    kinds = [v.kind if isinstance(v, TupleValue) else type(getattr(v, "value", v)) for v in values]
    return torch.Size if torch.Size in kinds else tuple


def item_path(path: str | None, key: object) -> str | None:
    """Return the path of an element."""
    return None if path is None else f"{path}[{key!r}]"


def sequence_items(state: State, value: Value) -> tuple[Value, ...] | None:
    """Return the items of a list or tuple, None for anything else."""
    match value:
        case TupleValue():
            return value.items
        case Reference():
            cell = state.heap[value.identity]
            return cell.items if isinstance(cell, ListCell) else None
        case ViewValue():
            viewed = state.heap[value.identity]
            return _view_items(viewed, value.part) if isinstance(viewed, DictCell) else None
        case Known(content, path) if (items := items_read(content)) is not None:
            return tuple(Known(item, item_path(path, i)) for i, item in enumerate(items))
        case _:
            return None


def _view_items(cell: DictCell, part: str) -> tuple[Value, ...]:
    items = cell.items
    match part:
        case "keys":
            return tuple(Known(key) for key in items)
        case "values":
            return tuple(items.values())
        case _:
            return tuple(TupleValue((Known(key), item)) for key, item in items.items())


def mapping_items(state: State, value: Value) -> Mapping[object, Value] | None:
    """Return the items of a dict, None for anything else."""
    match value:
        case Reference():
            cell = state.heap[value.identity]
            return cell.items if isinstance(cell, DictCell) else None
        case Known() if isinstance(value.value, dict):
            return {
                key: Known(item, item_path(value.path, key)) for key, item in value.value.items()
            }
        case _:
            return None


def listed_items(state: State, value: Value) -> tuple[Value, ...] | None:
    """Return the items of a container of known structure, None for anything else."""
    items = sequence_items(state, value)
    mapping = mapping_items(state, value) if items is None else None
    return items if mapping is None else tuple(map(Known, mapping))


def container_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
) -> Outcomes:
    """``+`` and ``*`` of lists and tuples, ``|`` of dicts, with run-time parts inside."""
    # The host's lists are made of items, and iterating asks for containers: a real cycle.
    from rewriter.evaluation.run_time.run_time_operators import host_operator

    items = [
        None if isinstance(operand, ViewValue) else sequence_items(state, operand)
        for operand in operands
    ]
    name = function.__name__
    on_host = host_operator(frame, node, state, operands, name)
    if on_host is not None:
        yield from on_host
        return
    if len(operands) == 2 and name in ("add", "concat") and None not in items:
        left, right = (part for part in items if part is not None)
        names = [_class_name(state, operand) for operand in operands]
        if len({"tuple" if name == "torch.Size" else name for name in names}) > 1:
            frame.run.raise_known(state, TypeError(_not_joined(*names)))
            return
        yield state, _joined(frame, node, state, operands, left + right)
        return
    if len(operands) == 2 and name == "mul":
        for sequence, count in ((0, 1), (1, 0)):
            times = known_object(state, operands[count])
            given = items[sequence]
            if given is not None and times is not None and isinstance(times.value, int):
                like = partial(_like, frame, state, operands[sequence])
                yield from repeated(frame.run, state, given, times.value, like)
                return
    maps = [found for o in operands if (found := mapping_items(state, o)) is not None]
    plain = all(is_plain_dict(state, operand) for operand in operands)
    if len(operands) == len(maps) == 2 and name == "or_" and plain:
        merged = {**maps[0], **maps[1]}
        yield state, frame.run.allocate(state, DictCell(merged))
        return
    of_keys = keys_operator(frame, state, operands, function)
    if of_keys is not None:
        yield from of_keys
        return
    frame.refuse(
        "DYCL038",
        node,
        f"operator {name!r} between {describe(state, operands[0])} and "
        f"{describe(state, operands[-1])} is not supported",
    )


def _joined(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    items: tuple[Value, ...],
) -> Value:
    """Return a sequence of the items of two: a ``torch.Size`` takes integers only."""
    if tuple_kind(*operands) is tuple:
        return _like(frame, state, operands[0], items)
    if not all(map(is_integer, items)):
        frame.refuse("DYCL038", node, "a torch.Size is joined to what is no integer")
    return tuple_value(items, torch.Size)


def is_integer(item: Value) -> bool:
    """Return whether a value is an integer of the host."""
    if isinstance(item, Known):
        return type(item.value) is int
    return isinstance(item, ScalarValue) and item.type is int


def _like(frame: Frame, state: State, like: Value, items: tuple[Value, ...]) -> Value:
    """Return a sequence of the class of another one."""
    if not is_list(state, like):
        return tuple_value(items, tuple_kind(like))
    if not is_deque(state, like):
        return frame.run.allocate(state, ListCell(items))
    assert isinstance(like, Reference)
    bound = state.cell(like, ListCell).bound
    return frame.run.allocate(state, ListCell(within(items, bound), deque, bound=bound))


def is_plain_dict(state: State, value: Value) -> bool:
    """Return whether a value is a dict of known structure, of no other class."""
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if isinstance(cell, DictCell):
        return cell.kind is dict
    return isinstance(value, Known) and type(value.value) is dict


def _class_name(state: State, value: Value) -> str:
    """Return the class of a sequence in the text of a TypeError."""
    if is_deque(state, value):
        return "collections.deque"
    if tuple_kind(value) is torch.Size:
        return "torch.Size"
    return "list" if is_list(state, value) else "tuple"


def within(items: tuple[Value, ...], bound: int | None) -> tuple[Value, ...]:
    """Return the last items, as many as a deque takes."""
    return items if bound is None else items[max(len(items) - bound, 0) :]


def _not_joined(left: str, right: str) -> str:
    if left == "torch.Size":
        return f"can only concatenate tuple (not {right.rpartition('.')[2]}) to torch.Size"
    short = left.rpartition(".")[2]
    return f'can only concatenate {short} (not "{right}") to {short}'


def is_deque(state: State, value: Value) -> bool:
    """Return whether a value is a deque of known length."""
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    return isinstance(cell, ListCell) and issubclass(cell.kind, deque)


def is_list(state: State, value: Value) -> bool:
    """Return whether a value is a list."""
    if isinstance(value, Reference):
        return isinstance(state.heap[value.identity], ListCell)
    return isinstance(value, Known) and isinstance(value.value, list)


def describe(state: State, value: Value) -> str:
    """Return what a value is, in the user's words."""
    match value:
        case Known():
            return f"a {type(value.value).__name__}"
        case TensorValue():
            return "a run-time tensor"
        case Reference():
            match state.heap[value.identity]:
                case IteratorCell():
                    return "an iterator"
                case RunTimeCell() as cell:
                    return f"a {cell.kind.__name__} known only at run time"
                case cell:
                    return f"a {cell.kind.__name__}"
        case TupleValue():
            return f"a {value.kind.__name__}"
        case ViewValue():
            return f"the {value.part} of a dict"
        case _:
            return f"a {type(value).__name__.removesuffix('Value').lower()} known at run time"
