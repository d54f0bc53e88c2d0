"""Load trained weights into a model without running anyone's pickled code."""

import pickle
import warnings
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from dycl.errors import UserError

_SHOWN = 5
"""How many wrong names a message lists."""


def load_weights(model: object, file: Path) -> None:
    """Load a state dict (safetensors, or torch's own format without objects) into ``model``."""
    if not isinstance(model, nn.Module):
        raise UserError(f"--weights needs an nn.Module; the target is a {type(model).__name__}")
    if not file.is_file():
        raise UserError(f"weights file {file} does not exist")
    state = _read_safetensors(file) if file.suffix == ".safetensors" else _read_torch(file)
    expected = model.state_dict()
    tied = _tied_names(expected, state)
    _check_names(file, expected.keys() - tied, state)
    _check_shapes(file, expected, state)
    model.load_state_dict(state, strict=False)


def _read_safetensors(file: Path) -> dict[str, Tensor]:
    try:
        return load_file(file)
    except SafetensorError as error:
        raise UserError(f"{file} is not a safetensors file: {error}") from error


def _read_torch(file: Path) -> dict[str, Tensor]:
    try:
        with warnings.catch_warnings():
            # of pickle protocols: what cannot be read is refused below
            warnings.simplefilter("ignore")
            content = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise UserError(
            f"{file} holds pickled Python objects; loading it could run any code",
            help="save the weights alone: safetensors.torch.save_file(model.state_dict(), FILE)",
        ) from error
    except (RuntimeError, EOFError, ValueError, KeyError) as error:
        raise UserError(f"{file} is neither safetensors nor a torch state dict: {error}") from error
    if isinstance(content, dict) and isinstance(content.get("state_dict"), dict):
        content = content["state_dict"]
    if not isinstance(content, dict) or not all(isinstance(v, Tensor) for v in content.values()):
        raise UserError(f"{file} is not a state dict: expected names and tensors")
    return content


def _tied_names(expected: dict[str, Tensor], state: dict[str, Tensor]) -> set[str]:
    """Return missing names whose tensor is another, present name's: stored once."""
    present = {expected[name].data_ptr() for name in expected.keys() & state.keys()}
    return {
        name
        for name, tensor in expected.items()
        if name not in state and tensor.numel() and tensor.data_ptr() in present
    }


def _check_names(file: Path, expected: set[str], state: dict[str, Tensor]) -> None:
    missing = sorted(expected - state.keys())
    unexpected = sorted(state.keys() - expected)
    complaints = [
        f"{file} {verb} {len(names)} names: {', '.join(names[:_SHOWN])}"
        + (", ..." if len(names) > _SHOWN else "")
        for verb, names in (("lacks", missing), ("has unexpected", unexpected))
        if names
    ]
    if complaints:
        raise UserError("the weights do not fit the model", detail="\n".join(complaints))


def _check_shapes(file: Path, expected: dict[str, Tensor], state: dict[str, Tensor]) -> None:
    wrong = [
        f"{name}: the model has {tuple(expected[name].shape)}, the file {tuple(value.shape)}"
        for name, value in sorted(state.items())
        if expected[name].shape != value.shape
    ]
    if wrong:
        raise UserError(f"the weights of {file} do not fit the model", detail="\n".join(wrong))
