"""Runs the sub-DNNs of this package with OpenVINO on the CPU. Needs numpy and openvino only."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

try:
    import openvino
except ImportError as error:
    raise ImportError(
        "this package runs its sub-DNNs with OpenVINO: pip install openvino"
    ) from error

_COMPILING = openvino.__dict__.setdefault("_dycl_compiling", threading.Lock())
"""Of all packages in a process: OpenVINO compiling two models at once may wait forever."""

_PLACES = ("Exception from", "Check ", "Details", "Not Implemented")
"""How lines of OpenVINO's errors begin that tell where in its sources it was."""

_GUARDS = {
    "IndexError": (IndexError, "an index is out of range"),
    "RuntimeError": (RuntimeError, "a recurrent layer has no steps to take"),
    "FloatingPointError": (FloatingPointError, "NaN comes up, which OpenVINO does not keep"),
    "OverflowError": (OverflowError, "a size is larger than what OpenVINO computes with exactly"),
}
"""What it means that a guard, one more output of a sub-DNN, is true."""


def load_subdnns(
    directory: Path, settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out."""
    core = openvino.Core()
    config = {
        "INFERENCE_NUM_THREADS": settings["threads"],
        # No streams: a sub-DNN runs in the thread that calls it, and waits for no other.
        "NUM_STREAMS": 0 if settings["threads"] == 1 else 1,
        # A thread that calls a sub-DNN stays free to run on any core.
        "ENABLE_CPU_PINNING": False,
        # Without these, a CPU with bfloat16 would compute in it.
        "INFERENCE_PRECISION_HINT": "f32",
        "EXECUTION_MODE_HINT": "ACCURACY",
    }
    models: dict[str, Any] = {}
    subdnns: dict[str, Callable[..., Any]] = {}
    for entry in entries:
        file = entry["file"]
        if file not in models:
            models[file] = _compiled(core, str(directory / file), config)
        subdnns[entry["id"]] = _callable(entry, models[file])
    return subdnns


def _compiled(core: Any, file: str, config: Mapping[str, Any]) -> Any:
    try:
        model = core.read_model(file)
        with _COMPILING:
            return core.compile_model(model, "CPU", {**config, **_careful(model)})
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines()]
        told = [line for line in lines if line and not line.startswith(_PLACES)]
        raise RuntimeError("; ".join(told[:2]) or str(error)) from error


def _careful(model: Any) -> dict[str, str]:
    """Return settings for a model with sizes of run time.

    A softmax between two products is wrong from 16 steps on where it becomes code of its own.
    """
    if any(value.partial_shape.is_dynamic for value in model.inputs):
        return {"SNIPPETS_MODE": "DISABLE"}
    return {}


def _callable(entry: Mapping[str, Any], model: Any) -> Callable[..., Any]:
    name = entry["id"]
    guards = entry["runtime"]["guards"]
    count = len(entry["outputs"])
    outputs = [f"y{i}" for i in range(count)] + [f"guard_{i}" for i in range(len(guards))]
    wanted = [i for i in range(len(entry["inputs"])) if f"x{i}" in _names(model.inputs)]
    limit = entry["runtime"]["limit"]
    checks = [_check(port["dtype"], limit) for port in entry["inputs"]]
    floats = [i for i, port in enumerate(entry["outputs"]) if port["dtype"] == "float32"]
    requests = threading.local()  # one infers at a time

    def call(*arrays: Any) -> Any:
        contents = [np.asarray(array, order="C") for array in arrays]
        for check, content in zip(checks, contents, strict=True):
            check(name, content)
        try:
            request = requests.own
        except AttributeError:
            request = requests.own = model.create_infer_request()
        given = {f"x{i}": contents[i] for i in wanted}
        found = request.infer(given, share_inputs=True)
        results = [found[output] for output in outputs]
        for guard, result in zip(guards, results[count:], strict=True):
            if result:
                kind, text = _GUARDS[guard]
                raise kind(f"{name}: {text}")
        for i in floats:
            _finite(name, results[i])
        return results[0] if count == 1 else results[:count]

    return call


def _names(ports: Sequence[Any]) -> set[str]:
    return {name for port in ports for name in port.names}


def _anything(name: str, array: Any) -> None:
    """Take any content."""


def _finite(name: str, array: Any) -> None:
    """Raise where a number is infinite or NaN: OpenVINO's operators do not keep these."""
    if not np.isfinite(array).all():
        raise FloatingPointError(
            f"{name}: a number is infinite or NaN, which OpenVINO does not compute with as "
            "PyTorch does; another backend does"
        )


def _check(dtype: str, limit: int) -> Callable[[str, Any], None]:
    """Return what raises for contents of an input that OpenVINO does not compute with."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return _finite
    if kind.kind == "i" and np.iinfo(kind).max > limit:
        return _small(limit)
    return _anything


def _small(limit: int) -> Callable[[str, Any], None]:
    def check(name: str, array: Any) -> None:
        if array.size and (array.max() > limit or array.min() < -limit):
            raise OverflowError(
                f"{name}: an integer is beyond {limit}, up to which OpenVINO computes with "
                "integers exactly here; another backend does for all"
            )

    return check
