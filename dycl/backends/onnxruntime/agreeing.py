"""Whether a fast graph does what the plain one does, before a package gets it."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime

from dycl.backends.checking import difference_of
from dycl.backends.trials import inputs_at
from dycl.capture import CapturedSubDnn

_SPECIAL = (np.nan, np.inf, -np.inf)
_TOLERANCE = 1e-3


def agrees(
    subdnn: CapturedSubDnn,
    plain: onnx.ModelProto,
    fast: onnx.ModelProto,
    ports: Collection[str],
    block: int,
) -> bool:
    """Return whether a fast graph agrees with PyTorch, and on special values with the plain one.

    ``ports`` are its inputs and outputs in blocks. It need not agree where its sums of squares
    say that it may be wrong: the plain graph runs then.
    """
    run_fast = _Fast(fast, ports, block, len(subdnn.outputs))
    try:
        if difference_of(subdnn, run_fast) is not None:
            return False
        run_plain = _session(plain)
        return all(_same(run_plain, run_fast, inputs) for inputs in _special_inputs(subdnn))
    except Exception:  # whatever it is: the plain graph is there
        return False


class _Fast:
    """A fast graph as a function of arrays in order."""

    def __init__(
        self, model: onnx.ModelProto, ports: Collection[str], block: int, count: int
    ) -> None:
        self._run = _session(model)
        self._ports = ports
        self._block = block
        self._count = count

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray] | np.ndarray:
        given = [
            in_blocks(array, self._block).reshape(array.shape) if f"x{i}" in self._ports else array
            for i, array in enumerate(arrays)
        ]
        results = self._run(given)
        outputs, sums = results[: self._count], results[self._count :]
        if not all(each < np.inf for each in sums):
            raise FloatingPointError("a number that is not finite")
        found = [
            in_order(array, self._block) if f"y{i}" in self._ports else array
            for i, array in enumerate(outputs)
        ]
        return found[0] if self._count == 1 else found


def in_blocks(array: np.ndarray, block: int) -> np.ndarray:
    """Return an image with blocks of channels last."""
    n, c, h, w = array.shape
    return np.ascontiguousarray(array.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2))


def in_order(array: np.ndarray, block: int) -> np.ndarray:
    """Return what stands in blocks in an array of an image's shape in order."""
    n, c, h, w = array.shape
    parts = array.reshape(n, c // block, h, w, block)
    return np.ascontiguousarray(parts.transpose(0, 1, 4, 2, 3)).reshape(array.shape)


def _session(model: onnx.ModelProto) -> Callable[[Sequence[np.ndarray]], list[Any]]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    data = model.SerializeToString()
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]

    def run(arrays: Sequence[np.ndarray]) -> list[Any]:
        given = {f"x{i}": array for i, array in enumerate(arrays)}
        found: list[Any] = session.run(None, {name: given[name] for name in names})
        return found

    return run


def _special_inputs(subdnn: CapturedSubDnn) -> Iterator[list[np.ndarray]]:
    """Yield random inputs in which a few numbers are special."""
    for seed, value in enumerate(_SPECIAL):
        inputs = inputs_at(subdnn, {}, seed)
        assert inputs is not None
        arrays = [np.asarray(each).copy() for each in inputs]
        for array in arrays:
            if array.dtype.kind == "f" and array.size:
                places = np.random.default_rng(seed).integers(0, array.size, 3)
                array.reshape(-1)[places] = value
        yield arrays


def _same(
    plain: Callable[[Sequence[np.ndarray]], list[Any]], fast: _Fast, inputs: list[np.ndarray]
) -> bool:
    expected = plain(inputs)
    try:
        found = fast(*inputs)
    except FloatingPointError:
        return True
    listed = [found] if isinstance(found, np.ndarray) else found
    return all(map(_is_same, expected, listed))


def _is_same(expected: np.ndarray, found: np.ndarray) -> bool:
    if expected.dtype.kind != "f":
        return bool(np.array_equal(expected, found))
    scale = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    return bool(
        np.allclose(found, expected, rtol=_TOLERANCE, atol=_TOLERANCE * scale, equal_nan=True)
    )
