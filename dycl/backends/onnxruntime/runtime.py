"""Runs the sub-DNNs of this package with ONNX Runtime. Needs numpy and onnxruntime only."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

try:
    import onnxruntime
except ImportError as error:
    raise ImportError(
        "this package runs its sub-DNNs with ONNX Runtime: pip install onnxruntime"
    ) from error

from dycl.backends.onnxruntime.runtime_arrays import (
    IN_BLOCKS,
    is_bindable,
)
from dycl.backends.onnxruntime.runtime_memory import (
    Memory,
    plain_call,
    prebound,
)

_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}

_PROBE = bytes.fromhex(
    "080a3a6c0a290a0178120179220c52656f72646572496e7075743a13636f6d2e6d6963726f736f66742e6e63"
    "687763120570726f62655a1b0a017812160a14080112100a0208010a0208400a0208010a020802621b0a0179"
    "12160a14080112100a0208010a0208400a0208010a02080242040a00101442170a13636f6d2e6d6963726f73"
    "6f66742e6e636877631001"
)
"""A model that lays an image of 64 channels out in blocks, as this machine does."""

_NOT_FAST = {"block": 0, "sums": 0}


def load_subdnns(
    directory: Path, settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out."""
    providers = _providers(settings["device"])
    options = _options(settings["threads"])
    sessions: dict[Any, Any] = {}
    subdnns: dict[str, Callable[..., Any]] = {}
    memory = Memory()
    fast = _usable(entries)
    for entry in entries:
        name, file = entry["id"], str(directory / entry["file"])
        if name in fast:
            beside = Path(file).parent
            session, weights = _fast_session(beside, settings["threads"], fast[name], sessions)
            plain = _Plain(name, file, options, session, fast[name]["block"], weights)
            subdnns[name] = prebound(name, session, plain, memory, fast[name])
            continue
        if file not in sessions:
            sessions[file] = onnxruntime.InferenceSession(file, options, providers=providers)
        call = plain_call(name, sessions[file])
        if settings["device"] == "cpu" and is_bindable(sessions[file]):
            call = prebound(name, sessions[file], call, memory, _NOT_FAST)
        subdnns[name] = call
    return subdnns


def _blocks(values):
    return [place for place, value in enumerate(values) if value.name.endswith(IN_BLOCKS)]


def _options(threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what it would log as an error, it raises as well
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Each session owns its threads: if those span waiting, sub-DNNs would slow each other down.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _usable(entries: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the fast graphs that are right here, by sub-DNN.

    They were made for this version of ONNX Runtime and for images in blocks of as many channels
    as here, and whoever exchanges images in blocks with them is here, too.
    """
    found = {e["id"]: e["runtime"]["fast"] for e in entries if "fast" in e["runtime"]}
    if not found:
        return found
    here = {"onnxruntime": onnxruntime.__version__, "block": block_size()}
    made_for = [{key: each[key] for key in here} for each in found.values()]
    if any(each != here for each in made_for):
        return {}
    present: dict[int, int] = {}
    for each in found.values():
        for border, _ in each["borders"]:
            present[border] = present.get(border, 0) + 1
    whole = all(present[b] == count for each in found.values() for b, count in each["borders"])
    return found if whole else {}


def block_size() -> int | None:
    """Return how many channels of an image stand together here, None where that is unknown."""
    image = np.arange(128, dtype=np.float32).reshape(1, 64, 1, 2)
    try:
        session = onnxruntime.InferenceSession(_PROBE, _options(1))
        found = session.run(None, {"x": image})[0].reshape(-1)
    except Exception:  # an ONNX Runtime without this layout
        return None
    size = int(np.argmax(found == 1))  # where the second element of the first channel went
    return size if size > 1 and np.array_equal(found, _in_blocks(image, size).reshape(-1)) else None


def _fast_session(directory: Path, threads: int, fast: Mapping[str, Any], sessions: Any) -> Any:
    file = str(directory / fast["file"])
    key = file, *(recipe["offset"] for recipe in fast["weights"])  # one graph for many weights
    if key not in sessions:
        options = _options(threads)
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        weights = []
        for recipe in fast["weights"]:
            weights.append(_laid_out(directory / "weights.bin", recipe, fast["block"]))
            options.add_initializer(recipe["name"], weights[-1])
        providers = [_PROVIDERS["cpu"]]
        session = onnxruntime.InferenceSession(file, options, providers=providers)
        sessions[key] = session, weights  # which it reads where they are
    return sessions[key]


def _laid_out(file: Path, recipe: Mapping[str, Any], block: int) -> Any:
    """Return a convolution's weight in blocks of output channels, and maybe of input channels."""
    outer, inner, *kernel = shape = recipe["shape"]
    weight = np.memmap(file, np.float32, "r", recipe["offset"], tuple(shape))
    width = block if recipe["kind"] == "both" else 1
    rows, columns = -(-outer // block), -(-inner // width)
    padded = np.zeros((rows * block, columns * width, *kernel), np.float32)
    padded[:outer, :inner] = weight
    parts = padded.reshape(rows, block, columns, width, *kernel).transpose(0, 2, 4, 5, 3, 1)
    content = np.ascontiguousarray(parts).reshape(recipe["padded"])
    return onnxruntime.OrtValue.ortvalue_from_numpy(content)


def _in_blocks(image: Any, block: int) -> Any:
    """Return an image as an array of five dimensions, of which the last is channels."""
    n, c, h, w = image.shape
    return np.ascontiguousarray(image.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2))


def _in_order(image: Any) -> Any:
    n, rows, h, w, block = image.shape
    return np.ascontiguousarray(image.transpose(0, 1, 4, 2, 3)).reshape(n, rows * block, h, w)


class _Plain:
    """The plain graph of a sub-DNN that has a fast one; loaded when it is needed.

    Takes and gives images in blocks where the fast one does.
    """

    def __init__(self, name, file, options, fast, block, weights):
        self._name, self._file, self._options, self._block = name, file, options, block
        self._inputs, self._outputs = _blocks(fast.get_inputs()), _blocks(fast.get_outputs())
        self._weights = weights  # of the fast one, which live as long as this
        self._read = _states(file)
        self._lock = threading.Lock()
        self._call = None

    def __call__(self, *arrays):
        with self._lock:
            if self._call is None:
                if _states(self._file) != self._read:
                    raise RuntimeError(
                        f"{self._name}: {self._file} is not what it was when this package was "
                        "loaded; load it again"
                    )
                providers = [_PROVIDERS["cpu"]]
                session = onnxruntime.InferenceSession(self._file, self._options, providers)
                self._call = plain_call(self._name, session)
        given = list(arrays)
        for place in self._inputs:
            if given[place].ndim == 5:
                given[place] = _in_order(given[place])
        results = self._call(*given)
        listed = [results] if isinstance(results, np.ndarray) else results
        for place in self._outputs:
            listed[place] = _in_blocks(listed[place], self._block)
        return listed[0] if isinstance(results, np.ndarray) else listed


def _states(file: str) -> list[tuple[int, ...]]:
    """Return what changes when a graph, or the weights beside it, are written or replaced."""
    found = [each.stat() for each in Path(file).parent.glob("weights.bin")] + [os.stat(file)]
    return [(each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for each in found]


def _providers(device: str) -> list[str]:
    wanted = _PROVIDERS[device]
    if wanted not in onnxruntime.get_available_providers():
        raise ImportError(
            f"this package was compiled for {device}, which the installed onnxruntime does not "
            "support: pip install onnxruntime-gpu"
        )
    return list(dict.fromkeys([wanted, _PROVIDERS["cpu"]]))
