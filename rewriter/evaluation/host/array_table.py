"""What one partial evaluation knows of the memory of numpy's arrays."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TypeAlias

from rewriter.array_samples import Array

Site: TypeAlias = tuple[str, int, int, int]
"""An expression of the program: file, line, first and last column."""


@dataclass(slots=True)
class ArrayTable:
    """What is known of the memory of numpy's arrays (see ``array_memory``)."""

    made: dict[int, tuple[Array, Site]] = field(default_factory=dict)
    """Arrays that are known and were made in the call, by id, and the expressions that did it."""
    count: int = 0
    made_in: dict[tuple[object, int], tuple[object, ...]] = field(default_factory=dict)
    """The rolled loops in which memory was made."""
    written_in: dict[tuple[object, int], list[object]] = field(default_factory=dict)
    """The rolled loops in which it was written."""
    exported: set[tuple[object, int]] = field(default_factory=set)
    """Memory over which tensors lie."""
    of_tensors: set[tuple[object, int]] = field(default_factory=set)
    """That of tensors which nobody looks at any more: the host copies it where it is written."""
    places: dict[str, tuple[tuple[Hashable, tuple[int, ...]], ...]] = field(default_factory=dict)
    """Which places of containers hold arrays that are not written there, by variable."""
    shared: set[tuple[object, int]] = field(default_factory=set)
    """Memory of arrays that such places hold as ones that are written."""
    over_any: bool = False
    """Whether a tensor was made of an array whose memory may be any."""
