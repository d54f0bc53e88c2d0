"""What the arguments of a call must be."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np

from ._sizes import InputError, Sizes, derived, multiple

Spec = Any
"""An ``ArgumentSpec``, or a list, tuple or dict of specs: the same container of arguments."""


class ArgumentSpec(Protocol):
    """What an argument must be; its text says it in words."""

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the argument as the compiled model takes it, or raise InputError."""
        ...


class array:
    """An array, or a tensor of any library that converts to one, of one dtype and shape.

    A size that is a name stands for any size within its bounds, the same wherever the name is
    used.
    """

    def __init__(self, dtype: str, *shape: int | str | derived | multiple) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = shape

    def __str__(self) -> str:
        return f"an array {_described(self.dtype, self.shape)}"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the value as an array in row-major order."""
        found = value if type(value) is np.ndarray else self._as_array(place, value)
        if found.dtype != self.dtype or len(found.shape) != len(self.shape):
            refuse(place, self, f"an array {_described(found.dtype, found.shape)}")
        if found.shape != self.shape:
            self._require_fit(place, found, sizes)
        made = np.asarray(found, order="C")
        sizes.arrays.append((place, made))
        return made

    def _as_array(self, place: str, value: Any) -> Any:
        if hasattr(value, "detach"):  # a PyTorch tensor, which may require gradients
            value = value.detach().cpu()
        if not hasattr(value, "__array__") or isinstance(value, type):
            refuse(place, self, kind_of(value))
        try:
            return np.asarray(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"{place}: expected {self}, got {kind_of(value)}: {error}") from error

    def _require_fit(self, place: str, found: Any, sizes: Sizes) -> None:
        for wanted, size in zip(self.shape, found.shape, strict=True):
            problem = sizes.problem(place, wanted, size)
            if problem is not None:
                came = f"an array {_described(found.dtype, found.shape)}"
                refuse(place, f"{self}{problem}", came)


_NUMPY_KINDS: dict[type, type] = {bool: np.bool_, int: np.integer, float: np.floating}


class number:
    """A Python number of one type; numpy's scalars of that kind are taken too."""

    def __init__(self, *types: type) -> None:
        self.types = types or (bool, int, float)

    def __str__(self) -> str:
        return f"a Python {' or '.join(type_.__name__ for type_ in self.types)}"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the value as a Python number."""
        for type_ in self.types:
            if type(value) is type_:
                return value
            if isinstance(value, _NUMPY_KINDS[type_]):
                return type_(value)
        refuse(place, self, shown(value))


def check(spec: Spec, place: str, value: Any, sizes: Sizes) -> Any:
    """Return an argument in the form that the compiled model takes, or raise InputError."""
    if isinstance(spec, dict):
        return _check_dict(spec, place, value, sizes)
    if isinstance(spec, list | tuple):
        return _check_sequence(spec, place, value, sizes)
    return spec.check(place, value, sizes)


def describe(spec: Spec) -> str:
    """Return what is expected, in words."""
    if isinstance(spec, dict):
        return f"a dict with the keys {list(spec)}, in this order"
    if isinstance(spec, list | tuple):
        return f"a {type(spec).__name__} of {len(spec)}"
    return str(spec)


def _check_sequence(spec: Sequence[Spec], place: str, value: Any, sizes: Sizes) -> Any:
    if not isinstance(value, type(spec)):
        refuse(place, describe(spec), kind_of(value))
    if len(value) != len(spec):
        refuse(place, describe(spec), f"one of {len(value)}")
    sizes.containers.append((place, value))
    items = (
        check(part, f"{place}[{index}]", item, sizes)
        for index, (part, item) in enumerate(zip(spec, value, strict=True))
    )
    return list(items) if isinstance(spec, list) else tuple(items)


def _check_dict(spec: Mapping[Any, Spec], place: str, value: Any, sizes: Sizes) -> Any:
    if not isinstance(value, Mapping):
        refuse(place, describe(spec), kind_of(value))
    if list(value) != list(spec):  # in this order: the model may go through them
        refuse(place, describe(spec), f"one with the keys {list(value)}")
    sizes.containers.append((place, value))
    return {key: check(part, f"{place}[{key!r}]", value[key], sizes) for key, part in spec.items()}


def refuse(place: str, expected: object, came: str) -> NoReturn:
    """Raise InputError for an argument that does not fit."""
    raise InputError(f"{place}: expected {expected}, got {came}")


def _described(dtype: object, shape: Sequence[int | str | derived | multiple]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


def kind_of(value: object) -> str:
    """Return what a value is, in words."""
    return f"a value of type {type(value).__name__}"


def shown(value: object) -> str:
    """Return a value as text that is not too long."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
