"""Methods of tensors: leaves, and the few that leave the world of tensors."""

import ast

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.chosen_arguments import by_choice
from rewriter.evaluation.calls.integer_arguments import with_integers
from rewriter.evaluation.calls.misfits_of_torch import misfit_of_operation
from rewriter.evaluation.calls.number_operands import OPERATORS, plain_operands, shown_function
from rewriter.evaluation.containers.containers import adopt
from rewriter.evaluation.host.host_arrays import array_of, list_of
from rewriter.evaluation.host.host_tensors import as_tensor_operands, refuse_integer_power
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.rendering import NotMaterial, call_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.conditions import with_truths
from rewriter.evaluation.tensors.device_moves import is_cuda, moves_device, no_device
from rewriter.evaluation.tensors.diagonals import filled_diagonal
from rewriter.evaluation.tensors.fill_values import with_fill_number
from rewriter.evaluation.tensors.gradients import gradient_method
from rewriter.evaluation.tensors.known_content import note_asked
from rewriter.evaluation.tensors.legacy_tensors import new_tensor
from rewriter.evaluation.tensors.reshaped_objects import RESHAPING, RESIZING, reshaped, resized
from rewriter.evaluation.tensors.spelled_out import or_spelled_out
from rewriter.evaluation.tensors.splitting import split_by_list
from rewriter.evaluation.tensors.tensor_rows import unknown_rows
from rewriter.evaluation.tensors.unique_dimensions import counted_from_the_front
from rewriter.state import State
from rewriter.values import Known, MethodValue, TensorValue, Value

_STORING = frozenset({"fill", "masked_fill", "clamp", "clip"})
"""Operators that put the number into the tensor as it is."""
_REFUSED = {
    "backward": "training is not compiled",
    "register_hook": "hooks on tensors are not supported",
    "data_ptr": "memory addresses are not kept",
    "__dlpack__": "memory is not shared",
    "share_memory_": "memory is not shared",
    "set_": "changing the storage is not supported",
    "__deepcopy__": "copy.deepcopy() calls it with what it has copied",
    **dict.fromkeys(("apply_", "map_"), "Python functions over elements are not supported"),
}

_OF_LAYOUT = frozenset(
    {"as_strided", "is_contiguous", "stride", "storage_offset", "dim_order", *RESIZING}
)
"""Methods that tell how a tensor lies in memory, or go by it."""


def tensor_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TensorValue | Known,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate a method of a tensor."""
    _refuse_unsupported(frame, node, name)
    _refuse_check_of_order(frame, node, name, [*positional, *keywords])
    called = getattr(torch.Tensor, name, None)
    error = misfit_of_operation(frame.run, state, called, [receiver, *positional], keywords)
    if error is not None:
        frame.run.raise_known(state, error)
        return
    yield from _fitting(frame, node, state, receiver, name, positional, keywords)


def _fitting(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TensorValue | Known,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate a method of a tensor that takes arguments of such kinds."""
    if name in RESHAPING | RESIZING:
        yield from _with_another_shape(frame, node, state, receiver, name, positional, keywords)
        return
    plain = name.rstrip("_")
    positional, keywords = plain_operands(frame, node, state, plain, positional, keywords)
    whole = [receiver, *positional]
    filled = with_fill_number(frame, node, state, name, whole, keywords)
    filled = filled or with_truths(frame, node, state, name, whole, keywords, place=1)
    if filled is not None:
        for after, (_, *rest), named in filled:
            yield from tensor_method(frame, node, after, receiver, name, rest, named)
        return
    other = (
        _to_host(frame, node, state, receiver, name, [*positional, *keywords.values()])
        or new_tensor(frame, node, state, receiver, name, positional, keywords)
        or split_by_list(frame, node, state, name, [receiver, *positional], keywords)
        or filled_diagonal(frame, node, state, name, [receiver, *positional], keywords)
        or _with_number(frame, node, state, name, [receiver, *positional], keywords)
        or _of_function(frame, node, state, name, [receiver, *positional], keywords)
    )
    if other is not None:
        yield from other
        return
    if name in ("cpu", "cuda") or moves_device(state, name, positional, keywords):
        error = no_device(state, name, positional, keywords)
        if error is not None:
            frame.run.raise_known(state, error)
            return
        if name == "cuda" or is_cuda(state, positional, keywords):
            frame.run.note(
                frame.origin(node), f"{name}() to a GPU is ignored: compiled for the CPU"
            )
        yield state, receiver
        return
    if name in ("requires_grad_", "retain_grad"):
        wanted = next(iter((*positional, *keywords.values())), Known(True))
        yield from gradient_method(frame, node, state, receiver, name, wanted)
        return

    given, keywords = with_integers(frame, node, state, name, [receiver, *positional], keywords)
    given, keywords = counted_from_the_front(name, given, keywords)
    given = _operands(frame, node, state, name.rstrip("_"), given)

    def leaf(before: State) -> Outcomes:
        return _leaf(frame, node, before, name, given, keywords)

    yield from or_spelled_out(frame, node, state, name, given, keywords, leaf)


def _of_function(
    frame: Frame, node: cst.CSTNode, state: State, name: str, given: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:  # fmt: skip
    """Return the outcomes of the function of that name where it has a rule, None for others."""
    if name not in ("stft", "istft", "equal", "allclose", "is_nonzero"):
        return None
    function = Known(getattr(torch, name), f"torch.{name}")
    return call_value(frame, node, state, function, given, keywords)


def _with_another_shape(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TensorValue | Known,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate a method that gives the tensor object itself another shape."""

    def plain(before: State, operand: TensorValue) -> Outcomes:
        shown = name.removesuffix("_")
        return tensor_method(frame, node, before, operand, shown, positional, keywords)

    if name in RESHAPING:
        return reshaped(frame, node, state, receiver, name, plain)
    if keywords:
        frame.refuse("DYCL042", node, f"Tensor.{name}: keywords are not supported here")
    return resized(frame, node, state, receiver, name, positional)


def _operands(
    frame: Frame, node: cst.CSTNode, state: State, name: str, given: list[Value]
) -> list[Value]:
    """Return the operands of a method, with tensors for the numbers that an operator takes."""
    if name not in OPERATORS:
        return given
    if name == "pow" and len(given) > 1:
        refuse_integer_power(frame, node, tuple(given))
    stored, into = name in _STORING, name in ("fill", "masked_fill")
    return list(as_tensor_operands(frame, node, state, tuple(given), stored=stored, into=into))


def _refuse_unsupported(frame: Frame, node: cst.CSTNode, name: str) -> None:
    if name in _REFUSED:
        frame.refuse("DYCL042", node, f"Tensor.{name}: {_REFUSED[name]}")
    spread = frame.run.storages.spread
    if name in _OF_LAYOUT and spread is not None:
        frame.refuse(
            "DYCL042",
            node,
            f"Tensor.{name}: the example of {spread!r} is not contiguous, and the layout of "
            "arguments is not kept",
            f"give the example as {spread}.contiguous()",
        )
    if name in _OF_LAYOUT and frame.run.storages.over_loose_arrays:
        frame.refuse(
            "DYCL042",
            node,
            f"Tensor.{name}: an array that a tensor was made of may not lie by rows",
            "make the tensor of numpy.ascontiguousarray(a)",
        )


def _refuse_check_of_order(frame: Frame, node: cst.CSTNode, name: str, settings: object) -> None:
    """Refuse ``dim_order(ambiguity_check=True)``: torch forgets the check where a mode is."""
    if name == "dim_order" and settings:
        frame.refuse("DYCL042", node, "Tensor.dim_order: the check for other orders is not made")


def _with_number(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    given: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Return the outcomes of a method that takes a number as no tensor, None for others."""
    shown = shown_function(name.rstrip("_"), given, keywords)
    if shown is None:
        return None
    outcomes = call_value(frame, node, state, shown, given, keywords)
    if not name.endswith("_"):
        return outcomes
    copy = MethodValue(given[0], "copy_")
    return (
        outcome
        for after, value in outcomes
        for outcome in call_value(frame, node, after, copy, [value], {})
    )


def _leaf(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    operands: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a method of a tensor, the first operand: a leaf."""
    chosen = by_choice(frame, node, state, name, operands, keywords)
    if chosen is not None:
        for after, rest, named in chosen:
            yield from _leaf(frame, node, after, name, rest, named)
        return
    try:
        expression = call_expression(
            ast.Attribute(value=render(frame.run, state, operands[0]), attr=name, ctx=ast.Load()),
            [render(frame.run, state, value) for value in operands[1:]],
            {key: render(frame.run, state, value) for key, value in keywords.items()},
        )
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is passed to Tensor.{name}")
    yield from evaluate_operation(
        Operation(
            frame,
            node,
            state,
            lambda operand, *rest, **named: getattr(operand, name)(*rest, **named),
            tuple(operands),
            keywords,
            expression,
            description=f"Tensor.{name}",
        )
    )


def _to_host(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TensorValue | Known,
    name: str,
    positional: list[Value],
) -> Outcomes | None:
    """Return the outcomes of the methods that leave the world of tensors."""
    if name == "unbind":
        return unknown_rows(frame, node, state, receiver, positional)
    if name not in ("item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__array__"):
        return None
    if positional and name in ("item", "tolist"):
        given = f"takes no arguments ({len(positional)} given)"
        frame.run.raise_known(state, TypeError(f"TensorBase.{name}() {given}"))
        return iter(())
    if isinstance(receiver, Known):
        content = receiver.value
        assert isinstance(content, torch.Tensor)
        note_asked(frame.run, content)
        try:
            made = getattr(content.detach(), name)()
        except Exception as error:
            frame.run.raise_known(state, error)
            return iter(())
        return iter([(state, adopt(frame.run, state, made))])
    if name == "item":
        return item_of(frame, node, state, receiver)
    if name in ("__int__", "__float__", "__bool__"):
        kind = {"__int__": int, "__float__": float, "__bool__": bool}[name]
        return call_value(frame, node, state, Known(kind), [receiver], {})

    if name == "tolist":
        return list_of(frame, node, state, receiver)
    return array_of(frame, node, state, receiver)
