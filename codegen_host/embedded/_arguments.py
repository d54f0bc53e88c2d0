"""What the arguments of a call must be."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NoReturn, Protocol

import numpy as np

from ._callables import NoFingerprint, fingerprint
from ._changed import as_changed
from ._sizes import InputError, Sizes, derived

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

    def __init__(self, dtype: str, *shape: int | str | derived) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = shape

    def __str__(self) -> str:
        return f"an array {_described(self.dtype, self.shape)}"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the value as an array in row-major order."""
        found = value if type(value) is np.ndarray else self._as_array(place, value)
        if found.dtype != self.dtype or len(found.shape) != len(self.shape):
            _refuse(place, self, f"an array {_described(found.dtype, found.shape)}")
        if found.shape != self.shape:
            self._require_fit(place, found, sizes)
        made = np.asarray(found, order="C")
        sizes.arrays.append((place, made))
        return made

    def _as_array(self, place: str, value: Any) -> Any:
        if hasattr(value, "detach"):  # a PyTorch tensor, which may require gradients
            value = value.detach().cpu()
        if not hasattr(value, "__array__") or isinstance(value, type):
            _refuse(place, self, _kind(value))
        try:
            return np.asarray(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"{place}: expected {self}, got {_kind(value)}: {error}") from error

    def _require_fit(self, place: str, found: Any, sizes: Sizes) -> None:
        for wanted, size in zip(self.shape, found.shape, strict=True):
            problem = sizes.problem(place, wanted, size)
            if problem is not None:
                came = f"an array {_described(found.dtype, found.shape)}"
                _refuse(place, f"{self}{problem}", came)


_NUMPY_KINDS: dict[type, type] = {bool: np.bool_, int: np.integer, float: np.floating}


class written:
    """An array that the call changes, as the original does: the caller's own."""

    def __init__(self, spec: array) -> None:
        self.spec = spec

    def __str__(self) -> str:
        return f"{self.spec} that may be written to, contiguous and in the host's memory"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the caller's array itself."""
        made = self.spec.check(place, value, sizes)
        own = value if isinstance(value, np.ndarray) else _memory_of(value)
        if own is None or not own.flags.writeable or not own.flags.c_contiguous:
            _refuse(place, self, "one that is not")
        if not np.shares_memory(own, made) and made.size:
            _refuse(place, self, "one that is not")
        sizes.written.append((place, made))
        return made


def _memory_of(value: Any) -> Any:
    """Return the array over a tensor's memory, None where it is not the host's."""
    on_host = str(getattr(value, "device", "")) == "cpu" and hasattr(value, "numpy")
    return value.detach().numpy() if on_host else None


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
        _refuse(place, self, _shown(value))


class fixed:
    """A value that was fixed when the model was compiled."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __str__(self) -> str:
        return f"{self.value!r}, which was fixed at compile time"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the value, which must be the one compiled for."""
        if not _same(value, self.value):
            _refuse(place, self, _shown(value))
        return value


class same:
    """A function, class or the like that was fixed when the model was compiled."""

    def __init__(self, name: str, content: str) -> None:
        self.name = name
        self.content = content

    def __str__(self) -> str:
        return f"{self.name}, which was fixed at compile time"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the value, which must do what the one compiled for does."""
        try:
            content = fingerprint(value)
        except NoFingerprint:
            _refuse(place, self, _shown(value))
        if content != self.content:
            _refuse(place, self, f"another one, {_shown(value)}")
        return value


class left_out:
    """An argument that the call must leave out: it was compiled with its default."""

    def __str__(self) -> str:
        return "nothing: the model was compiled with this argument left out"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Refuse any value."""
        _refuse(place, self, _shown(value))


class record:
    """An object of any class that has certain attributes."""

    def __init__(
        self,
        name: str,
        attributes: Mapping[str, Spec],
        *,
        absent: Sequence[str] = (),
        whole: bool = False,
    ) -> None:
        self.name = name
        self.attributes = attributes
        self.absent = absent
        self.whole = whole

    def __str__(self) -> str:
        return f"an object like a {self.name}, with the attributes {list(self.attributes)}"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return an object with the attributes that the compiled model reads."""
        found: dict[str, Any] = {}
        sizes.containers.append((place, value))
        for name, spec in self.attributes.items():
            try:
                part = getattr(value, name)
            except AttributeError:
                _refuse(f"{place}.{name}", describe(spec), f"{_kind(value)} without it")
            found[name] = check(spec, f"{place}.{name}", part, sizes)
        others = set(getattr(value, "__dict__", ())) - set(found) if self.whole else set()
        for name in [*self.absent, *sorted(others)]:
            if hasattr(value, name):
                _refuse(
                    f"{place}.{name}", "nothing: the example had none", _shown_part(value, name)
                )
        return SimpleNamespace(**found)


class changed:
    """A list, dict or object that the call changes, as the original does: the caller's own."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def __str__(self) -> str:
        return describe(self.spec)

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the converted content; what is written to it is written to the caller's own."""
        content = check(self.spec, place, value, sizes)
        sizes.changed.append((place, value))
        return as_changed(content, value)


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
        _refuse(place, describe(spec), _kind(value))
    if len(value) != len(spec):
        _refuse(place, describe(spec), f"one of {len(value)}")
    sizes.containers.append((place, value))
    items = (
        check(part, f"{place}[{index}]", item, sizes)
        for index, (part, item) in enumerate(zip(spec, value, strict=True))
    )
    return list(items) if isinstance(spec, list) else tuple(items)


def _check_dict(spec: Mapping[Any, Spec], place: str, value: Any, sizes: Sizes) -> Any:
    if not isinstance(value, Mapping):
        _refuse(place, describe(spec), _kind(value))
    if list(value) != list(spec):  # in this order: the model may go through them
        _refuse(place, describe(spec), f"one with the keys {list(value)}")
    sizes.containers.append((place, value))
    return {key: check(part, f"{place}[{key!r}]", value[key], sizes) for key, part in spec.items()}


def _refuse(place: str, expected: object, came: str) -> NoReturn:
    raise InputError(f"{place}: expected {expected}, got {came}")


def _described(dtype: object, shape: Sequence[int | str | derived]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


def _kind(value: object) -> str:
    return f"a value of type {type(value).__name__}"


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def _shown_part(value: object, name: str) -> str:
    return _shown(getattr(value, name))


def _same(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(right, dict):
        return list(left) == list(right) and all(_same(left[key], right[key]) for key in right)
    return bool(left == right or (left != left and right != right))
