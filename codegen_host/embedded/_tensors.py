"""Arrays made of numbers, as ``torch.tensor`` makes tensors: what does not fit raises alike.

And arrays made of lists of arrays that are alike, as ``torch.stack`` and ``torch.cat`` make them.
"""

from typing import Any

import numpy as np

_INT64 = np.dtype(np.int64)
_LONG = np.iinfo(np.int64)
_LARGEST = {str(np.dtype(kind)): float(np.finfo(kind).max) for kind in "efd"}


def make_tensor(values: Any, dtype: str) -> Any:
    """Return an array of a number, of nested lists and tuples of numbers, or of an array.

    A lone integer for an array of floats is one that a tensor meets: it has 64 bits at most.
    """
    if dtype == "int64" and type(values) is list and _are_integers(values):
        try:
            return np.array(values, _INT64)
        except OverflowError:
            pass  # what follows says what is wrong
    kind = np.dtype(dtype)
    if isinstance(values, np.ndarray):
        return np.array(values, kind)
    if kind.kind in "iu":
        return np.array(_integers(values, kind), kind)
    if type(values) is int and kind.kind == "f":
        _require_operand(values)
    with np.errstate(over="ignore"):  # numbers that are too large become infinite, silently
        return np.array(values, kind)


def make_element(number: Any, dtype: str) -> Any:
    """Return an array of a number that becomes an element, of floats: it must not be beyond all."""
    if abs(number) > _LARGEST[dtype] and abs(number) != np.inf:
        raise _overflow(np.dtype(dtype))
    return make_tensor(number, dtype)


def _require_operand(number: int) -> None:
    """Raise as PyTorch does where a tensor meets an integer of more than 64 bits."""
    if number < _LONG.min:
        raise OverflowError("can't convert negative int to unsigned")
    if number >> 64 > 0:
        raise OverflowError("int too big to convert")


def stack_tensors(arrays: Any, dim: int) -> Any:
    """Return an array of arrays of one type and shape, row by row in memory."""
    first = arrays[0]
    shape = list(first.shape)
    shape.insert(dim, len(arrays))
    return np.stack(arrays, dim, out=np.empty(shape, first.dtype))


def cat_tensors(arrays: Any, dim: int) -> Any:
    """Return arrays of one type and shape one after the other along a dimension."""
    first = arrays[0]
    shape = list(first.shape)
    shape[dim] *= len(arrays)
    return np.concatenate(arrays, dim, out=np.empty(shape, first.dtype))


def _are_integers(values: list[Any]) -> bool:
    if len(values) == 1:  # most often: a word
        return type(values[0]) is int
    return {*map(type, values)} == {int}


def _integers(values: Any, kind: Any) -> Any:
    if isinstance(values, list | tuple):
        return [_integers(value, kind) for value in values]
    limits = np.iinfo(kind)
    if isinstance(values, float):
        # As floats: the largest int64 is rounded up to a number that is just too large.
        if not float(limits.min) <= values <= float(limits.max):
            raise _overflow(kind)
        return limits.min if values > limits.max else int(values)
    if not _LONG.min <= values <= _LONG.max:
        raise ValueError("Overflow when unpacking long long")
    lowest = -limits.max if kind.kind == "u" else limits.min
    if not lowest <= values <= limits.max:
        raise _overflow(kind)
    return values + limits.max + 1 if values < limits.min else int(values)


def _overflow(kind: Any) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {kind.name} without overflow")
