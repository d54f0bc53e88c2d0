"""Calls sessions of ONNX Runtime, where possible on memory that is bound once."""

import re
import threading
from collections.abc import Callable
from functools import partial
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

_FEW_SETS, _MOST_SETS = 4, 64
"""Sets of output arrays that one sub-DNN keeps in one thread: if they are large, and if small."""

_KEPT = 65536
"""Bytes of these arrays that are kept where that is more than a few sets."""

_MOST_BINDINGS = 64
"""Of different inputs to one set of output arrays."""

_ALIGNMENT = 64
"""Bytes; sums begin where vectors do, so the last bits of a result depend on where arrays lie."""

_SMALL = 4096
"""Bytes up to which it takes less time to copy an array than to see whether it is bound."""

_LARGE = 65536
"""Bytes from which it takes less time to bind an array than to copy it to where one is bound."""


def plain_call(name: str, session: Any) -> Callable[..., Any]:
    """Return a function of a session's inputs ``x0, x1, ...``."""
    run = _direct(session).run
    inputs = tuple(value.name for value in session.get_inputs())
    outputs = [value.name for value in session.get_outputs()]
    is_single = len(outputs) == 1

    def call(*arrays: Any) -> Any:
        try:
            results = run(outputs, dict(zip(inputs, arrays, strict=True)), None)
        except _FAILURES as failure:
            raise _as_pytorch(name, failure) from failure
        return results[0] if is_single else results

    return call


def _direct(session: Any) -> Any:
    """Return what a session calls itself, after checks that take as long as a small sub-DNN.

    They are about names, which are right here, and about providers other than the CPU's.
    """
    is_on_cpu = session.get_providers() == ["CPUExecutionProvider"]
    return getattr(session, "_sess", session) if is_on_cpu else session


def _runner(session: Any) -> Callable[[Any], Callable[[], None]]:
    """Return a function that makes of a binding a function that runs the session on it."""
    inner = _direct(session)
    run: Any = inner.run_with_iobinding
    if inner is session:
        return lambda binding: partial(run, binding)
    return lambda binding: partial(run, binding._iobinding, None)


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
        self.size = int(np.prod(self.shape)) * self.type.itemsize


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

    def __init__(self, ports, count):
        self.bound = [_Bound(port) for port in ports]
        self.arrays = [each.array for each in self.bound[:count]]
        self.squares = [each.array for each in self.bound[count:]]
        self.runs = {}
        """A function that runs the sub-DNN by what it reads: see ``_Place.run_for``."""
        self.references = sum(map(getrefcount, self.arrays))
        """To the arrays where nobody else has one: others can only add to them."""

    def is_free(self):
        return sum(map(getrefcount, self.arrays)) == self.references


class _Place:
    """What one thread keeps for one sub-DNN."""

    def __init__(self, session, inputs, outputs, count, known):
        self.session, self.inputs, self.outputs, self.known = session, inputs, outputs, known
        self.count = count
        self.runner = _runner(session)
        self.sets = []
        self.next = 0
        """Where to look for a free set first: those before it are likely to be in use."""
        self.staged: list[Any] = [None if port.size >= _LARGE else _Bound(port) for port in inputs]
        """Where inputs from elsewhere are copied to."""
        self.small, self.others = [], []
        for place, port in enumerate(inputs):
            form = place, port.shape, port.type
            if port.size <= _SMALL:
                self.small.append((*form, self.staged[place].array))
            else:
                self.others.append(form)
        size = max(1, sum(port.size for port in outputs))
        self.most = max(_FEW_SETS, min(_MOST_SETS, _KEPT // size))

    def free_set(self):
        """Return output arrays that nobody refers to, for this call only where many are kept.

        Another graph would do with less, but its results would have other last bits.
        """
        sets, place = self.sets, self.next
        if place < len(sets) and sets[place].is_free():
            self.next = place + 1
            return sets[place]
        for place, each in enumerate(sets):
            if each.is_free():
                self.next = place + 1
                return each
        added = _OutputSet(self.outputs, self.count)
        if len(sets) < self.most:
            sets.append(added)
            self.next = len(sets)
            for bound in added.bound:
                self.known[id(bound.array)] = bound
        return added

    def run_for(self, results, arrays):
        """Return a function that runs the sub-DNN on arrays, and what must live until it ran.

        None in its place where one of the arrays that are not small does not fit. Results of
        sub-DNNs that are kept are read where they are, of which the function is found by their
        identities the next time; others are copied or, if large, bound for this call.
        """
        known, marks = self.known, {}
        for place, shape, dtype in self.others:
            array = arrays[place]
            if array.shape != shape or array.dtype != dtype:
                return None, None
            if id(array) in known:
                marks[place] = id(array)
        key = tuple(marks.get(place, 0) for place, *_ in self.others)
        if key not in results.runs:
            self._bind(results, key, marks)
        run, binding = results.runs[key]
        held = []
        for place, *_ in self.others:
            if place in marks:
                continue
            if self.staged[place] is None:
                held.append(_bind_for_now(binding, self.inputs[place], arrays[place]))
            else:
                self.staged[place].array[...] = arrays[place]
        return run, held

    def _bind(self, results, key, marks):
        """Bind output arrays, and of the arrays of other sets those that are marked."""
        binding = self.session.io_binding()
        for port, bound in zip(self.outputs, results.bound, strict=True):
            binding.bind_ortvalue_output(port.name, bound.value)
        for place, port in enumerate(self.inputs):
            bound = self.known[marks[place]] if place in marks else self.staged[place]
            if bound is not None:
                binding.bind_ortvalue_input(port.name, bound.value)
        if len(results.runs) == _MOST_BINDINGS:
            results.runs.clear()
        results.runs[key] = self.runner(binding), binding


class Memory(threading.local):
    """What one thread reads and writes, kept for as long as it lives."""

    def __init__(self):
        self.places = {}
        """A ``_Place`` by sub-DNN."""
        self.outputs = {}
        """Every ``_Bound`` of output sets by the identity of its array."""


def prebound(name, session, plain, memory, fast):
    """Return a function that reads and writes memory that is bound once, not in each call.

    Small arrays are copied to where one is bound. Of others, results of sub-DNNs are read where
    they are, and what comes from elsewhere is copied or, if large, bound for this call. What does
    not fit is left to ``plain``, as is what a fast graph may be wrong about: it says so by sums of
    squares that are not finite.
    """
    inputs = [_Port(value, fast["block"]) for value in session.get_inputs()]
    outputs = [_Port(value, fast["block"]) for value in session.get_outputs()]
    count = len(outputs) - fast["sums"]
    others = [place for place, port in enumerate(inputs) if port.size > _SMALL]

    def new_place():
        place = _Place(session, inputs, outputs, count, memory.outputs)
        return memory.places.setdefault(name, place)

    def call(*arrays):
        # Each statement counts: many sub-DNNs run for some ten microseconds.
        kept = memory.places.get(name) or new_place()
        for place, shape, dtype, staged in kept.small:
            array = arrays[place]
            if array.shape != shape or array.dtype != dtype:
                return plain(*arrays)  # which says what is wrong
            staged[...] = array
        results = kept.free_set()
        kept_run = results.runs.get(tuple([id(arrays[place]) for place in others]))
        run, held = (kept_run[0], ()) if kept_run else kept.run_for(results, arrays)
        if run is None:
            return plain(*arrays)
        try:
            run()
        except (*_FAILURES, RuntimeError) as failure:
            raise _as_pytorch(name, failure) from failure
        del held  # not earlier: the binding has their addresses only
        for squares in results.squares:
            if not squares.item() < _INFINITY:
                return plain(*arrays)
        return results.arrays[0] if count == 1 else results.arrays[:]

    return call


def is_bindable(session):
    """Return whether all is known about what a session takes and gives but the numbers."""
    values = (*session.get_inputs(), *session.get_outputs())
    return all(value.type in _TYPES and _is_static(value.shape) for value in values)


def _is_static(shape):
    return all(isinstance(size, int) for size in shape)


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
