"""Parts of a tensor at places that only the run knows: ``x[j]``, ``x[:, j]``, ``x[i, :, j]``."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import sympy
import torch

from rewriter.size_expressions import key_of, keys_of
from rewriter.values import Known, TensorValue, Value

Offset: TypeAlias = "int | sympy.Basic"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPlaces:
    """Some place along some dimensions of a tensor."""

    source: torch.Tensor
    dimensions: frozenset[int]
    places: tuple[Value, ...]
    """The index, of which ``source`` has the parts that are no integers of run time."""

    @property
    def layout(self) -> list[tuple[Hashable, Hashable]]:
        """Return sizes and steps in memory of what lies there."""
        sizes, steps = keys_of(self.source.shape), keys_of(self.source.stride())
        pairs = enumerate(zip(sizes, steps, strict=True))
        return [pair for place, pair in pairs if place not in self.dimensions]

    def is_apart_or_all_of(self, view: torch.Tensor) -> bool:
        """Return whether a view is another such part of the tensor, or this one, wherever it is.

        Two parts at places along the same dimensions share every element or none, where each
        element of the tensor has memory of its own.
        """
        source = self.source
        if view.dtype != source.dtype or _flags(view) != _flags(source):
            return False
        layout = [*zip(keys_of(source.shape), keys_of(source.stride()), strict=True)]
        if self.layout != [*zip(keys_of(view.shape), keys_of(view.stride()), strict=True)]:
            return False
        distance = (key_of(view.storage_offset()), key_of(source.storage_offset()))
        return self._is_reached(layout, distance)

    def _is_reached(
        self, layout: list[tuple[Hashable, Hashable]], offsets: "tuple[Offset, Offset]"
    ) -> bool:
        """Return whether steps along the dimensions lead from the tensor's first element there."""
        steps = _nested([pair for pair in enumerate(layout) if pair[1][0] != 1])
        left = _difference(*offsets)
        if steps and not isinstance(left, int) and steps[0][0] in self.dimensions:
            # As many steps along the first dimension as sizes say: ``x[-1]``.
            left = _beyond_steps(left, steps[0][2])
            steps = steps[1:]
        if steps is None or not isinstance(left, int) or left < 0:
            return False
        for dimension, size, step in steps:
            if dimension in self.dimensions:
                taken, left = divmod(left, step)
                if size is not None and taken >= size:
                    return False
        return left == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPart(ChosenPlaces):
    """What a tensor holds at such a place, in memory of its own."""

    part: torch.Tensor
    taken_of: TensorValue | Known


def has_own_elements(tensor: torch.Tensor) -> bool:
    """Return whether each element of a tensor surely has memory of its own."""
    layout = zip(keys_of(tensor.shape), keys_of(tensor.stride()), strict=True)
    return _nested([pair for pair in enumerate(layout) if pair[1][0] != 1]) is not None


def _flags(tensor: torch.Tensor) -> tuple[bool, bool]:
    return tensor.is_conj(), tensor.is_neg()


def _difference(last: "Offset", first: "Offset") -> "Offset":
    if isinstance(last, int) and isinstance(first, int):
        return last - first
    return sympy.expand(last - first)


def _beyond_steps(distance: "sympy.Basic", step: int) -> int | None:
    """Return what a distance is more than whole steps, less than one; None if it is not known."""
    left = 0
    for term, times in distance.as_coefficients_dict().items():
        if term == 1 and times.is_Integer:
            left = int(times) % step
        elif not (term.is_integer and times.is_Integer and times % step == 0):
            return None
    return left


def _nested(
    layout: Iterable[tuple[int, tuple[Hashable, Hashable]]],
) -> list[tuple[int, int | None, int]] | None:
    """Return dimensions with size and step, each within one step of that before; None if not so.

    The size of the first one need not be known.
    """
    known = [(place, size, step) for place, (size, step) in layout if isinstance(step, int)]
    if len(known) < len([*layout]):
        return None
    found: list[tuple[int, int | None, int]] = []
    for place, size, step in sorted(known, key=lambda each: -each[2]):
        if not isinstance(size, int) and found:
            return None
        extent = step * size if isinstance(size, int) else 0
        if step <= 0 or (found and extent > found[-1][2]):
            return None
        found.append((place, size if isinstance(size, int) else None, step))
    return found
