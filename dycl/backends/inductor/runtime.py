"""Runs the sub-DNNs of this package with code of torch inductor. Needs numpy and torch."""

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

try:
    import torch
except ImportError as error:
    raise ImportError(
        "this package runs its sub-DNNs with code of torch inductor, which needs PyTorch: "
        "pip install torch"
    ) from error

IS_MACHINE_CODE = True
"""The manifest must say for which machine."""

_INDEX = re.compile(r"index out of (bounds|range)|out of bounds|out of range")


_SCHEMA = (
    "recurrent(str kind, Tensor x, Tensor[] states, Tensor[] weights, bool biases, SymInt layers, "
    "bool bidirectional, bool batch_first) -> Tensor[]"
)


def _recurrent(
    kind: str,
    x: Any,
    states: Sequence[Any],
    weights: Sequence[Any],
    biases: bool,
    layers: int,
    bidirectional: bool,
    batch_first: bool,
) -> list[Any]:
    """Run a recurrent layer over a number of steps that is known only at run time."""
    given = states if kind == "lstm" else states[0]
    function = getattr(torch._VF, kind)
    found = function(x, given, weights, biases, layers, 0.0, False, bidirectional, batch_first)
    return [part.clone() for part in found]


if not hasattr(torch.ops.dycl_inductor, "recurrent"):  # another package may have defined it
    _library = torch.library.Library("dycl_inductor", "FRAGMENT")
    _library.define(_SCHEMA)
    _library.impl("recurrent", _recurrent, "CPU")


def load_subdnns(
    directory: Path, settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out."""
    if torch.__version__ != settings["torch"]:
        raise ImportError(
            f"this package was compiled with torch {settings['torch']} and runs with no other; "
            f"torch {torch.__version__} is installed"
        )
    return {entry["id"]: _callable(entry, *_load(directory, entry)) for entry in entries}


def _load(directory: Path, entry: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """Return the code and the weights that it takes after the inputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = torch._inductor.aoti_load_package(str(directory / entry["file"]))
    file = directory / entry["uses"][0] if entry["uses"] else None
    return model, [_weight(file, weight) for weight in entry["runtime"]["weights"]]


def _weight(path: Path | None, weight: Mapping[str, Any]) -> Any:
    """Return a tensor that lies in the file: the system loads what is read, once."""
    dtype, shape = getattr(torch, weight["dtype"]), tuple(weight["shape"])
    count = int(np.prod(shape, dtype=np.int64))
    if path is None or count == 0:
        return torch.empty(shape, dtype=dtype)
    end = weight["offset"] + count * dtype.itemsize
    bytes_of_file = torch.from_file(str(path), shared=False, size=end, dtype=torch.uint8)
    return bytes_of_file[weight["offset"] :].view(dtype).reshape(shape)


def _callable(entry: Mapping[str, Any], model: Any, weights: Sequence[Any]) -> Callable[..., Any]:
    name = entry["id"]
    keys = ("input", "dimension", "factor", "offset")
    sizes = [[size[key] for key in keys] for size in entry["runtime"]["sizes"]]
    vectors = frozenset(entry["runtime"]["vectors"])

    def call(*arrays: Any) -> Any:
        tensors = [_tensor(array) for array in arrays]
        numbers = [
            torch.tensor((tensors[i].shape[dim] - offset) // factor)
            for i, dim, factor, offset in sizes
        ]
        for i in vectors:
            tensors[i] = tensors[i].reshape(-1)
        given = [*tensors, *numbers, *weights]
        try:
            with torch.no_grad():
                results = model(*given)
        except RuntimeError as failure:
            raise _as_pytorch(name, failure) from failure
        found = _own(results, given)
        return found[0] if len(found) == 1 else found

    return call


def _tensor(array: Any) -> Any:
    whole = np.asarray(array, order="C")
    return torch.from_numpy(whole if whole.flags.writeable else whole.copy())


def _own(results: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """Return results as arrays that share memory with nothing else."""
    taken = {tensor.untyped_storage().data_ptr() for tensor in given}
    arrays = []
    for result in results:
        place = result.untyped_storage().data_ptr()
        fresh = place not in taken and result.is_contiguous()
        taken.add(place)
        arrays.append(result.numpy() if fresh else result.contiguous().clone().numpy())
    return arrays


def _as_pytorch(name: str, failure: Exception) -> Exception:
    """Return an error of the type that PyTorch raises for an index out of range."""
    text = str(failure)
    kind = IndexError if _INDEX.search(text) else RuntimeError
    return kind(f"{name}: {text.splitlines()[0] if text else 'failed'}")
