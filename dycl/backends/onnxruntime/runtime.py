"""Runs the sub-DNNs of this package with ONNX Runtime. Needs numpy and onnxruntime only."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

try:
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as _state
except ImportError as error:
    raise ImportError(
        "this package runs its sub-DNNs with ONNX Runtime: pip install onnxruntime"
    ) from error

_FAILURES = (_state.Fail, _state.InvalidArgument, _state.RuntimeException)
"""What a session raises when an operator cannot compute with the values it got."""

_INDEXING = ("Gather", "GatherND", "ScatterND")
"""Operators for which PyTorch raises IndexError; for all others it raises RuntimeError."""

_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


def load_subdnns(
    directory: Path, settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out."""
    providers = _providers(settings["device"])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what it would log as an error, it raises as well
    options.intra_op_num_threads = settings["threads"]
    options.inter_op_num_threads = 1
    # Each session owns its threads: if those span waiting, sub-DNNs would slow each other down.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    sessions: dict[str, Any] = {}
    subdnns: dict[str, Callable[..., Any]] = {}
    for entry in entries:
        file = entry["file"]
        if file not in sessions:
            path = str(directory / file)
            sessions[file] = onnxruntime.InferenceSession(path, options, providers=providers)
        subdnns[entry["id"]] = _callable(entry["id"], sessions[file])
    return subdnns


def _callable(name: str, session: Any) -> Callable[..., Any]:
    """Return a function of a session's inputs ``x0, x1, ...``."""
    run = session.run
    inputs = tuple(value.name for value in session.get_inputs())
    outputs = [value.name for value in session.get_outputs()]
    is_single = len(outputs) == 1

    def call(*arrays: Any) -> Any:
        try:
            results = run(outputs, dict(zip(inputs, arrays, strict=True)))
        except _FAILURES as failure:
            raise _as_pytorch(name, failure) from failure
        return results[0] if is_single else results

    return call


def _as_pytorch(name: str, failure: Exception) -> Exception:
    """Return an error of the type that PyTorch raises: an index out of range, a zero division."""
    text = str(failure)
    operator = re.search(r"while running (\w+) node", text)
    kind = IndexError if operator is not None and operator[1] in _INDEXING else RuntimeError
    return kind(f"{name}: {text.splitlines()[0]}")


def _providers(device: str) -> list[str]:
    wanted = _PROVIDERS[device]
    if wanted not in onnxruntime.get_available_providers():
        raise ImportError(
            f"this package was compiled for {device}, which the installed onnxruntime does not "
            "support: pip install onnxruntime-gpu"
        )
    return list(dict.fromkeys([wanted, _PROVIDERS["cpu"]]))
