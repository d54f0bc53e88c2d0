"""The zoo's models by name; the entries are in `zoo/families/`, one file per family."""

from zoo.comparisons import BATCHED, COMPARISONS
from zoo.entry import Entry, Family
from zoo.families import (
    dynamic_shape,
    dynamic_structure,
    early_exit,
    generation,
    routing,
    skipping,
)
from zoo.families.skipping import GROWTH

__all__ = [
    "BATCHED",
    "CATALOG",
    "COMPARISONS",
    "GROWTH",
    "IMPORTED",
    "PICTURES",
    "SEQUENCES",
    "Entry",
    "Family",
]

CATALOG = (
    *skipping.ENTRIES,
    *early_exit.ENTRIES,
    *generation.ENTRIES,
    *dynamic_shape.ENTRIES,
    *dynamic_structure.ENTRIES,
    *routing.ENTRIES,
)
"""Every model, family by family."""

IMPORTED = ("sklearn.datasets",)
"""What `zoo/digits.py` imports only when it is asked for digits."""

PICTURES = tuple(entry for entry in CATALOG if entry.pictures)
"""Networks that see one picture of a digit and decide on the way."""

SEQUENCES = tuple(entry for entry in CATALOG if not entry.pictures)
"""Decoders, trees and routing: loops, recursion and sizes that depend on the input."""
