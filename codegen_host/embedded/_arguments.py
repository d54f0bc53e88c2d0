"""What the arguments of a call must be, and the error that says what they are instead."""

from collections.abc import Mapping

import numpy as np


class InputError(ValueError):
    """A call does not fit what was compiled. Names argument, what was expected, what came."""


def _refuse(place, expected, came):
    raise InputError(f"{place}: expected {expected}, got {came}")


class array:
    """An array, or a tensor of any library that converts to one, of one dtype and shape.

    A size that is a name stands for any size, the same wherever the name is used.
    """

    def __init__(self, dtype, *shape):
        self.dtype = np.dtype(dtype)
        self.shape = shape
        self._any_size = any(isinstance(size, str) for size in shape)

    def __str__(self):
        return f"an array {_described(self.dtype, self.shape)}"

    def check(self, place, value, sizes):
        """Return the value as a contiguous array."""
        found = value if type(value) is np.ndarray else self._as_array(place, value)
        if found.dtype != self.dtype or (found.shape != self.shape and not self._fits(found, sizes)):
            _refuse(place, self, f"an array {_described(found.dtype, found.shape)}")
        return np.asarray(found, order="C")

    def _as_array(self, place, value):
        if hasattr(value, "detach"):  # a PyTorch tensor, which may require gradients
            value = value.detach().cpu()
        if not hasattr(value, "__array__") or isinstance(value, type):
            _refuse(place, self, _kind(value))
        try:
            return np.asarray(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"{place}: expected {self}, got {_kind(value)}: {error}") from error

    def _fits(self, found, sizes):
        if not self._any_size or len(found.shape) != len(self.shape):
            return False
        return all(
            sizes.setdefault(expected, size) == size if isinstance(expected, str) else expected == size
            for expected, size in zip(self.shape, found.shape, strict=True)
        )


class number:
    """A Python number of one type; numpy's scalars of that kind are taken too."""

    _KINDS = {bool: np.bool_, int: np.integer, float: np.floating}

    def __init__(self, *types):
        self.types = types or (bool, int, float)

    def __str__(self):
        return " or ".join(type_.__name__ for type_ in self.types)

    def check(self, place, value, sizes):
        """Return the value as a Python number."""
        for type_ in self.types:
            if type(value) is type_:
                return value
            if isinstance(value, self._KINDS[type_]):
                return type_(value)
        _refuse(place, f"a Python {self}", _kind(value, show=True))


class fixed:
    """A value that was fixed when the model was compiled."""

    def __init__(self, value):
        self.value = value

    def __str__(self):
        return f"{self.value!r}, which was fixed at compile time"

    def check(self, place, value, sizes):
        """Return the value, which must be the one compiled for."""
        if not _same(value, self.value):
            _refuse(place, self, _kind(value, show=True))
        return value


class left_out:
    """An argument that the call must leave out: it was compiled with its default."""

    def __str__(self):
        return "nothing: the model was compiled with this argument left out"

    def check(self, place, value, sizes):
        """Refuse any value but the placeholder for the default."""
        if value is not Ellipsis:
            _refuse(place, self, _kind(value, show=True))
        return value


def check(spec, place, value, sizes):
    """Return an argument in the form that the compiled model takes, or raise InputError."""
    if isinstance(spec, dict):
        return _check_dict(spec, place, value, sizes)
    if not isinstance(spec, (list, tuple)):
        return spec.check(place, value, sizes)
    if not isinstance(value, type(spec)):
        _refuse(place, f"a {type(spec).__name__} of {len(spec)}", _kind(value))
    if len(value) != len(spec):
        _refuse(place, f"a {type(spec).__name__} of {len(spec)}", f"one of {len(value)}")
    items = (
        check(part, f"{place}[{index}]", item, sizes)
        for index, (part, item) in enumerate(zip(spec, value, strict=True))
    )
    return type(spec)(items)


def _check_dict(spec, place, value, sizes):
    if not isinstance(value, Mapping):
        _refuse(place, f"a dict with the keys {list(spec)}", _kind(value))
    if set(value) != set(spec):
        _refuse(place, f"a dict with the keys {list(spec)}", f"one with the keys {list(value)}")
    return {key: check(part, f"{place}[{key!r}]", value[key], sizes) for key, part in spec.items()}


def describe(spec):
    """Return what is expected, in words."""
    if isinstance(spec, dict):
        return f"a dict with the keys {list(spec)}"
    if isinstance(spec, (list, tuple)):
        return f"a {type(spec).__name__} of {len(spec)}"
    return str(spec)


def _described(dtype, shape):
    return f"{dtype}[{', '.join(map(str, shape))}]"


def _kind(value, show=False):
    if show:
        text = repr(value)
        return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
    return f"a value of type {type(value).__name__}"


def _same(left, right):
    if type(left) is not type(right):
        return False
    if isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(right, dict):
        return list(left) == list(right) and all(_same(left[key], right[key]) for key in right)
    return left == right or (left != left and right != right)
