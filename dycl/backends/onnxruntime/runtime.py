"""Runs the sub-DNNs of this package with ONNX Runtime. Needs numpy and onnxruntime only."""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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
    aligned,
    is_bindable,
)
from dycl.backends.onnxruntime.runtime_files import (
    GraphFiles,
)
from dycl.backends.onnxruntime.runtime_memory import (
    Memory,
    plain_call,
    prebound,
)
from dycl.backends.onnxruntime.runtime_sessions import (
    CPU,
    session_options,
    share_memory,
)

_PROBE = bytes.fromhex(
    "080a3a6c0a290a0178120179220c52656f72646572496e7075743a13636f6d2e6d6963726f736f66742e6e63"
    "687763120570726f62655a1b0a017812160a14080112100a0208010a0208400a0208010a020802621b0a0179"
    "12160a14080112100a0208010a0208400a0208010a02080242040a00101442170a13636f6d2e6d6963726f73"
    "6f66742e6e636877631001"
)
"""A model that lays an image of 64 channels out in blocks, as this machine does."""

_NOT_FAST = {"block": 0, "sums": 0, "finite": ()}


def load_subdnns(
    directory: Path, settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out."""
    if settings["device"] != "cpu":
        raise KeyError(f"device {settings['device']!r}: this loader runs on the cpu")
    share_memory()
    files = GraphFiles((directory / entries[0]["file"]).parent if entries else directory)
    options = session_options(settings["threads"], files.folder)
    sessions: dict[Any, Any] = {}
    subdnns: dict[str, Callable[..., Any]] = {}
    memory = Memory()
    fast = _usable(entries, files)
    for entry in entries:
        name, file, about = entry["id"], Path(entry["file"]).name, entry["runtime"]
        own, told = about.get("weights", ()), about.get("told", ())
        if name in fast:
            session, filters = _fast_session(files, settings["threads"], fast[name], sessions)
            load = partial(files.session, file, own, options, [CPU])
            call = partial(plain_call, name, told=told)
            states = partial(files.states, file)
            plain = _Plain(name, load, states, call, session, fast[name], filters)
            subdnns[name] = prebound(name, session, plain, memory, fast[name], told)
            continue
        key = file, *own
        if key not in sessions:
            sessions[key] = files.session(file, own, options, [CPU])
        call = plain_call(name, sessions[key], told)
        if is_bindable(sessions[key]):
            call = prebound(name, sessions[key], call, memory, _NOT_FAST, told)
        subdnns[name] = call
    return subdnns


def _blocks(values):
    return [place for place, value in enumerate(values) if value.name.endswith(IN_BLOCKS)]


def _usable(entries: Sequence[Mapping[str, Any]], files: Any) -> dict[str, Mapping[str, Any]]:
    """Return the fast graphs that are right here, by sub-DNN.

    They were made for this version of ONNX Runtime and for images in blocks of as many channels
    as here, and whoever exchanges images in blocks with them is here, too.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        if "fast" in entry["runtime"]:
            fast = entry["runtime"]["fast"]
            found[entry["id"]] = {**files.about(fast["file"]), **fast}
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
        session = onnxruntime.InferenceSession(_PROBE, session_options(1))
        found = session.run(None, {"x": image})[0].reshape(-1)
    except Exception:  # an ONNX Runtime without this layout
        return None
    size = int(np.argmax(found == 1))  # where the second element of the first channel went
    return size if size > 1 and np.array_equal(found, _in_blocks(image, size).reshape(-1)) else None


def _fast_session(files: Any, threads: int, fast: Mapping[str, Any], sessions: Any) -> Any:
    key = fast["file"], *fast["filters"], *fast["weights"]  # one graph for many weights
    if key not in sessions:
        options = session_options(threads, files.folder)
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        filters = []
        for recipe, offset in zip(fast["recipes"], fast["filters"], strict=True):
            filters.append(_laid_out(files.weights, offset, recipe, fast["block"]))
            options.add_initializer(recipe["name"], filters[-1])
        providers = [CPU]
        session = files.session(fast["file"], fast["weights"], options, providers)
        sessions[key] = session, filters  # which it reads where they are
    return sessions[key]


def _laid_out(file: Path, offset: int, recipe: Mapping[str, Any], block: int) -> Any:
    """Return a convolution's weight in blocks of output channels, and maybe of input channels."""
    outer, inner, *kernel = shape = recipe["shape"]
    weight = np.memmap(file, np.float32, "r", offset, tuple(shape))
    width = block if recipe["kind"] == "both" else 1
    rows, columns = -(-outer // block), -(-inner // width)
    padded = np.zeros((rows * block, columns * width, *kernel), np.float32)
    padded[:outer, :inner] = weight
    parts = padded.reshape(rows, block, columns, width, *kernel).transpose(0, 2, 4, 5, 3, 1)
    # where they begin between vectors, convolutions take up to a tenth longer
    content = aligned(padded.shape, np.dtype(np.float32))
    content.reshape(parts.shape)[...] = parts
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

    def __init__(self, name, load, states, call, session, fast, filters):
        self._name, self._load, self._states, self._made = name, load, states, call
        self._inputs, self._outputs = _blocks(session.get_inputs()), _blocks(session.get_outputs())
        self._block = fast["block"]
        self._filters = filters  # of the fast one, which live as long as this
        self._read = states()
        self._lock = threading.Lock()
        self._call = None

    def __call__(self, *arrays):
        with self._lock:
            if self._call is None:
                if self._states() != self._read:
                    raise RuntimeError(
                        f"{self._name}: its graph is not what it was when this package was "
                        "loaded; load it again"
                    )
                self._call = self._made(self._load())
        given = list(arrays)
        for place in self._inputs:
            if given[place].ndim == 5:
                given[place] = _in_order(given[place])
        results = self._call(*given)
        listed = [results] if isinstance(results, np.ndarray) else results
        for place in self._outputs:
            listed[place] = _in_blocks(listed[place], self._block)
        return listed[0] if isinstance(results, np.ndarray) else listed
