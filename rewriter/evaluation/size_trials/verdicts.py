"""What an operation does at every size on a path."""

from dataclasses import dataclass
from typing import TypeAlias

import sympy
import torch

from rewriter.evaluation.observation import Observer

Related: TypeAlias = tuple[tuple[torch.Tensor, torch.Tensor], ...]
"""Pairs of tensors that share memory at some sizes."""


@dataclass(frozen=True, slots=True)
class Computed:
    """The operation gives this at every size on the path."""

    result: object
    observer: Observer
    related: Related
    facts: frozenset[sympy.Basic]
    """What holds of the sizes that the operation made."""
    assumed: tuple[sympy.Basic, ...] = ()
    """The answers under which it was run."""


@dataclass(frozen=True, slots=True)
class Split:
    """It depends on a relation what the operation gives."""

    relation: sympy.Basic


@dataclass(frozen=True, slots=True)
class Raises:
    """The operation raises where the relation holds."""

    relation: sympy.Basic
    error: Exception


@dataclass(frozen=True, slots=True)
class Undecided:
    """No test of sizes explains what the operation gives."""

    reason: str


Verdict: TypeAlias = Computed | Split | Raises | Undecided


class NotDense(Exception):
    """The operation gives a tensor that is no array in memory."""
