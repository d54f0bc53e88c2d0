"""Weights files: what is loaded, and what is refused."""

import pickle
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from dycl.errors import UserError
from dycl.weights import load_weights


class Tied(nn.Module):
    """Two names for one tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 2, bias=False)
        self.second = nn.Linear(2, 2, bias=False)
        self.second.weight = self.first.weight


def state() -> dict[str, Tensor]:
    return {"weight": torch.full((2, 3), 5.0), "bias": torch.full((2,), 6.0)}


def refusal(model: object, file: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_weights(model, file)
    return caught.value.render()


def test_safetensors(tmp_path: Path) -> None:
    save_file(state(), tmp_path / "w.safetensors")
    model = nn.Linear(3, 2)
    load_weights(model, tmp_path / "w.safetensors")
    assert model.weight.sum() == 30
    assert model.bias.sum() == 12


@pytest.mark.parametrize("nested", [False, True])
def test_torch_state_dict(tmp_path: Path, nested: bool) -> None:
    torch.save({"state_dict": state(), "epoch": 3} if nested else state(), tmp_path / "w.pt")
    model = nn.Linear(3, 2)
    load_weights(model, tmp_path / "w.pt")
    assert model.weight.sum() == 30


def test_tied_weights_stored_once(tmp_path: Path) -> None:
    save_file({"first.weight": torch.full((2, 2), 3.0)}, tmp_path / "w.safetensors")
    model = Tied()
    load_weights(model, tmp_path / "w.safetensors")
    assert model.second.weight.sum() == 12


def test_missing_file(tmp_path: Path) -> None:
    assert "w.safetensors does not exist" in refusal(nn.Linear(3, 2), tmp_path / "w.safetensors")


def test_wrong_names(tmp_path: Path) -> None:
    save_file({"weights": torch.ones(2, 3), "bias": torch.ones(2)}, tmp_path / "w.safetensors")
    text = refusal(nn.Linear(3, 2), tmp_path / "w.safetensors")
    assert "lacks 1 names: weight" in text
    assert "has unexpected 1 names: weights" in text


def test_wrong_shape(tmp_path: Path) -> None:
    save_file(state(), tmp_path / "w.safetensors")
    text = refusal(nn.Linear(4, 2), tmp_path / "w.safetensors")
    assert "weight: the model has (2, 4), the file (2, 3)" in text


def test_wrong_weights_change_nothing(tmp_path: Path) -> None:
    save_file({"bias": torch.full((2,), 9.0)}, tmp_path / "w.safetensors")
    model = nn.Linear(3, 2)
    refusal(model, tmp_path / "w.safetensors")
    assert not (model.bias == 9).any()


def test_pickled_module_is_refused(tmp_path: Path) -> None:
    torch.save(Tied(), tmp_path / "w.pt")
    text = refusal(Tied(), tmp_path / "w.pt")
    assert "holds pickled Python objects" in text
    assert "safetensors.torch.save_file" in text


def test_plain_pickle_is_refused_without_running_it(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path(tmp_path / "exploded").touch, ())

    (tmp_path / "w.pkl").write_bytes(pickle.dumps(Bomb()))
    assert "pickled Python objects" in refusal(nn.Linear(3, 2), tmp_path / "w.pkl")
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt"])
def test_rubbish(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"not weights at all")
    assert name in refusal(nn.Linear(3, 2), tmp_path / name)


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt"])
def test_empty_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert name in refusal(nn.Linear(3, 2), tmp_path / name)


def test_torch_file_that_is_no_state_dict(tmp_path: Path) -> None:
    torch.save([1, 2], tmp_path / "w.pt")
    assert "is not a state dict" in refusal(nn.Linear(3, 2), tmp_path / "w.pt")


def test_function_has_no_weights(tmp_path: Path) -> None:
    assert "--weights needs an nn.Module" in refusal(len, tmp_path / "w.safetensors")
