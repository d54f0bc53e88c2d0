"""Runs the sub-DNNs of this package with ONNX Runtime. Needs numpy and onnxruntime only."""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from sys import getrefcount
from typing import Any

import numpy as np

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

_TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int16)": np.int16,
    "tensor(int8)": np.int8, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_,
}  # fmt: skip

_MOST_SETS = 4
"""Sets of output arrays that one sub-DNN has in one thread."""

_MOST_BINDINGS = 64
"""Of different inputs to one set of output arrays."""

_LARGE = 65536
"""Bytes from which it takes less time to bind an array than to copy it to where one is bound."""


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
    memory = _Memory()
    for entry in entries:
        file = entry["file"]
        if file not in sessions:
            path = str(directory / file)
            sessions[file] = onnxruntime.InferenceSession(path, options, providers=providers)
        call = _callable(entry["id"], sessions[file])
        if settings["device"] == "cpu":
            call = _prebound(entry["id"], sessions[file], call, memory)
        subdnns[entry["id"]] = call
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


class _Port:
    """An input or output of which all sizes are known."""

    def __init__(self, value):
        self.name = value.name
        self.shape = tuple(value.shape)
        self.type = np.dtype(_TYPES[value.type])
        self.is_large = np.prod(self.shape) * self.type.itemsize >= _LARGE


class _Bound:
    """An array, and the same memory as ONNX Runtime knows it."""

    def __init__(self, port):
        self.array = np.empty(port.shape, port.type)
        self.value = onnxruntime.OrtValue.ortvalue_from_numpy(self.array)


class _OutputSet:
    """Arrays for the results of a sub-DNN, and the bindings that write to them.

    They are written to again when nobody else refers to them any more: views, tensors and
    whatever else shares the memory of an array hold a reference to it.
    """

    def __init__(self, ports):
        self.bound = [_Bound(port) for port in ports]
        self.bindings = {}
        self._at_rest = self._references()

    def is_free(self):
        return self._references() == self._at_rest

    def _references(self):
        return [getrefcount(each.array) for each in self.bound]


class _Memory(threading.local):
    """What one thread reads and writes, kept for as long as it lives."""

    def __init__(self):
        self.sets = {}
        """Lists of output sets by sub-DNN."""
        self.outputs = {}
        """Every ``_Bound`` of these sets by the identity of its array."""
        self.staged = {}
        """Where inputs from elsewhere are copied to: by sub-DNN and place."""


def _prebound(name, session, plain, memory):
    """Return a function that reads and writes memory that is bound once, not in each call.

    Results of sub-DNNs are read where they are. Other arrays are copied to where one is
    bound or, large ones, bound for this call. What does not fit is left to ``plain``.
    """
    values = (*session.get_inputs(), *session.get_outputs())
    if not all(value.type in _TYPES and _is_static(value.shape) for value in values):
        return plain
    inputs = [_Port(value) for value in session.get_inputs()]
    outputs = [_Port(value) for value in session.get_outputs()]
    is_single = len(outputs) == 1

    def call(*arrays):
        known = memory.outputs
        key = tuple([mark if (mark := id(array)) in known else 0 for array in arrays])
        results = _free_set(name, outputs, memory)
        if results is None:
            return plain(*arrays)
        binding = results.bindings.get(key)
        if binding is None:
            binding = _bind(name, session, inputs, outputs, results, key, memory)
        held = []
        for place, mark in enumerate(key):
            if not mark:
                port, array = inputs[place], arrays[place]
                if array.shape != port.shape or array.dtype != port.type:
                    return plain(*arrays)  # which says what is wrong
                if port.is_large:
                    held.append(_bind_for_now(binding, port, array))
                else:
                    memory.staged[name, place].array[...] = array
        try:
            session.run_with_iobinding(binding)
        except (*_FAILURES, RuntimeError) as failure:
            raise _as_pytorch(name, failure) from failure
        del held  # not earlier: the binding has their addresses only
        return results.bound[0].array if is_single else [each.array for each in results.bound]

    return call


def _is_static(shape):
    return all(isinstance(size, int) for size in shape)


def _free_set(name, outputs, memory):
    """Return output arrays that nobody refers to, None where too many are referred to."""
    sets = memory.sets.setdefault(name, [])
    for each in sets:
        if each.is_free():
            return each
    if len(sets) == _MOST_SETS:
        return None
    added = _OutputSet(outputs)
    sets.append(added)
    for bound in added.bound:
        memory.outputs[id(bound.array)] = bound
    return added


def _bind(name, session, inputs, outputs, results, key, memory):
    """Return a binding of output arrays, and of the arrays of other sets that ``key`` names."""
    binding = session.io_binding()
    for port, bound in zip(outputs, results.bound, strict=True):
        binding.bind_ortvalue_output(port.name, bound.value)
    for place, (port, mark) in enumerate(zip(inputs, key, strict=True)):
        if mark:
            binding.bind_ortvalue_input(port.name, memory.outputs[mark].value)
        elif not port.is_large:
            bound = memory.staged.setdefault((name, place), None) or _Bound(port)
            memory.staged[name, place] = bound
            binding.bind_ortvalue_input(port.name, bound.value)
    if len(results.bindings) == _MOST_BINDINGS:
        results.bindings.clear()
    results.bindings[key] = binding
    return binding


def _bind_for_now(binding, port, array):
    """Bind an array; return what must live until the sub-DNN has run."""
    array = np.ascontiguousarray(array)
    address = array.ctypes.data
    binding.bind_input(port.name, "cpu", 0, port.type, port.shape, address)
    return array


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
