"""Control flow spelled as torch functions: ``cond``, ``while_loop``, ``scan``, ``_check``."""

from collections.abc import Callable
from contextlib import nullcontext

import libcst as cst
import torch
import torch._higher_order_ops
import torch._higher_order_ops.associative_scan
import torch._higher_order_ops.wrap
from functorch.experimental import control_flow  # type: ignore[import-untyped]

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.preluding import inlined
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.calls.traced_branches import (
    gives_constant,
    loop_of_body,
    refuse_branches,
    refuse_changes,
    refuse_condition,
    refuse_constants,
    refuse_other_structure,
    refuse_raising,
    refuse_sharing,
)
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import checking, checking_types, torch_loops
from rewriter.state import State
from rewriter.values import (
    NONE,
    Known,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


@special(torch.cond)
def cond(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.cond(pred, true_fn, false_fn, operands)``: a dynamic ``if``."""
    names = ("pred", "true_fn", "false_fn", "operands")
    given = {**dict(zip(names, positional, strict=False)), **keywords}
    if len(given) != len(positional) + len(keywords) or not set(given) <= set(names):
        frame.refuse("DYCL044", node, "cond is called with arguments that it does not take")
    operands = sequence_items(state, given.get("operands", Known(())))
    if operands is None:
        frame.refuse("DYCL044", node, "the operands of cond must be a list or tuple")
    if not set(names[:3]) <= set(given) or any(_is_plain(given[name]) for name in names[1:3]):
        frame.refuse("DYCL044", node, "cond is called without two functions: PyTorch raises")
    if _is_tensor(given["pred"]) and any(_holds_number(state, item) for item in operands):
        message = "an operand of cond is no tensor, which PyTorch takes where pred is none either"
        frame.refuse("DYCL044", node, message, help="read it in the branches as a closed-over name")
    before, declared = state.fork(state.block), {*frame.run.builder.variables}
    traced = _is_tensor(given["pred"])
    outcomes = []
    for arm, truth in truths(frame, node, state, given["pred"]):
        function, start = given["true_fn" if truth else "false_fn"], arm.fork(arm.block)
        with frame.run.storages.tracing() if traced else nullcontext():
            ends = list(call_value(frame, node, arm, function, list(operands), {}))
        for after, _ in ends if traced else ():
            refuse_changes(frame, node, start, after, declared)
        if traced and not ends:
            refuse_raising(frame, node)
        outcomes += ends
    if traced:
        refuse_branches(frame, node, before, operands, outcomes)
        refuse_constants(frame, node, outcomes)
    yield from outcomes


@special(torch.ops.higher_order.cond)
def cond_operator(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``cond`` as an operator, which takes no containers of tensors as operands."""
    operands = positional[3] if len(positional) > 3 else keywords.get("operands", Known(()))
    for item in sequence_items(state, operands) or ():
        if isinstance(item, TupleValue | Reference):
            frame.refuse("DYCL044", node, "an operand of cond is a container: PyTorch raises")
    yield from cond(frame, node, state, positional, keywords)


def _is_tensor(value: Value) -> bool:
    if isinstance(value, Known):
        return isinstance(value.value, torch.Tensor)
    return isinstance(value, TensorValue)


def _is_plain(value: Value) -> bool:
    """Whether a value is surely nothing that can be called."""
    return isinstance(value, ScalarValue | TupleValue) or (
        isinstance(value, Known) and not callable(value.value)
    )


def _holds_number(state: State, value: Value) -> bool:
    """Whether a value, or an item of a list or tuple, is a number, a string or None."""
    if isinstance(value, ScalarValue):
        return True
    if isinstance(value, Known) and isinstance(value.value, int | float | complex | str | None):
        return True
    items = sequence_items(state, value)
    return items is not None and any(_holds_number(state, item) for item in items)


@special(torch.while_loop, torch.ops.higher_order.while_loop)
def while_loop(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.while_loop(cond_fn, body_fn, carried, additional)``."""
    names = ("cond_fn", "body_fn", "carried_inputs", "additional_inputs")
    given = {**dict(zip(names, positional, strict=False)), **keywords}
    carried = sequence_items(state, given.get("carried_inputs", NONE))
    others = sequence_items(state, given.get("additional_inputs", Known(())))
    loop: Callable[..., object] = torch_loops.while_loop_op
    if "body_fn" in given and carried is not None and others is not None:
        operands = [*carried, *others]
        if any(gives_constant(state, operand, (str, float)) for operand in operands):
            message = "while_loop carries what is neither tensor nor integer: PyTorch raises"
            frame.refuse("DYCL044", node, message)
        refuse_condition(frame, node, state, given.get("cond_fn", NONE), operands)
        loop = loop_of_body(frame, node, state, given["body_fn"], operands, len(carried))
    yield from call_value(frame, node, state, Known(loop), positional, keywords)


@special(torch_loops.traced)
def _traced(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Call a function of ``map`` or ``scan``, which PyTorch calls once for all rows."""
    function, *operands = positional
    before, declared = state.fork(state.block), {*frame.run.builder.variables}
    with frame.run.storages.tracing():
        outcomes = list(call_value(frame, node, state, function, operands, keywords))
    for after, _ in outcomes:
        refuse_changes(frame, node, before, after, declared)
    refuse_sharing(frame, node, before, operands, outcomes)
    yield from outcomes


@special(torch_loops.traced_step)
def _traced_step(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Call the function of ``scan``, which gives a carry like the one that it takes."""
    carry = positional[1]
    for after, value in _traced(frame, node, state, positional, keywords):
        items = sequence_items(after, value)
        if items is not None and len(items) == 2:
            refuse_other_structure(frame, node, (state, carry), (after, items[0]), layout=True)
            refuse_constants(frame, node, [(after, items[1])])
        yield after, value


@special(torch_loops.called_more_often)
def _called_more_often(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Call the function of ``associative_scan``, which PyTorch calls on many rows together."""
    function, *operands = positional
    before, declared = state.fork(state.block), {*frame.run.builder.variables}
    with frame.run.storages.tracing():
        outcomes = list(call_value(frame, node, state, function, operands, keywords))
    for after, value in outcomes:
        refuse_changes(frame, node, before, after, declared)
        if after.block != before.block:
            frame.refuse("DYCL044", node, "a function of associative_scan decides by a row")
        refuse_other_structure(frame, node, (state, operands[0]), (after, value), layout=False)
        yield after, value


special(torch._higher_order_ops.scan)(inlined(torch_loops.scan))
special(torch.ops.higher_order.scan)(inlined(torch_loops.scan_op))
special(torch._higher_order_ops.associative_scan)(inlined(torch_loops.associative_scan))
special(control_flow.map, torch._higher_order_ops.map)(inlined(torch_loops.map_rows))
special(torch.ops.higher_order.wrap)(inlined(torch_loops.wrap))
special(torch.autograd.forward_ad.unpack_dual)(inlined(torch_loops.unpack_dual))
special(torch.jit.isinstance)(inlined(checking_types.is_of_type))
special(torch._assert)(inlined(torch_loops.assert_))
special(torch._assert_async)(inlined(torch_loops.assert_async))
special(torch.sym_ite)(inlined(torch_loops.sym_ite))

_CHECKS: dict[Callable[..., object], Callable[..., object]] = {
    torch._check: checking.check,
    torch._check_with: checking.check_with,
    torch._check_is_size: checking.check_is_size,
    torch._check_index: checking.check_index,
    torch._check_value: checking.check_value,
    torch._check_type: checking.check_type,
    torch._check_not_implemented: checking.check_not_implemented,
    torch._check_tensor_all: checking.check_tensor_all,
    torch._check_tensor_all_with: checking.check_tensor_all_with,
    torch._constrain_as_size: checking.constrain_as_size,
    torch.sym_constrain_range: checking.constrain_range,
    torch.sym_constrain_range_for_size: checking.constrain_range_for_size,
}
for _of_torch, _in_python in _CHECKS.items():
    special(_of_torch)(inlined(_in_python))
