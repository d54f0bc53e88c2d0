"""Subscripts: elements and slices of tensors, containers and host values."""

import ast
from collections.abc import Callable

import libcst as cst
import torch
from torch import nn

from rewriter.evaluation.containers import (
    adopt,
    describe,
    is_list,
    item_path,
    mapping_items,
    sequence_items,
    tuple_value,
)
from rewriter.evaluation.dict_methods import known_key
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.leaf import Operation
from rewriter.evaluation.rendering import NotMaterial, known_object, render, render_index
from rewriter.evaluation.run import Frame, Outcomes, UsedPoison
from rewriter.state import State
from rewriter.values import (
    NONE,
    DictCell,
    HostValue,
    Known,
    ListCell,
    ObjectCell,
    Poison,
    Reference,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)


@expression_rule(cst.Subscript)
def subscript(frame: Frame, node: cst.Subscript, state: State) -> Outcomes:
    """``value[index]``."""
    for after, value in evaluate(frame, node.value, state):
        for done, index in index_value(frame, node, after):
            yield from get_item(frame, node, done, value, index)


def index_value(frame: Frame, node: cst.Subscript, state: State) -> Outcomes:
    """Evaluate what stands between the brackets."""
    elements = list(node.slice)
    if len(elements) == 1 and not isinstance(elements[0].comma, cst.Comma):
        yield from _index_part(frame, elements[0].slice, state)
        return
    yield from _index_tuple(frame, [element.slice for element in elements], state, ())


def _index_tuple(
    frame: Frame, nodes: list[cst.BaseSlice], state: State, done: tuple[Value, ...]
) -> Outcomes:
    if not nodes:
        yield state, tuple_value(done)
        return
    for after, part in _index_part(frame, nodes[0], state):
        yield from _index_tuple(frame, nodes[1:], after, (*done, part))


def _index_part(frame: Frame, node: cst.BaseSlice, state: State) -> Outcomes:
    if isinstance(node, cst.Index):
        yield from evaluate(frame, node.value, state)
        return
    assert isinstance(node, cst.Slice)
    for after_lower, lower in _optional(frame, node.lower, state):
        for after_upper, upper in _optional(frame, node.upper, after_lower):
            for after, step in _optional(frame, node.step, after_upper):
                parts = [known_object(after, part) for part in (lower, upper, step)]
                knowns = [part.value for part in parts if part is not None]
                if len(knowns) == 3:
                    yield after, Known(slice(*knowns))
                else:
                    yield after, SliceValue(lower, upper, step)


def _optional(frame: Frame, node: cst.BaseExpression | None, state: State) -> Outcomes:
    if node is None:
        yield state, NONE
    else:
        yield from evaluate(frame, node, state)


def get_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Outcomes:
    """Evaluate ``value[index]``."""
    from rewriter.evaluation.calls import call_value
    from rewriter.evaluation.objects import class_of, method_of, user_method

    kind = class_of(state, value)
    if kind is not None and user_method(kind, "__getitem__"):
        method = method_of(frame, state, value, kind, "__getitem__")
        yield from call_value(frame, node, state, method, [index], {})
        return
    match value:
        case TensorValue():
            yield from _tensor_item(frame, node, state, value, index)
        case Known() if isinstance(value.value, torch.Tensor):
            yield from _tensor_item(frame, node, state, value, index)
        case Poison():
            raise UsedPoison
        case HostValue() | ScalarValue():
            from rewriter.evaluation.host_objects import host_item

            yield from host_item(frame, node, state, value, index)
        case _:
            yield from _container_item(frame, node, state, value, index)


def _tensor_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Outcomes:
    from rewriter.evaluation.host_tensors import index_operand

    index = index_operand(frame, node, state, index)
    try:
        expression = ast.Subscript(
            value=render(frame.run, state, value),
            slice=render_index(frame.run, state, index),
            ctx=ast.Load(),
        )
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is an index of a tensor")
    yield from Operation(
        frame,
        node,
        state,
        lambda tensor, position: tensor[position],
        (value, index),
        {},
        expression,
        description="indexing",
    ).evaluate()


def _container_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Outcomes:
    mapping = mapping_items(state, value)
    if mapping is not None:
        yield from _mapping_item(frame, node, state, value, mapping, index)
        return
    known = known_object(state, index)
    items = sequence_items(state, value)
    if items is None and isinstance(value, Known) and isinstance(
        value.value, nn.ModuleList | nn.Sequential | nn.ModuleDict | nn.ParameterList
    ):
        yield from _module_item(frame, node, state, value, index)
        return
    if known is None:
        if isinstance(index, ScalarValue | TensorValue) and items is not None:
            yield from _choose(frame, node, state, items, index)
            return
        frame.refuse(
            "DYCL056", node,
            f"{describe(state, value)} is indexed by {describe(state, index)}",
        )
    if items is None:
        yield from _known_item(frame, node, state, value, known)
        return
    try:
        chosen = items[_position(known.value)]  # type: ignore[index]
    except (IndexError, TypeError) as error:
        frame.run.raise_known(state, _worded(error, state, value))
        return
    if not isinstance(known.value, slice):
        assert not isinstance(chosen, tuple)
        yield state, chosen
    elif is_list(state, value):
        yield state, frame.run.allocate(state, ListCell(chosen))  # type: ignore[arg-type]
    else:
        yield state, tuple_value(chosen)  # type: ignore[arg-type]


def _position(index: object) -> object:
    if isinstance(index, torch.Tensor) and index.dim() == 0 and not index.is_floating_point():
        return int(index)
    return index


def _worded(error: Exception, state: State, value: Value) -> Exception:
    if isinstance(error, IndexError):
        return IndexError(f"{'list' if is_list(state, value) else 'tuple'} index out of range")
    return type(error)(str(error).replace("tuple", "list") if is_list(state, value) else str(error))


def _mapping_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Value,
    mapping: object,
    index: Value,
) -> Outcomes:
    from rewriter.evaluation.calls import call_value

    items: dict[object, Value] = dict(mapping)  # type: ignore[call-overload]
    if isinstance(index, ScalarValue):
        yield from _choose_key(frame, node, state, items, index)
        return
    key = known_key(frame, node, state, index)
    if key in items:
        yield state, items[key]
        return
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if isinstance(cell, DictCell) and cell.default_factory is not None:
        assert isinstance(value, Reference)
        for after, made in call_value(frame, node, state, cell.default_factory, [], {}):
            current = after.heap[value.identity]
            assert isinstance(current, DictCell)
            updated = DictCell({**current.items, key: made}, cell.kind, cell.default_factory)
            frame.run.update(after, value, updated)
            yield after, made
        return
    frame.run.raise_known(state, KeyError(key))


def _module_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, index: Value
) -> Outcomes:
    content = value.value
    known = known_object(state, index)
    assert isinstance(content, nn.ModuleList | nn.Sequential | nn.ModuleDict | nn.ParameterList)
    if known is None and isinstance(content, nn.ModuleDict):
        frame.refuse("DYCL056", node, "a ModuleDict is indexed by a run-time value")
    if known is None:
        items = tuple(
            Known(item, item_path(value.path, position)) for position, item in enumerate(content)
        )
        yield from _choose(frame, node, state, items, index)
        return
    try:
        found = content[known.value]  # type: ignore[index]
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    if isinstance(found, nn.ModuleList) and isinstance(known.value, slice):
        positions = range(len(content))[known.value]
        items = tuple(
            Known(item, item_path(value.path, position))
            for position, item in zip(positions, found, strict=True)
        )
        yield state, frame.run.allocate(state, ListCell(items))
        return
    yield state, Known(found, item_path(value.path, known.value))


def _known_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Known
) -> Outcomes:
    if not isinstance(value, Known):
        frame.refuse("DYCL056", node, f"{describe(state, value)} cannot be indexed")
    try:
        found = value.value[index.value]  # type: ignore[index]
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    if isinstance(value.value, type) or isinstance(found, list | dict):
        yield state, Known(found, item_path(value.path, index.value))
        return
    yield state, adopt(frame.run, state, found)


def _choose(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], index: Value
) -> Outcomes:
    """Index a container of known length by a run-time number: one path per element."""
    from rewriter.evaluation.operators import ordered
    from rewriter.evaluation.truth import item_of, truths

    if isinstance(index, TensorValue):
        for after, number in item_of(frame, node, state, index):
            yield from _choose_scalar(frame, node, after, items, number, ordered, truths)
        return
    yield from _choose_scalar(frame, node, state, items, index, ordered, truths)


def _choose_scalar(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    index: Value,
    ordered: Callable[..., Outcomes],
    truths: Callable[..., object],
) -> Outcomes:
    if isinstance(index, Known):
        try:
            yield state, items[index.value]  # type: ignore[index]
        except Exception as error:
            frame.run.raise_known(state, error)
        return
    if len(items) > frame.run.options.most_paths:
        frame.refuse("DYCL020", node, f"a run-time index chooses among {len(items)} objects")
    pending = [state]
    size = len(items)
    for position in (*range(size), *range(-size, 0)):
        still: list[State] = []
        for before in pending:
            for after, equal in ordered(frame, node, before, cst.Equal, index, Known(position)):
                for tested, truth in truths(frame, node, after, equal):  # type: ignore[attr-defined]
                    if truth:
                        yield tested, items[position]
                    else:
                        still.append(tested)
        pending = still
    for after in pending:
        frame.run.raise_known(after, IndexError("list index out of range"))


def _choose_key(
    frame: Frame, node: cst.CSTNode, state: State, items: dict[object, Value], index: Value
) -> Outcomes:
    from rewriter.evaluation.operators import ordered
    from rewriter.evaluation.truth import truths

    pending = [state]
    for key, item in items.items():
        still: list[State] = []
        for before in pending:
            for after, equal in ordered(frame, node, before, cst.Equal, index, Known(key)):
                for tested, truth in truths(frame, node, after, equal):
                    if truth:
                        yield tested, item
                    else:
                        still.append(tested)
        pending = still
    if pending:
        frame.refuse("DYCL051", node, "a dict is indexed by a number known only at run time")


def set_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value, item: Value
) -> list[State]:
    """Execute ``value[index] = item``; return the states that go on."""
    from rewriter.evaluation.calls import call_value
    from rewriter.evaluation.objects import class_of, method_of, user_method

    kind = class_of(state, value)
    if kind is not None and user_method(kind, "__setitem__"):
        method = method_of(frame, state, value, kind, "__setitem__")
        return [s for s, _ in call_value(frame, node, state, method, [index, item], {})]
    if isinstance(value, TensorValue) or (
        isinstance(value, Known) and isinstance(value.value, torch.Tensor)
    ):
        return _set_tensor_item(frame, node, state, value, index, item)
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    match cell:
        case ListCell():
            assert isinstance(value, Reference)
            return _set_list_item(frame, node, state, value, cell, index, item)
        case DictCell():
            assert isinstance(value, Reference)
            key = known_key(frame, node, state, index)
            items = {**cell.items, key: item}
            frame.run.update(state, value, DictCell(items, cell.kind, cell.default_factory))
            return [state]
        case _:
            pass
    if isinstance(value, Poison):
        raise UsedPoison
    if isinstance(value, TupleValue | ObjectCell) or (
        isinstance(value, Known) and isinstance(value.value, tuple)
    ):
        error = TypeError("'tuple' object does not support item assignment")
        frame.run.raise_known(state, error)
        return []
    frame.refuse(
        "DYCL034", node, f"an element of {describe(state, value)} that outlives the call is written"
    )


def _set_list_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Reference,
    cell: ListCell,
    index: Value,
    item: Value,
) -> list[State]:
    known = known_object(state, index)
    if known is None:
        frame.refuse("DYCL056", node, "a list is written at an index known only at run time")
    items: list[Value] = list(cell.items)
    try:
        if isinstance(known.value, slice):
            replacement = sequence_items(state, item)
            if replacement is None:
                frame.refuse("DYCL056", node, "a slice is assigned from this kind of object")
            items[known.value] = list(replacement)
        else:
            items[_position(known.value)] = item  # type: ignore[call-overload]
    except (IndexError, TypeError, ValueError) as error:
        frame.run.raise_known(state, error)
        return []
    frame.run.update(state, value, ListCell(tuple(items), cell.kind))
    return [state]


def _set_tensor_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value, item: Value
) -> list[State]:
    from rewriter.evaluation.host_tensors import as_tensor_operands, index_operand

    index = index_operand(frame, node, state, index)
    _, item = as_tensor_operands(frame, node, state, (value, item))
    try:
        target = ast.Subscript(
            value=render(frame.run, state, value),
            slice=render_index(frame.run, state, index),
            ctx=ast.Store(),
        )
        stored = render(frame.run, state, item)
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is written into a tensor")

    def store(tensor: torch.Tensor, position: object, content: object) -> None:
        tensor[position] = content  # type: ignore[index,assignment]

    operation = Operation(
        frame,
        node,
        state,
        store,
        (value, index, item),
        {},
        stored,
        stores_into=target,
        description="an assignment to elements",
    )
    return [after for after, _ in operation.evaluate()]


def delete_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> list[State]:
    """Execute ``del value[index]``."""
    known = known_object(state, index)
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if known is None or not isinstance(cell, ListCell | DictCell):
        frame.refuse("DYCL056", node, "this element cannot be deleted")
    assert isinstance(value, Reference)
    try:
        if isinstance(cell, ListCell):
            items = list(cell.items)
            del items[known.value]  # type: ignore[arg-type]
            frame.run.update(state, value, ListCell(tuple(items), cell.kind))
        else:
            entries = dict(cell.items)
            del entries[known.value]
            frame.run.update(state, value, DictCell(entries, cell.kind, cell.default_factory))
    except (IndexError, KeyError, TypeError) as error:
        frame.run.raise_known(state, error)
        return []
    return [state]
