"""Arrays that a program takes of tensors and writes: ``boxes = boxes.numpy()``.

In PyTorch such an array is the tensor's own memory. On the host it is a copy, which is the same as
long as nobody looks at the tensor once the line is done, nor at anything that shares its memory.
"""

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from rewriter.descendants import children_of
from rewriter.evaluation.host.array_memory import allocated, is_made_on_host
from rewriter.evaluation.names import lookup
from rewriter.evaluation.run import Frame
from rewriter.flattening import Flattening, Roots
from rewriter.scope import names_read
from rewriter.state import State
from rewriter.values import (
    FOREIGN,
    NONE,
    DictCell,
    Known,
    ListCell,
    Memory,
    Reference,
    TensorValue,
)


def memory_of(
    frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue
) -> tuple[Memory, bool]:
    """Return where the memory of ``tensor.numpy()`` was made, and whether the host copies it.

    It does where the array is written: that is found later, and evaluation starts anew.
    """
    if not _is_last_use(frame, node, state, tensor):
        return FOREIGN, False
    memory = allocated(frame, node)
    if is_made_on_host(frame, node):
        return memory, True
    frame.run.arrays.of_tensors |= memory
    return FOREIGN | memory, False


def _is_last_use(frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue) -> bool:
    storages = frame.run.storages
    if tensor.name in storages.callers | storages.contained:
        return False
    if storages.may_last(tensor.fake) or storages.may_be_exported(tensor.fake):
        return False
    later = _read_later(frame, node)
    if later is None:
        return False
    frames = tuple(
        (identity, later if identity == frame.identity else names)
        for identity, names in frame.run.live_frames()
    )
    state = _once_stored(frame, node, state)
    # What the line itself has read is reached by the names in it, or is the tensor that is asked.
    roots = Roots(frames=frames, attributes=tuple(state.attributes), extra=frame.carried)
    return not any(
        isinstance(leaf, TensorValue) and storages.may_coincide(leaf.fake, tensor.fake)
        for leaf in Flattening(state, roots).run().leaves
    )


def _once_stored(frame: Frame, node: cst.CSTNode, state: State) -> State:
    """Return what is left where a line stores the array in the place that it took the tensor from.

    That is ``rows[i] = rows[i].cpu().numpy()`` of a list or dict of known structure.
    """
    match frame.statement:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Subscript(value=cst.Name(name)) as place)],
            value=value,
        ) if value is node and _taken_from(value).deep_equals(place):
            container = lookup(frame, state, name)
            key = _key_of(frame, state, place)
        case _:
            return state
    if not isinstance(container, Reference) or key is None:
        return state
    cell, after = state.heap[container.identity], state.fork(state.block)
    match cell:
        case ListCell(kind=kind) if kind is list and type(key) is int:
            items = list(cell.items)
            if -len(items) <= key < len(items):
                items[key] = NONE
            after.heap[container.identity] = replace(cell, items=tuple(items))
        case DictCell(kind=kind) if kind is dict and type(key) in (int, str):
            after.heap[container.identity] = replace(cell, items={**cell.items, key: NONE})
    return after


def _taken_from(value: cst.BaseExpression) -> cst.BaseExpression:
    """Return what an array is taken from: ``y`` of ``y.detach().cpu().numpy()``."""
    match value:
        case cst.Call(
            func=cst.Attribute(value=inner, attr=cst.Name("numpy" | "detach" | "cpu")), args=[]
        ):
            return _taken_from(inner)
        case _:
            return value


def _key_of(frame: Frame, state: State, place: cst.Subscript) -> object:
    """Return a key that a name holds or that is written out, None for others."""
    match place.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Name(name)))]:
            key = lookup(frame, state, name)
            return key.value if isinstance(key, Known) else None
        case [
            cst.SubscriptElement(slice=cst.Index(value=cst.Integer() | cst.SimpleString() as key))
        ]:
            return key.evaluated_value
        case _:
            return None


def _read_later(frame: Frame, node: cst.CSTNode) -> frozenset[str] | None:
    """Return what is read after a line, and in it beside the tensor; None where that is open."""
    statement = frame.statement
    if not frame.continuations or not isinstance(statement, cst.BaseSmallStatement):
        return None
    match node:
        case cst.Call(func=cst.Attribute(value=tensor, attr=cst.Name("numpy"))):
            beside = _beside(statement, node)
        case _:
            return None
    if beside is None or (_calls(beside) and not _is_plain(tensor)):
        return None  # the test of a loop, after the body; calls may take the tensor from elsewhere
    scope = frame.source.scope
    anyway = frame.caught | scope.captured | scope.read_by_super
    after = frame.continuations[-1] - _bound(statement)
    return after.union(anyway, *map(names_read, beside))


def _beside(part: cst.CSTNode, node: cst.CSTNode) -> list[cst.CSTNode] | None:
    """Return the parts of a line outside of an expression in it; None where it is not there."""
    if part is node:
        return []
    for child in children_of(part):
        inner = _beside(child, node)
        if inner is not None:
            others = (other for other in children_of(part) if other is not child)
            return [*inner, *(other for other in others if not _is_target(other))]
    return None


def _is_target(part: cst.CSTNode) -> bool:
    return isinstance(part, cst.AssignTarget) and isinstance(part.target, cst.Name)


def _bound(statement: cst.BaseSmallStatement) -> frozenset[str]:
    """Return the names that a line binds anew, once it has computed everything."""
    targets = statement.targets if isinstance(statement, cst.Assign) else ()
    names = (target.target for target in targets)
    return frozenset(name.value for name in names if isinstance(name, cst.Name))


def _calls(parts: Sequence[cst.CSTNode]) -> bool:
    return any(isinstance(part, cst.Call) or _calls(children_of(part)) for part in parts)


def _is_plain(tensor: cst.CSTNode) -> bool:
    """Return whether an expression takes a tensor that stays where it is: ``y.detach().cpu()``."""
    match tensor:
        case cst.Call(func=cst.Attribute(value=inner, attr=cst.Name("detach" | "cpu")), args=[]):
            return _is_plain(inner)
        case _:
            return not _calls([tensor])
