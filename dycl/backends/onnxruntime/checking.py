"""Runs a compiled sub-DNN once beside PyTorch before anything relies on it.

The inputs are random, so this finds operators that are compiled to something else, wrong
element types and wrong shapes; it does not replace ``dycl verify`` on real inputs.
"""

import re
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from dycl.backends.blame import blame
from dycl.backends.onnxruntime.exporting import export_group
from dycl.backends.onnxruntime.writing import write_models
from dycl.capture import CapturedSubDnn, Port
from rewriter.diagnostics import CompileError, Diagnostic

_SEEDS = (0, 1, 2)
"""A rounding difference may flip a comparison on one input; a wrong operator fails on all."""

_RELATIVE = {torch.float16: 2e-2, torch.float32: 1e-3, torch.float64: 1e-5}


class Difference(Exception):
    """The compiled sub-DNN gives something else than PyTorch. The text says what."""


def check_all(
    subdnns: Sequence[CapturedSubDnn],
    files: Mapping[str, Path],
    providers: list[str],
    jobs: int | None,
) -> None:
    """Check artifacts, ``jobs`` at a time; raise CompileError with a diagnostic per failure."""

    def problem(subdnn: CapturedSubDnn) -> tuple[str, str] | None:
        try:
            check(subdnn, files[subdnn.name], providers)
        except Difference as difference:
            return "DYCL412", f"ONNX Runtime computes something else: {difference}"
        except Exception as error:
            return "DYCL413", f"ONNX Runtime cannot run this: {first_line(error)}"
        return None

    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(problem, subdnns))
    problems = [
        Diagnostic(
            code=failure[0],
            message=failure[1],
            origin=blame(subdnn, lambda beginning: _fails(beginning, providers)),
        )
        for subdnn, failure in zip(subdnns, found, strict=True)
        if failure is not None
    ]
    if problems:
        raise CompileError(problems)


_PLACE = re.compile(r"Load model from .* failed: ?")
"""ONNX Runtime names the file, which is gone when the user reads about it."""


def first_line(error: BaseException) -> str:
    """Return an error as one line."""
    lines = _PLACE.sub("", str(error)).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def _fails(subdnn: CapturedSubDnn, providers: list[str]) -> bool:
    try:
        with tempfile.TemporaryDirectory() as name:
            artifact = write_models([subdnn], export_group([subdnn]), Path(name))[0]
            check(subdnn, Path(name, artifact.file), providers)
    except Exception:
        return True
    return False


def check(subdnn: CapturedSubDnn, path: Path, providers: list[str]) -> None:
    """Raise ``Difference`` where the artifact at ``path`` disagrees with the sub-DNN.

    Whatever the runtime raises when it loads or runs the artifact passes through.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=providers)
    names = [output.name for output in session.get_outputs()]
    differences = []
    for seed in _SEEDS:
        inputs = [_random(port, seed) for port in subdnn.inputs]
        try:
            with torch.no_grad():
                expected = subdnn.module(*(x.clone() for x in inputs))
        except Exception:  # the user's operators may refuse random values, as indices do
            continue
        feeds = {f"x{i}": x.numpy() for i, x in enumerate(inputs)}
        used = {name: feeds[name] for name in (x.name for x in session.get_inputs())}
        got = session.run(names, used)
        difference = _first_difference(subdnn, expected, got)
        if difference is None:
            return
        differences.append(difference)
    if differences:
        raise Difference(differences[0])


def _random(port: Port, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if port.dtype.is_floating_point:
        return torch.randn(port.shape, generator=generator).to(port.dtype)
    return torch.randint(0, 2, port.shape, generator=generator).to(port.dtype)


def _first_difference(
    subdnn: CapturedSubDnn, expected: tuple[torch.Tensor, ...], got: list[np.ndarray]
) -> str | None:
    for port, tensor, array in zip(subdnn.outputs, expected, got, strict=True):
        reference = tensor.numpy()
        if (reference.dtype, reference.shape) != (array.dtype, array.shape):
            return (
                f"{port.name} is {array.dtype}{list(array.shape)}, "
                f"and {reference.dtype}{list(reference.shape)} in PyTorch"
            )
        if not _close(port, reference, array):
            return f"{port.name} has other values than in PyTorch"
    return None


def _close(port: Port, reference: np.ndarray, array: np.ndarray) -> bool:
    if not port.dtype.is_floating_point:
        return bool(np.array_equal(reference, array))
    relative = _RELATIVE[port.dtype]
    finite = reference[np.isfinite(reference)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    return np.allclose(
        array, reference, rtol=relative, atol=relative * scale * 0.1 + 1e-7, equal_nan=True
    )
