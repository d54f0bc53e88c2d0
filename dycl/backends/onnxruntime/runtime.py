"""Runs the sub-DNNs of this package with ONNX Runtime. Needs numpy and onnxruntime only."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

try:
    import onnxruntime
except ImportError as error:
    raise ImportError(
        "this package runs its sub-DNNs with ONNX Runtime: pip install onnxruntime"
    ) from error

_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


def load_subdnns(directory: Path, manifest: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out."""
    settings = manifest["runtime"]
    providers = _providers(settings["device"])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = settings["threads"]
    options.inter_op_num_threads = 1
    # Each session owns its threads: if those span waiting, sub-DNNs would slow each other down.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    sessions: dict[str, Any] = {}
    subdnns: dict[str, Callable[..., Any]] = {}
    for entry in manifest["subdnns"]:
        file = entry["file"]
        if file not in sessions:
            path = str(directory / file)
            sessions[file] = onnxruntime.InferenceSession(path, options, providers=providers)
        subdnns[entry["id"]] = _callable(sessions[file])
    return subdnns


def _callable(session: Any) -> Callable[..., Any]:
    """Return a function of a session's inputs ``x0, x1, ...``."""
    run = session.run
    inputs = tuple(value.name for value in session.get_inputs())
    outputs = [value.name for value in session.get_outputs()]
    if len(outputs) == 1:
        return lambda *arrays: run(outputs, dict(zip(inputs, arrays, strict=True)))[0]
    return lambda *arrays: run(outputs, dict(zip(inputs, arrays, strict=True)))


def _providers(device: str) -> list[str]:
    wanted = _PROVIDERS[device]
    if wanted not in onnxruntime.get_available_providers():
        raise ImportError(
            f"this package was compiled for {device}, which the installed onnxruntime does not "
            "support: pip install onnxruntime-gpu"
        )
    return list(dict.fromkeys([wanted, _PROVIDERS["cpu"]]))
