"""Arguments of the user's classes of lists and dicts: nothing is seen of them but their items."""

from collections import OrderedDict
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import dycl
from rewriter.diagnostics import CompileError


class Rows(list[Any]):
    """A list that may be marked."""


@dataclass
class Encoded(OrderedDict[str, Any]):
    """What an encoder gives: fields that are something are items, too."""

    last: Any = None
    mask: Any = None

    def __post_init__(self) -> None:
        """Make items of the fields."""
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None:
                self[each.name] = value


def marked(rows: Any, x: torch.Tensor) -> torch.Tensor:
    """Ask for what only some arguments have."""
    return x * 2 if hasattr(rows, "mark") else x + rows[0]


def masked(encoded: Any, x: torch.Tensor) -> torch.Tensor:
    """Read a field that is None in the example."""
    y: torch.Tensor = encoded.last + x if encoded.mask is None else encoded.mask * x
    return y


def numbers(*values: float) -> np.ndarray:
    """Return an array as the hosts take it."""
    return np.array(values, np.float32)


def test_attributes_that_are_no_items_are_no_arguments(tmp_path: Path) -> None:
    """The example has no mark, so the program was compiled for arguments without one."""
    host = dycl.compile(marked, (Rows([1.0]), torch.ones(2)), output=tmp_path / "marked_dycl")
    assert host(Rows([2.0]), numbers(3, 4)).tolist() == [5, 6]
    assert host([2.0], numbers(3, 4)).tolist() == [5, 6]
    given = Rows([2.0])
    given.mark = 1  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"rows: .* its items, got .*attribute 'mark'"):
        host(given, numbers(3, 4))


def test_fields_are_items_or_none(tmp_path: Path) -> None:
    example = (Encoded(last=torch.ones(2)), torch.ones(2))
    host = dycl.compile(masked, example, output=tmp_path / "masked_dycl")
    given = Encoded(last=numbers(1, 2))
    assert host(given, numbers(3, 4)).tolist() == [4, 6]
    given.mask = numbers(0, 1)
    with pytest.raises(ValueError, match="attribute 'mask'"):
        host(given, numbers(3, 4))
    given.mask, given.last = None, numbers(7, 7)
    with pytest.raises(ValueError, match="attribute 'last'"):
        host(given, numbers(3, 4))


def test_lists_of_any_length_are_plain(tmp_path: Path) -> None:
    options = dycl.CompileOptions(run_time_lists=("rows",))
    example = (Rows([1.0]), torch.ones(2))
    with pytest.raises(CompileError, match="DYCL072"):
        dycl.compile(marked, example, output=tmp_path / "marked_dycl", options=options)
