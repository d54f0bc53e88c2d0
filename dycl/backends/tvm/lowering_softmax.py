"""Softmax and its kin for any number of elements, none included."""

from typing import Any

from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import accumulated, dimensions_of, lowers
from dycl.backends.tvm.lowering_reductions import largest, total
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


def _grown(value: Expression, around: Expression) -> Expression:
    return tirx.exp(formulas.difference(value, around))


def _shares(emitter: Emitter, x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return numbers, the largest of each row, and the sum of the exponentials less that."""
    over = dimensions_of(dim, len(x.shape))
    inner = accumulated(emitter.result.dtype)
    x = emitter.cast(x, inner)
    most = largest(emitter, x, over, True)
    grown = emitter.elementwise("exp", _grown, (x, most), inner)
    return x, most, total(emitter, grown, over, True, inner)


@lowers("_softmax.default")
def _softmax(emitter: Emitter, x: Tensor, dim: int, _half_to_float: bool) -> Tensor:
    operands = _shares(emitter, x, dim)
    result = emitter.result.dtype
    return emitter.elementwise("softmax", lambda v, m, s: _grown(v, m) / s, operands, result)


@lowers("_log_softmax.default")
def _log_softmax(emitter: Emitter, x: Tensor, dim: int, _half_to_float: bool) -> Tensor:
    def element(value: Expression, most: Expression, summed: Expression) -> Expression:
        return formulas.difference(value, most) - tirx.log(summed)

    operands = _shares(emitter, x, dim)
    return emitter.elementwise("log_softmax", element, operands, emitter.result.dtype)


@lowers("logsumexp.default")
def _logsumexp(emitter: Emitter, x: Tensor, dims: Any, keepdim: bool = False) -> Tensor:
    over = dimensions_of(dims, len(x.shape))
    inner = accumulated(emitter.result.dtype)
    name = type_name(inner)
    x = emitter.cast(x, inner)

    def finite(value: Expression) -> Expression:
        nothing = formulas.constant(0, name)
        return tirx.Select(formulas.equal(tirx.abs(value), tirx.infinity(name)), nothing, value)

    around = emitter.elementwise("finite", finite, (largest(emitter, x, over, True),), inner)
    shifted = emitter.elementwise("exp", _grown, (x, around), inner)
    summed = total(emitter, shifted, over, keepdim, inner)
    around = emitter.reshape(around, summed.shape)
    result = emitter.result.dtype
    return emitter.elementwise("log", lambda v, m: tirx.log(v) + m, (summed, around), result)
