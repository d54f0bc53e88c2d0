"""Runs artifacts in this process, by the loader that a host package gets."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from dycl.backends.interface import Artifact, Backend, DeviceBackend
from dycl.capture import CapturedSubDnn, Port


def load_artifact(
    backend: Backend, subdnn: CapturedSubDnn, artifact: Artifact, directory: Path
) -> Callable[..., Any]:
    """Return a compiled sub-DNN as a callable: arrays in, an array or a list of them out."""
    if isinstance(backend, DeviceBackend):
        backend = backend.for_single_subdnns()
    runtime = ModuleType(f"_runtime_{backend.name}")
    exec(compile(backend.runtime_source(), f"{runtime.__name__}.py", "exec"), vars(runtime))
    loaded: Mapping[str, Callable[..., Any]] = runtime.load_subdnns(
        directory, as_json(backend.runtime_settings()), [entry_of(subdnn, artifact)]
    )
    return loaded[subdnn.name]


def entry_of(subdnn: CapturedSubDnn, artifact: Artifact) -> Any:
    """Return what the manifest says about a sub-DNN to its loader."""
    return as_json(
        {
            "id": subdnn.name,
            "file": artifact.file,
            "uses": artifact.uses,
            "runtime": artifact.settings,
            "inputs": _ports(subdnn.inputs),
            "outputs": _ports(subdnn.outputs),
        }
    )


def as_json(value: object) -> Any:
    """Return a value as it comes back from a manifest."""
    return json.loads(json.dumps(value))


def _ports(ports: Sequence[Port]) -> list[dict[str, object]]:
    return [
        {"name": port.name, "dtype": port.dtype_name, "shape": list(port.shape)} for port in ports
    ]
