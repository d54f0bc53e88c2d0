"""Samples of arrays of the host, and of those whose size is known only at run time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy

Array: TypeAlias = numpy.ndarray[Any, numpy.dtype[Any]]


@dataclass(frozen=True, slots=True)
class OpenArray:
    """Stands for an array, as the ``sample`` of a ``HostValue``, whose size is not known.

    It is no array, so that nothing takes the size of a sample for the size of the array.
    """

    dtype: "numpy.dtype[Any]"
    shape: tuple[int | None, ...]
    """The sizes; None for one that is known only at run time."""

    @property
    def ndim(self) -> int:
        """Return the number of dimensions, which is known."""
        return len(self.shape)


def is_array(sample: object) -> bool:
    """Return whether a sample stands for an array."""
    return isinstance(sample, numpy.ndarray | OpenArray)


def class_of_sample(sample: object) -> type:
    """Return the class of the object that a sample stands for."""
    return numpy.ndarray if isinstance(sample, OpenArray) else type(sample)


def joined_sample(samples: Sequence[Array | OpenArray]) -> Array | OpenArray | None:
    """Return what stands for any of several arrays; None where types or ranks differ."""
    first = samples[0]
    if len({(sample.dtype, sample.ndim) for sample in samples}) > 1:
        return None
    shapes = zip(*(sample.shape for sample in samples), strict=True)
    shape = tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in shapes)
    if None in shape:
        return OpenArray(first.dtype, shape)
    return first


def covers(wide: object, narrow: object) -> bool:
    """Return whether an array like one sample may stand where one like another is asked."""
    if not isinstance(wide, OpenArray) or not isinstance(narrow, numpy.ndarray | OpenArray):
        return False
    joined = joined_sample([wide, narrow])
    return isinstance(joined, OpenArray) and joined.shape == wide.shape


def made_definite(content: Array) -> Array:
    """Return square matrices that have an inverse and a factorization; others as they are."""
    square = content.ndim > 1 and content.shape[-1] == content.shape[-2]
    if not square or not numpy.issubdtype(content.dtype, numpy.inexact):
        return content
    both = content + content.swapaxes(-1, -2)
    large = numpy.eye(content.shape[-1]) * (1 + abs(both).sum())
    return numpy.asarray(both + large, content.dtype)
