"""Arguments that a call writes: the caller's memory changes, or the call is refused."""

from pathlib import Path

import numpy as np
import pytest
import torch

import dycl


def add_into(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Write into the first argument."""
    x += y
    return y * 2


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("packages") / "add_into_dycl"
    dycl.compile(add_into, (torch.zeros(3), torch.zeros(3)), output=str(output))
    return output


def test_arrays_and_tensors_are_written(package: Path) -> None:
    model = dycl.load(package)
    array, tensor = np.ones(3, np.float32), torch.ones(3)
    model(array, np.full(3, 2, np.float32))
    model(tensor, np.full(3, 2, np.float32))
    np.testing.assert_array_equal(array, np.full(3, 3, np.float32))
    assert torch.equal(tensor, torch.full((3,), 3.0))


def test_memory_that_cannot_be_written_is_refused(package: Path) -> None:
    model = dycl.load(package)
    frozen = np.ones(3, np.float32)
    frozen.flags.writeable = False
    strided = np.ones(6, np.float32)[::2]
    for bad in (frozen, strided):
        with pytest.raises(ValueError, match=r"x: expected an array .* that may be written to"):
            model(bad, np.ones(3, np.float32))


def test_arguments_that_share_memory_are_refused(package: Path) -> None:
    model = dycl.load(package)
    memory = np.ones(4, np.float32)
    for one, two in ((memory[:3], memory[1:]), (memory[:3], memory[:3])):
        with pytest.raises(ValueError, match="x: is written to, and shares memory with y"):
            model(one, two)
