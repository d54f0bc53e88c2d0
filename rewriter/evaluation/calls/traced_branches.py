"""What PyTorch asks of functions that it traces: for ``cond``, ``while_loop``, ``map``, ``scan``.

They change nothing that was there before, and give no tensor of it, nor two that share memory; and
all ways give tensors of the same types. PyTorch raises for others, whichever way is taken.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NoReturn

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.traced_layouts import have_layout
from rewriter.evaluation.calls.traced_structures import loop_of, structure
from rewriter.evaluation.containers.containers import mapping_items, sequence_items
from rewriter.evaluation.marks import Mark
from rewriter.evaluation.operands import known_tensors, tensors_of
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame
from rewriter.evaluation.same_values import changed_cells, is_changed
from rewriter.prelude import torch_loops
from rewriter.size_expressions import keys_of
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Known, ScalarValue, TensorValue, Value

Outcome = tuple[State, Value]


def refuse_branches(
    frame: Frame,
    node: cst.CSTNode,
    before: State,
    operands: Sequence[Value],
    outcomes: list[Outcome],
) -> None:
    """Refuse what the branches of ``cond`` did where PyTorch raises."""
    refuse_sharing(frame, node, before, operands, outcomes)
    kinds = {tuple((x.fake.dtype, x.fake.dim()) for x in _tensors(*each)) for each in outcomes}
    if len(kinds) > 1:
        _refuse(frame, node, "its branches give tensors of different types")
    if len({structure(*each) for each in outcomes}) > 1:
        _refuse(frame, node, "its branches give different structures")
    first, *others = ([tensor.fake for tensor in _tensors(*each)] for each in outcomes)
    for given in others:
        if not all(have_layout(*pair) for pair in zip(first, given, strict=True)):
            _refuse(frame, node, "its branches give tensors that lie otherwise in memory")


def loop_of_body(
    frame: Frame, node: cst.CSTNode, state: State, body: Value, operands: list[Value], carried: int
) -> Callable[..., object]:
    """Return the loop for a body of ``while_loop``, tried once; refuse one where PyTorch raises.

    It carries the first so many of its operands.
    """
    outcomes = _tried(frame, node, state, body, operands)
    if not outcomes:
        return torch_loops.while_loop_op
    wanted = tuple(structure(state, value) for value in operands[:carried])
    loop, *others = {loop_of(structure(*each), wanted) for each in outcomes}
    if loop is None or others:
        _refuse(frame, node, "it gives another structure than it takes")
    refuse_sharing(frame, node, state, operands, outcomes)
    for outcome in outcomes:
        _refuse_other_types(frame, node, tensors_of(state, tuple(operands[:carried])), outcome)
    return loop


def refuse_condition(
    frame: Frame, node: cst.CSTNode, state: State, condition: Value, operands: list[Value]
) -> None:
    """Refuse a condition of ``while_loop``, tried once, that gives no truth."""
    for after, value in _tried(frame, node, state, condition, operands):
        for tensor in _tensors(after, value):
            if tensor.fake.dim() or tensor.fake.dtype is not torch.bool:
                _refuse(frame, node, "its condition is no tensor with one truth and no dimension")


def refuse_other_structure(
    frame: Frame, node: cst.CSTNode, taken: Outcome, given: Outcome, *, layout: bool
) -> None:
    """Refuse a function that does not give what is like the one that it takes.

    Tensors lie alike in memory, too, where ``layout`` says so.
    """
    if structure(*taken).loose() != structure(*given).loose():
        _refuse(frame, node, "it gives another structure than it takes")
    _refuse_other_types(frame, node, _tensors(*taken), given, layout=layout)


def _refuse_other_types(
    frame: Frame,
    node: cst.CSTNode,
    taken: Sequence[TensorValue],
    outcome: Outcome,
    *,
    layout: bool = True,
) -> None:
    given = _tensors(*outcome)
    pairs = zip(given, taken, strict=False)
    if len(given) == len(taken) and not all(_is_alike(a.fake, b.fake, layout) for a, b in pairs):
        _refuse(frame, node, "it gives tensors of other types or shapes than it takes")


def _tried(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, operands: list[Value]
) -> list[Outcome]:
    """Return what a call gives that is undone: nothing where it is refused."""
    saved, mark = state.fork(state.block), Mark(frame.run, state)
    declared = {*frame.run.builder.variables}
    try:
        with frame.run.storages.tracing():
            outcomes = list(call_value(frame, node, saved, function, operands, {}))
    except Refused:
        return []
    finally:
        mark.restore()
    for after, _ in outcomes:
        refuse_changes(frame, node, state, after, declared)
    return outcomes


def refuse_changes(
    frame: Frame, node: cst.CSTNode, before: State, after: State, declared: Collection[str]
) -> None:
    """Refuse a call that changed an object, a variable or a tensor which was there before it."""
    if changes(before, after, declared):
        _refuse(frame, node, "it changes what was there before")


def changes(before: State, after: State, declared: Collection[str]) -> bool:
    """Return whether an object, a variable or a tensor from before a call is another after it.

    What paths that met have no more is out of reach.
    """
    replaced = {i for i, cell in before.heap.items() if after.heap.get(i, cell) is not cell}
    if (
        changed_cells(replaced, before, after)
        or before.attributes.keys() != after.attributes.keys()
    ):
        return True
    tables: list[tuple[Mapping[Any, Value], Mapping[Any, Value]]]
    tables = [(names, after.frames.get(frame, names)) for frame, names in before.frames.items()]
    for names, now in (*tables, (before.attributes, after.attributes)):
        if any(is_changed(before, was, after, now.get(name, was)) for name, was in names.items()):
            return True
    earlier = before.versions
    return any(
        name not in earlier or before.current(earlier[name]).name != after.current(new).name
        for name, new in after.versions.items()
        if name in declared
    )


def refuse_constants(frame: Frame, node: cst.CSTNode, outcomes: Sequence[Outcome]) -> None:
    """Refuse branches that give None, a text, a truth or a float: integers may be given."""
    for after, value in outcomes:
        if gives_constant(after, value, (str, bool, float)):
            _refuse(frame, node, "it gives a constant that is no integer")


def gives_constant(state: State, value: Value, kinds: tuple[type, ...]) -> bool:
    """Return whether a value, or an item of a container, is None or a number or text of a kind."""
    items = sequence_items(state, value)
    table = mapping_items(state, value) if items is None else None
    if items is not None or table is not None:
        held = items if items is not None else [*(table or {}).values()]
        return any(gives_constant(state, item, kinds) for item in held)
    if isinstance(value, ScalarValue):
        return value.type in kinds
    return isinstance(value, Known) and (value.value is None or isinstance(value.value, kinds))


def refuse_raising(frame: Frame, node: cst.CSTNode) -> None:
    """Refuse a branch that raises on all ways: PyTorch raises whichever branch is taken.

    Or it takes what Python does not, such as ``max`` of two tensors.
    """
    _refuse(frame, node, "one of its branches raises")


def refuse_sharing(
    frame: Frame,
    node: cst.CSTNode,
    before: State,
    operands: Sequence[Value],
    outcomes: list[Outcome],
) -> None:
    """Refuse what gives a tensor that was there before, or two that share memory, or writes one."""
    there = _tensors_there(before, operands)
    memory = {storage_key(tensor.fake) for tensor in there}
    for after, value in outcomes:
        if any(tensor.name in after.versions for tensor in there):
            _refuse(frame, node, "it writes to a tensor that was there before")
        results = _tensors(after, value)
        keys = [storage_key(tensor.fake) for tensor in results]
        shared = len({*keys}) < len(keys) or not memory.isdisjoint(keys)
        if shared or any(isinstance(k.value, torch.Tensor) for k in known_tensors(after, (value,))):
            _refuse(
                frame, node, "it gives a tensor that was there before, or two that share memory"
            )


def _tensors_there(state: State, operands: Sequence[Value]) -> list[TensorValue]:
    """Return the operands, and what variables hold, as they are now."""
    named = (value for names in state.frames.values() for value in names.values())
    plain = [state.current(value) for value in named if isinstance(value, TensorValue)]
    return [*tensors_of(state, tuple(operands)), *plain]


def _tensors(state: State, value: Value) -> list[TensorValue]:
    return tensors_of(state, (value,))


def _is_alike(given: torch.Tensor, wanted: torch.Tensor, layout: bool) -> bool:
    """Return whether a tensor has the type of another, and its sizes and strides where known."""
    if given.dtype is not wanted.dtype or given.dim() != wanted.dim():
        return False
    numbers = [keys_of((*x.shape, *(x.stride() if layout else ()))) for x in (given, wanted)]
    pairs = zip(*numbers, strict=True)
    return all(a == b for a, b in pairs if isinstance(a, int) and isinstance(b, int))


def _refuse(frame: Frame, node: cst.CSTNode, reason: str) -> NoReturn:
    help_ = "give new tensors of the same types: x.clone()"
    frame.refuse("DYCL044", node, f"PyTorch does not trace this: {reason}", help_)
