"""Compare what the original returned with what the host returned, leaf by leaf."""

import dataclasses
import types
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dycl.looking_through import is_looked_through, looked_through
from rewriter.stand_ins import text_of

_RELATIVE_FLOOR = 1e-12
"""Below this size a reference counts as zero, and only the absolute error means anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far floats may be apart: ``absolute + relative * |reference|``, by element type."""

    absolute: float
    relative: float


TOLERANCES: Mapping[str, Tolerance] = {
    "float64": Tolerance(absolute=1e-8, relative=1e-6),
    "float32": Tolerance(absolute=1e-4, relative=1e-3),
    "float16": Tolerance(absolute=1e-2, relative=1e-2),
    "bfloat16": Tolerance(absolute=5e-2, relative=5e-2),
    "complex64": Tolerance(absolute=1e-4, relative=1e-3),
    "complex128": Tolerance(absolute=1e-8, relative=1e-6),
}
"""Wider than one operation needs: errors add up over the layers of a network."""


@dataclass(slots=True)
class Comparison:
    """What differs between two results; filled while walking them."""

    mismatches: list[str] = field(default_factory=list)
    """Differences of structure, type, shape, or of values that must be equal."""
    max_absolute: float = 0.0
    max_relative: float = 0.0
    """Largest error of a leaf, over the largest magnitude in the reference leaf; a leaf that is
    zero throughout has only an absolute error."""
    within_tolerance: bool = True
    met: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of objects that were compared already: objects may refer to each other."""

    def meets(self, original: object, host: object) -> bool:
        """Take note of a pair of objects, and return whether it is compared for the first time."""
        pair = (id(original), id(host))
        is_new = pair not in self.met
        self.met.add(pair)
        return is_new

    @property
    def same(self) -> bool:
        """Return whether nothing differs but floats within their tolerance."""
        return not self.mismatches and self.within_tolerance


def compare(original: object, host: object) -> Comparison:
    """Compare two results: containers, types, shapes, integers exactly, floats closely."""
    comparison = Comparison()
    _compare(original, host, "output", comparison)
    return comparison


def as_array(value: object) -> NDArray[np.generic]:
    """Return a tensor's or scalar array's content; bfloat16 as float32."""
    if isinstance(value, Tensor):
        plain = value.detach().cpu().resolve_conj().resolve_neg()
        return (plain.float() if plain.dtype == torch.bfloat16 else plain).numpy()
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def is_array(value: object) -> bool:
    """Return whether a value is a tensor, a numpy array or a numpy scalar."""
    return isinstance(value, Tensor | np.ndarray | np.generic)


def dtype_name(value: object) -> str:
    """Return the element type by the name that PyTorch and numpy share."""
    if isinstance(value, Tensor):
        return str(value.dtype).removeprefix("torch.")
    return np.asarray(value).dtype.name


def _compare(original: object, host: object, place: str, into: Comparison) -> None:
    original = text_of(original) or original
    if is_array(original) or is_array(host):
        _compare_arrays(original, host, place, into)
    elif isinstance(original, Mapping) and isinstance(host, Mapping):
        _compare_mappings(original, host, place, into)
    elif _is_sequence(original) and _is_sequence(host):
        _compare_sequences(original, host, place, into)
    elif isinstance(original, Enum):
        if not _is_same_key(original, host):
            into.mismatches.append(f"{place}: {original!r} became {host!r}")
    elif (attributes := attributes_of(original)) is not None:
        _compare_objects(original, attributes, host, place, into)
    elif type(original) is not type(host):
        into.mismatches.append(f"{place}: {_kind(original)} became {_kind(host)}")
    elif isinstance(original, float) and isinstance(host, float):
        _compare_numbers(np.float64(original), np.float64(host), "float32", place, into)
    elif original != host:
        into.mismatches.append(f"{place}: {original!r} became {host!r}")


def attributes_of(value: object) -> Mapping[str, object] | None:
    """Return the attributes of an object that is nothing but these, None for any other."""
    if isinstance(value, type) or callable(value):
        return None
    names = []
    if dataclasses.is_dataclass(value):
        names += [item.name for item in dataclasses.fields(value)]
    for kind in type(value).__mro__:
        if "__slots__" in vars(kind):
            slots = (n for n, m in vars(kind).items() if isinstance(m, types.MemberDescriptorType))
            names += slots
    found = {name: getattr(value, name) for name in names if hasattr(value, name)}
    if isinstance(value, BaseException):
        found["args"] = value.args
    if hasattr(value, "__dict__"):
        return {**found, **vars(value)}
    return found or None


def _compare_objects(
    original: object,
    attributes: Mapping[str, object],
    host: object,
    place: str,
    into: Comparison,
) -> None:
    """Compare objects by the names of their classes, and their attributes."""
    others = attributes_of(host)
    if _kind(original) != _kind(host) or others is None:
        into.mismatches.append(f"{place}: {_kind(original)} became {_kind(host)}")
        return
    if into.meets(original, host):
        _compare_attributes(attributes, others, place, into)


def _compare_attributes(
    attributes: Mapping[str, object], others: Mapping[str, object], place: str, into: Comparison
) -> None:
    if attributes.keys() != others.keys():
        names = f"attributes {sorted(attributes)} became {sorted(others)}"
        into.mismatches.append(f"{place}: {names}")
        return
    for name, value in attributes.items():
        _compare(value, others[name], f"{place}.{name}", into)


def _compare_mappings(
    original: Mapping[object, object],
    host: Mapping[object, object],
    place: str,
    into: Comparison,
) -> None:
    if _kind(original) != _kind(host):
        into.mismatches.append(f"{place}: {_kind(original)} became {_kind(host)}")
        return
    if len(original) != len(host) or not all(map(_is_same_key, original, host)):
        into.mismatches.append(f"{place}: keys {list(original)} became {list(host)}")
        return
    if not into.meets(original, host):
        return
    _compare_beside_items(original, host, place, into)
    for (key, value), item in zip(original.items(), host.values(), strict=True):
        _compare(value, item, f"{place}[{key!r}]", into)


def _is_same_key(original: object, host: object) -> bool:
    """Return whether two are equal; a member of an enumeration has its package's own class."""
    if _kind(original) != _kind(host):
        return False
    if isinstance(original, tuple) and isinstance(host, tuple):
        return len(original) == len(host) and all(map(_is_same_key, original, host))
    if not isinstance(original, Enum):
        return original == host or (original != original and host != host)
    return isinstance(host, Enum) and (original.name, original.value) == (host.name, host.value)


def _compare_sequences(original: object, host: object, place: str, into: Comparison) -> None:
    if _kind(original) != _kind(host):
        into.mismatches.append(f"{place}: {_kind(original)} became {_kind(host)}")
        return
    fields = [getattr(value, "_fields", None) for value in (original, host)]
    if fields[0] != fields[1]:
        into.mismatches.append(f"{place}: fields {fields[0]} became {fields[1]}")
        return
    before, after = list(_items(original)), list(_items(host))
    if len(before) != len(after):
        into.mismatches.append(f"{place}: {len(before)} items became {len(after)}")
        return
    if not into.meets(original, host):
        return
    _compare_beside_items(original, host, place, into)
    for index, (left, right) in enumerate(zip(before, after, strict=True)):
        _compare(left, right, f"{place}[{index}]", into)


def _compare_beside_items(original: object, host: object, place: str, into: Comparison) -> None:
    """Compare what containers have beside their items: attributes, a bound, what is missing."""
    _compare_attributes(attributes_of(original) or {}, attributes_of(host) or {}, place, into)
    for name in ("maxlen", "default_factory"):
        before, after = getattr(original, name, None), getattr(host, name, None)
        if getattr(before, "__name__", before) != getattr(after, "__name__", after):
            into.mismatches.append(f"{place}: {name} {before} became {after}")


def _compare_arrays(original: object, host: object, place: str, into: Comparison) -> None:
    if not (is_array(original) and is_array(host)):
        into.mismatches.append(f"{place}: {_kind(original)} became {_kind(host)}")
        return
    left, right = as_array(original), as_array(host)
    if dtype_name(original) != dtype_name(host):
        into.mismatches.append(
            f"{place}: element type {dtype_name(original)} became {dtype_name(host)}"
        )
    if left.shape != right.shape:
        into.mismatches.append(f"{place}: shape {left.shape} became {right.shape}")
    elif left.dtype.kind in "fc" and right.dtype.kind in "fc":
        _compare_numbers(left, right, dtype_name(original), place, into)
    elif (unequal := int(np.count_nonzero(left != right))) > 0:
        into.mismatches.append(f"{place}: {unequal} of {left.size} values differ")


def _compare_numbers(
    original: NDArray[np.generic] | np.generic,
    host: NDArray[np.generic] | np.generic,
    dtype: str,
    place: str,
    into: Comparison,
) -> None:
    left, right = _wide(original), _wide(host)
    if left.size == 0:
        return
    special = ~np.isfinite(left) | ~np.isfinite(right)
    # nan where nan was, and the same infinities, are equal; anything else there is not
    equal = (left == right) | (np.isnan(left) & np.isnan(right))
    if (wrong := int(np.count_nonzero(special & ~equal))) > 0:
        into.mismatches.append(f"{place}: {wrong} of {left.size} values are nan or inf on one side")
    left, right = left[~special], right[~special]
    if left.size == 0:
        return
    difference = np.abs(left - right)
    tolerance = TOLERANCES.get(dtype, TOLERANCES["float32"])
    allowed = tolerance.absolute + tolerance.relative * np.abs(left)
    absolute = float(difference.max())
    magnitude = float(np.abs(left).max())
    into.max_absolute = max(into.max_absolute, absolute)
    if magnitude > _RELATIVE_FLOOR:
        into.max_relative = max(into.max_relative, absolute / magnitude)
    into.within_tolerance &= bool((difference <= allowed).all())


def _wide(array: NDArray[np.generic] | np.generic) -> NDArray[np.complexfloating | np.floating]:
    flat = np.atleast_1d(np.asarray(array))
    return flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)


def _is_sequence(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset | deque) or is_looked_through(value)


def _items(value: object) -> Iterator[object]:
    if isinstance(value, set | frozenset):
        return iter(sorted(value, key=repr))
    return iter(looked_through(value))


def _kind(value: object) -> str:
    if isinstance(value, Tensor | np.ndarray):
        return "a tensor"
    if isinstance(value, tuple) and type(value).__module__.startswith("torch"):
        return "a tuple"  # a size, or the values and places that an operation gives
    return f"a {type(value).__name__}"
