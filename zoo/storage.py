"""Weights of the zoo as safetensors files: read at build time, written by `zoo/training`."""

import os
from collections.abc import Callable
from pathlib import Path

from torch import Tensor, nn

WEIGHTS = Path(__file__).resolve().parent / "weights"

_ONLY_FOR_TRAINING = "num_batches_tracked"


def load_weights(model: nn.Module, name: str, *, partial: bool = False) -> None:
    """Load `weights/<name>.safetensors` into the model.

    A partial file holds what a calibration found (statistics, biases, thresholds); the
    other weights stay as the seed made them.
    """
    from safetensors.torch import load_file

    path = WEIGHTS / f"{name}.safetensors"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run the script in zoo/training that writes it")
    tensors = load_file(path)
    state = model.state_dict()
    unexpected = sorted(tensors.keys() - state.keys())
    given = {state[key].data_ptr() for key in tensors.keys() & state.keys()}
    missing = [
        key
        for key, tensor in state.items()
        if tensor.data_ptr() not in given and not key.endswith(_ONLY_FOR_TRAINING)
    ]
    if unexpected or (missing and not partial):
        raise ValueError(f"{path} does not fit the model: {missing=} {unexpected=}")
    model.load_state_dict(tensors, strict=False)


def save_weights(
    model: nn.Module, name: str, keep: Callable[[str, Tensor], bool] = lambda key, tensor: True
) -> Path:
    """Write the tensors that `keep` selects: beside the file first, then moved into place."""
    from safetensors.torch import save

    state: dict[str, Tensor] = {}
    stored: set[int] = set()
    for key, tensor in model.state_dict().items():
        if key.endswith(_ONLY_FOR_TRAINING) or not keep(key, tensor):
            continue
        # a module known by two names is stored under the first, as safetensors wants it
        if tensor.data_ptr() not in stored:
            stored.add(tensor.data_ptr())
            state[key] = tensor.detach().contiguous()
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    path = WEIGHTS / f"{name}.safetensors"
    draft = path.with_suffix(f".{os.getpid()}.draft")
    try:
        draft.write_bytes(save(state))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path
