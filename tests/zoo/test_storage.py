"""Weights files: written whole or not at all, refused where they do not fit."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from zoo import storage
from zoo.storage import load_weights, save_weights


@pytest.fixture(autouse=True)
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(storage, "WEIGHTS", tmp_path)
    return tmp_path


def test_what_was_saved_is_loaded(weights: Path) -> None:
    torch.manual_seed(0)
    saved, loaded = nn.Linear(3, 2), nn.Linear(3, 2)
    assert save_weights(saved, "linear") == weights / "linear.safetensors"
    load_weights(loaded, "linear")
    assert torch.equal(saved.weight, loaded.weight)
    assert [path.name for path in weights.iterdir()] == ["linear.safetensors"]


def test_a_module_known_by_two_names_is_stored_once() -> None:
    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm2d(2)
            self.block = nn.Sequential(self.norm)

    saved: Any = Shared()
    loaded: Any = Shared()
    saved.norm.running_mean += 7.0
    save_weights(saved, "shared")
    load_weights(loaded, "shared")
    assert torch.equal(loaded.block[0].running_mean, torch.full((2,), 7.0))


def test_a_missing_file_says_what_makes_it() -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.safetensors is missing: run the script"):
        load_weights(nn.Linear(3, 2), "nothing")


def test_weights_of_another_model_are_refused() -> None:
    save_weights(nn.Linear(3, 2), "linear")
    with pytest.raises(ValueError, match=r"unexpected=\['bias', 'weight'\]"):
        load_weights(nn.Sequential(nn.Linear(3, 2)), "linear", partial=True)


def test_only_a_partial_file_may_leave_tensors_out() -> None:
    torch.manual_seed(0)
    saved, loaded = nn.Linear(3, 2), nn.Linear(3, 2)
    weight = loaded.weight.clone()
    save_weights(saved, "bias", lambda key, _: key == "bias")
    with pytest.raises(ValueError, match=r"missing=\['weight'\]"):
        load_weights(loaded, "bias")
    load_weights(loaded, "bias", partial=True)
    assert torch.equal(loaded.bias, saved.bias)
    assert torch.equal(loaded.weight, weight)


def test_a_failed_write_leaves_the_old_file(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save_weights(nn.Linear(3, 2), "linear")
    before = path.read_bytes()

    def disk_full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", disk_full)
    with pytest.raises(OSError, match="no space left"):
        save_weights(nn.Linear(3, 2), "linear")
    assert path.read_bytes() == before
    assert [entry.name for entry in weights.iterdir()] == ["linear.safetensors"]
