"""An object that a result holds twice is one object for the caller."""

from pathlib import Path
from typing import Any

import torch

import dycl
from rewriter.printing import runnable


def twice(x: torch.Tensor, n: int) -> Any:
    """Return a list in a dict, beside it, and in a list that is returned twice."""
    row = [x]
    around = [row, n]
    return {"row": row, "around": around}, row, around


def assert_shared(result: Any) -> None:
    """Assert that what was one object is one."""
    table, row, around = result
    assert table["row"] is row and around[0] is row and table["around"] is around


def test_one_object_stays_one(tmp_path: Path) -> None:
    """In the rewritten program, and in the host package."""
    example = (torch.ones(2), 3)
    program = dycl.rewrite(twice, example)
    assert_shared(runnable(program, None)(*example))
    host = dycl.compile(twice, example, output=tmp_path / "twice_dycl")
    assert_shared(host(torch.ones(2).numpy(), 3))
