"""Between tensors and the host: numbers made into tensors, tensors read as arrays or lists."""

import ast
import operator as operators
from collections.abc import Callable, Collection, Sequence

import libcst as cst
import torch

from rewriter.builder import tensor_spec
from rewriter.evaluation.host.host_statements import note_risk
from rewriter.evaluation.host.numpy_numbers import plain_element, plain_integer, plain_number
from rewriter.evaluation.rendering import name_expression
from rewriter.evaluation.run import Frame
from rewriter.program import Joined, TensorFromHost
from rewriter.size_expressions import Size
from rewriter.state import State
from rewriter.values import (
    Known,
    ScalarValue,
    TensorValue,
    Value,
)

_SAMPLES: dict[type, bool | int | float] = {bool: True, int: 2, float: 2.5}


_SMALL_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32)
_DIVIDING = (operators.truediv, operators.itruediv)
_SUBTRACTING = (operators.sub, operators.isub)
_HALVES = (torch.float16, torch.bfloat16)


def as_tensor_operands(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    *,
    stored: bool = False,
    into: bool = False,
    operator: Callable[..., object] | None = None,
) -> tuple[Value, ...]:
    """Turn run-time numbers among the operands of a tensor operator into 0-d tensors.

    The dtype is the one that the operation would convert the number to, so the result's
    dtype and value are those of the operation on the number itself. ``stored`` says that the
    number becomes an element as it is, and is not computed with, ``into`` that it is one of the
    first tensor's; ``operator`` is the operator that computes with it, None where a method does.
    """
    if not any(isinstance(operand, ScalarValue) for operand in operands):
        return operands
    tensors = [
        operand.fake if isinstance(operand, TensorValue) else operand.value
        for operand in operands
        if isinstance(operand, TensorValue)
        or (isinstance(operand, Known) and isinstance(operand.value, torch.Tensor))
    ]
    if into and tensors[0].dtype in (*_SMALL_INTEGERS, torch.int64):
        return tuple(_element(frame, node, state, x, tensors[0].dtype) for x in operands)
    plain = plain_element if stored else plain_number
    operands = tuple(plain(frame, node, state, operand) for operand in operands)
    return tuple(
        _scalar_tensor(frame, node, state, operand, tensors[0], stored, operator)
        if isinstance(operand, ScalarValue)
        else operand
        for operand in operands
    )


def _element(
    frame: Frame, node: cst.CSTNode, state: State, operand: Value, dtype: torch.dtype
) -> Value:
    """Turn a float, which is cut to an integer, or an integer into an element."""
    operand = plain_integer(frame, node, state, operand)
    if not isinstance(operand, ScalarValue):
        return operand
    if operand.type not in _SAMPLES:
        frame.refuse("DYCL030", node, "a number of unknown type is used in a tensor operation")
    number = name_expression(operand.name)
    return tensor_from_host(frame, node, state, number, dtype, (), (operand.type,))


def _scalar_tensor(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    scalar: ScalarValue,
    other: object,
    stored: bool,
    operator: Callable[..., object] | None,
) -> TensorValue:
    kind = scalar.type
    may_be_truth = not scalar.plain and operator in _SUBTRACTING
    if kind is None and not may_be_truth and takes_any_number(other):
        kind = float
    if kind not in _SAMPLES or not isinstance(other, torch.Tensor):
        what = "an integer or a float, by the path" if kind is None else "of unknown type"
        frame.refuse("DYCL030", node, f"a number {what}, is used in a tensor operation")
    with frame.run.mode:
        dtype = torch.result_type(other, _SAMPLES[kind])
    number: ast.expr = name_expression(scalar.name)
    small = dtype in _SMALL_INTEGERS
    if stored:
        return element_from_host(frame, node, state, number, dtype, kind)
    if scalar.type is bool:
        if operator in _SUBTRACTING:
            frame.refuse("DYCL030", node, "PyTorch subtracts no truth, and nothing from one")
        dtype = torch.bool  # the operation converts it
    elif small and (other.dim() > 0 or operator in _DIVIDING):
        dtype = torch.int64  # the operation wraps what does not fit; a small tensor would raise
    elif small and operator is not None:
        number = _wrapped(number, dtype)
    elif small or dtype in _HALVES:
        # PyTorch computes with the number as it is, and rounds the result only.
        small_kind = str(dtype).removeprefix("torch.")
        frame.refuse(
            "DYCL030",
            node,
            f"a number known only at run time is used with a {small_kind} tensor",
            "convert the tensor first, for example with .float()",
        )
    return tensor_from_host(frame, node, state, number, dtype, ())


def takes_any_number(other: object) -> bool:
    """Return whether an integer and a float are the same operand to a tensor."""
    if not isinstance(other, torch.Tensor):
        return False
    return other.dtype.is_floating_point and other.dtype not in _HALVES


def _wrapped(number: ast.expr, dtype: torch.dtype) -> ast.expr:
    """Return the element that a small type has for an integer: ``(n + 128) % 256 - 128``."""
    limits = torch.iinfo(dtype)
    span = ast.Constant(value=limits.max - limits.min + 1)
    lowest = ast.Constant(value=-limits.min)
    shifted = ast.BinOp(left=number, op=ast.Add(), right=lowest)
    placed = ast.BinOp(left=shifted, op=ast.Mod(), right=span)
    return ast.BinOp(left=placed, op=ast.Sub(), right=lowest)


def refuse_integer_power(frame: Frame, node: cst.CSTNode, operands: tuple[Value, ...]) -> None:
    """Refuse ``x ** n`` over integers: a negative number raises there, a tensor gives 0."""
    base, exponent = operands[:2]
    content = base.fake if isinstance(base, TensorValue) else getattr(base, "value", None)
    if (
        isinstance(exponent, ScalarValue)
        and exponent.type is not float
        and isinstance(content, torch.Tensor)
        and not content.dtype.is_floating_point
    ):
        frame.refuse(
            "DYCL030", node, "an integer tensor is raised to a power known only at run time"
        )


def tensor_from_host(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: ast.expr,
    dtype: torch.dtype,
    shape: tuple[Size, ...],
    types: Collection[type] = (),
    strides: Sequence[int] | None = None,
    joined: Joined | None = None,
    fits: bool = False,
) -> TensorValue:
    """Emit the statement that makes a tensor of host numbers, which may be too large for it.

    It lies in memory row by row, or by ``strides``.
    """
    run = frame.run
    if fits or _may_not_hold(dtype, types):
        note_risk(run, state, frame.origin(node), of_torch=True)
    with run.mode:
        fake = torch.empty(shape, dtype=dtype)
        if strides is not None:
            fake = torch.empty_strided(shape, strides, dtype=dtype)
    run.storages.keep(fake)
    name = run.builder.variable("_tensor", tensor_spec(fake))
    run.effects += 1
    run.builder.emit(
        state.block,
        TensorFromHost(
            target=name,
            expression=expression,
            dtype=dtype,
            origin=frame.origin(node),
            joined=joined,
            fits=fits,
        ),
    )
    return TensorValue(name, fake)


def element_from_host(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    number: ast.expr,
    dtype: torch.dtype,
    kind: type,
) -> TensorValue:
    """Emit the statement that makes an element of a number, which PyTorch wants to fit.

    An integer of 64 bits fits single precision.
    """
    is_narrow = dtype is torch.float32 and kind is float
    fits = is_narrow or (dtype in _HALVES and kind is not bool)
    return tensor_from_host(frame, node, state, number, dtype, (), (kind,), fits=fits)


def _may_not_hold(dtype: torch.dtype, types: Collection[type]) -> bool:
    """Return whether numbers of these types may be too large for an element type, or no number.

    That an integer exceeds 64 bits is not expected.
    """
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return False
    return float in types or (int in types and dtype is not torch.int64)
