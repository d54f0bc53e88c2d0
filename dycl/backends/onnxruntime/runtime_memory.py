"""Calls sessions of ONNX Runtime, where possible on memory that is bound once."""

import re
import threading
from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as _state

_FAILURES = (_state.Fail, _state.InvalidArgument, _state.RuntimeException)
"""What a session raises when an operator cannot compute with the values it got."""

_INDEXING = ("Gather", "GatherND", "ScatterND")
"""Operators for which PyTorch raises IndexError; for all others it raises RuntimeError."""

_TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int16)": np.int16,
    "tensor(int8)": np.int8, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_,
}  # fmt: skip

IN_BLOCKS = "_in_blocks"
"""The end of the names of a fast graph's inputs and outputs that are laid out in blocks."""

_INFINITY = float("inf")

_MOST_SETS = 4
"""Sets of output arrays that one sub-DNN keeps in one thread."""

_MOST_BINDINGS = 64
"""Of different inputs to one set of output arrays."""

_ALIGNMENT = 64
"""Bytes; sums begin where vectors do, so the last bits of a result depend on where arrays lie."""

_LARGE = 65536
"""Bytes from which it takes less time to bind an array than to copy it to where one is bound."""


def plain_call(name: str, session: Any) -> Callable[..., Any]:
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

    def __init__(self, value, block):
        self.name = value.name
        self.is_in_blocks = self.name.endswith(IN_BLOCKS)
        self.bound_shape = self.shape = tuple(value.shape)
        if self.is_in_blocks:
            n, c, h, w = self.shape
            self.shape = (n, c // block, h, w, block)
        self.type = np.dtype(_TYPES[value.type])
        self.is_large = np.prod(self.shape) * self.type.itemsize >= _LARGE


class _Bound:
    """An array, and the same memory as ONNX Runtime knows it."""

    def __init__(self, port):
        self.array = _aligned(port.shape, port.type)
        view = self.array.reshape(port.bound_shape)
        self.value = onnxruntime.OrtValue.ortvalue_from_numpy(view)


def _aligned(shape, dtype):
    """Return a new array at a round address."""
    # not of another array, to which numpy would make all views refer instead
    memory = bytearray(int(np.prod(shape)) * dtype.itemsize + _ALIGNMENT)
    start = -np.frombuffer(memory, np.uint8).ctypes.data % _ALIGNMENT
    return np.ndarray(shape, dtype, memory, start)


class _OutputSet:
    """Arrays for the results of a sub-DNN, and the bindings that write to them.

    They are written to again when nobody else refers to them any more: views, tensors and
    whatever else shares the memory of an array hold a reference to it.
    """

    def __init__(self, ports):
        self.bound = [_Bound(port) for port in ports]
        self.arrays = [each.array for each in self.bound]
        self.bindings = {}
        self._at_rest = self._references()

    def is_free(self):
        return self._references() == self._at_rest

    def _references(self):
        return [getrefcount(each.array) for each in self.bound]


class Memory(threading.local):
    """What one thread reads and writes, kept for as long as it lives."""

    def __init__(self):
        self.sets = {}
        """Lists of output sets by sub-DNN."""
        self.outputs = {}
        """Every ``_Bound`` of these sets by the identity of its array."""
        self.staged = {}
        """Where inputs from elsewhere are copied to: by sub-DNN and place."""


def prebound(name, session, plain, memory, fast):
    """Return a function that reads and writes memory that is bound once, not in each call.

    Results of sub-DNNs are read where they are. Other arrays are copied to where one is
    bound or, large ones, bound for this call. What does not fit is left to ``plain``, as is what
    a fast graph may be wrong about: it says so by sums of squares that are not finite.
    """
    inputs = [_Port(value, fast["block"]) for value in session.get_inputs()]
    outputs = [_Port(value, fast["block"]) for value in session.get_outputs()]
    count = len(outputs) - fast["sums"]
    is_single = count == 1

    def call(*arrays):
        known = memory.outputs
        key = tuple([mark if (mark := id(array)) in known else 0 for array in arrays])
        results = _free_set(name, outputs, memory)
        binding = results.bindings.get(key)
        if binding is None:
            binding = _bind(name, session, inputs, outputs, results, key, memory)
        held = binding and _give(name, binding, inputs, key, arrays, memory)
        if held is None:
            return plain(*arrays)
        try:
            session.run_with_iobinding(binding)
        except (*_FAILURES, RuntimeError) as failure:
            raise _as_pytorch(name, failure) from failure
        del held  # not earlier: the binding has their addresses only
        found = results.arrays
        for squares in found[count:]:
            if not squares.item() < _INFINITY:
                return plain(*arrays)
        return found[0] if is_single else found[:count]

    return call


def is_bindable(session):
    """Return whether all is known about what a session takes and gives but the numbers."""
    values = (*session.get_inputs(), *session.get_outputs())
    return all(value.type in _TYPES and _is_static(value.shape) for value in values)


def _is_static(shape):
    return all(isinstance(size, int) for size in shape)


def _free_set(name, outputs, memory):
    """Return output arrays that nobody refers to, for this call only where many are kept.

    Another graph would do with less, but its results would have other last bits.
    """
    sets = memory.sets.setdefault(name, [])
    for each in sets:
        if each.is_free():
            return each
    added = _OutputSet(outputs)
    if len(sets) == _MOST_SETS:
        return added
    sets.append(added)
    for bound in added.bound:
        memory.outputs[id(bound.array)] = bound
    return added


def _bind(name, session, inputs, outputs, results, key, memory):
    """Return a binding of output arrays, and of the arrays of other sets that ``key`` names.

    None where one of these is laid out in another way.
    """
    for port, mark in zip(inputs, key, strict=True):
        if mark and memory.outputs[mark].array.shape != port.shape:
            return None
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


def _give(name, binding, inputs, key, arrays, memory):
    """Bind what is bound for this call only; return what must live until the sub-DNN has run.

    None where an array is none that fits.
    """
    held = []
    for place, mark in enumerate(key):
        if not mark:
            port, array = inputs[place], arrays[place]
            if array.shape != port.shape or array.dtype != port.type:
                return None  # plain says what is wrong
            if port.is_large:
                held.append(_bind_for_now(binding, port, array))
            else:
                memory.staged[name, place].array[...] = array
    return held


def _bind_for_now(binding, port, array):
    """Bind an array; return what must live until the sub-DNN has run."""
    array = np.ascontiguousarray(array)
    address = array.ctypes.data
    binding.bind_input(port.name, "cpu", 0, port.type, port.bound_shape, address)
    return array


def _as_pytorch(name: str, failure: Exception) -> Exception:
    """Return an error of the type that PyTorch raises: an index out of range, a zero division."""
    text = str(failure)
    operator = re.search(r"while running (\w+) node", text)
    kind = IndexError if operator is not None and operator[1] in _INDEXING else RuntimeError
    return kind(f"{name}: {text.splitlines()[0]}")
