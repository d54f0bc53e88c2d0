"""Calls sessions of ONNX Runtime, where possible on memory that is bound once."""

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dycl.backends.onnxruntime.runtime_arrays import (
    LARGE,
    SMALL,
    Bound,
    OutputSet,
    Port,
    bind_for_now,
)
from dycl.backends.onnxruntime.runtime_calls import (
    functions_of,
    plain_function,
)
from dycl.backends.onnxruntime.runtime_sessions import (
    CPU,
    FAILURES,
    SETTINGS,
    as_pytorch,
)

_FEW_SETS, _MOST_SETS = 4, 64
"""Sets of output arrays that one sub-DNN keeps in one thread: if they are large, and if small."""

_KEPT = 65536
"""Bytes of these arrays that are kept where that is more than a few sets."""

_MOST_BINDINGS = 64
"""Of different inputs to one set of output arrays."""

_MOST_PLANS = 1024
"""Of which a sub-DNN remembers in one thread that they ran last."""


def plain_call(name: str, session: Any, told: Sequence[int]) -> Any:
    """Return a function of a session's inputs ``x0, x1, ...``; ``told`` of them are indices."""
    outputs = [value.name for value in session.get_outputs()]
    return plain_function(
        [value.name for value in session.get_inputs()],
        len(outputs),
        told,
        {
            "name": name,
            "run": _direct(session).run,
            "outputs": outputs,
            "settings": SETTINGS,
            "failures": FAILURES,
            "as_pytorch": as_pytorch,
        },
    )


def _direct(session: Any) -> Any:
    """Return what a session calls itself, after checks that take as long as a small sub-DNN.

    They are about names, which are right here, and about providers other than the CPU's.
    """
    is_on_cpu = session.get_providers() == [CPU]
    return getattr(session, "_sess", session) if is_on_cpu else session


def _runner(session: Any) -> Callable[[Any], Callable[[], None]]:
    """Return a function that makes of a binding a function that runs the session on it."""
    inner = _direct(session)
    run: Any = inner.run_with_iobinding
    if inner is session:
        return lambda binding: partial(run, binding)
    return lambda binding: partial(run, binding._iobinding, SETTINGS)


class _Place:
    """What one thread keeps for one sub-DNN."""

    def __init__(self, session, inputs, outputs, references, known, plans, finite):
        self.session, self.inputs, self.outputs, self.known = session, inputs, outputs, known
        self.references, self.plans, self.finite = references, plans, finite
        self.runner = _runner(session)
        self.sets = []
        self.next = 0
        """Where to look for a free set first: those before it are likely to be in use."""
        self.staged: list[Any] = [None if port.size >= LARGE else Bound(port) for port in inputs]
        """Where inputs from elsewhere are copied to."""
        self.small = [
            bound.array
            for port, bound in zip(inputs, self.staged, strict=True)
            if port.size <= SMALL
        ]
        self.others = [
            (place, port.shape, port.type) for place, port in enumerate(inputs) if port.size > SMALL
        ]
        size = max(1, sum(port.size for port in outputs))
        self.most = max(_FEW_SETS, min(_MOST_SETS, _KEPT // size))

    def free_set(self):
        """Return output arrays that nobody refers to, and whether they are kept.

        Where many are kept already they are for this call only. Another graph would do with less,
        but its results would have other last bits.
        """
        sets, place = self.sets, self.next
        if place < len(sets) and sets[place].is_free():
            self.next = place + 1
            return sets[place], True
        for place, each in enumerate(sets):
            if each.is_free():
                self.next = place + 1
                return each, True
        added = OutputSet(self.outputs, self.references)
        if len(sets) == self.most:
            return added, False
        sets.append(added)
        self.next = len(sets)
        for bound in added.bound:
            self.known[id(bound.array)] = bound
        return added, True

    def plan_for(self, arrays):
        """Return a plan to run the sub-DNN on arrays, and what must live until it ran.

        None in its place where one of the arrays that are not small does not fit, or is not finite
        where it must be: results that are kept are known to be. Results of
        sub-DNNs that are kept are read where they are: the caller finds the plan by their
        identities the next time. Others are copied or, if large, bound for this call.
        """
        known, marks, elsewhere = self.known, [], []
        for place, shape, dtype in self.others:
            array = arrays[place]
            if array.shape != shape or array.dtype != dtype:
                return None, None
            mark = id(array) if id(array) in known else 0
            marks.append(mark)
            if not mark:
                if place in self.finite and not _is_finite(array):
                    return None, None
                elsewhere.append(place)
        key = tuple(marks)
        plan = self.plans.get(key)
        if plan is None or self.references(plan[2]) != plan[3]:
            plan = self._free_plan(key)
        held = []
        for place in elsewhere:
            if self.staged[place] is None:
                held.append(bind_for_now(plan[4], self.inputs[place], arrays[place]))
            else:
                self.staged[place].array[...] = arrays[place]
        return plan, held

    def _free_plan(self, key):
        """Return a plan that writes to arrays that nobody refers to."""
        results, is_kept = self.free_set()
        if key not in results.plans:
            if len(results.plans) == _MOST_BINDINGS:
                results.plans.clear()
            results.plans[key] = self._new_plan(results, key)
        plan = results.plans[key]
        if is_kept:
            if len(self.plans) == _MOST_PLANS:
                self.plans.clear()
            self.plans[key] = plan
        return plan

    def _new_plan(self, results, key):
        """Bind output arrays, and of the arrays of other sets those that are marked."""
        binding = self.session.io_binding()
        for port, bound in zip(self.outputs, results.bound, strict=True):
            binding.bind_ortvalue_output(port.name, bound.value)
        marks = {place: mark for (place, *_), mark in zip(self.others, key, strict=True) if mark}
        for place, port in enumerate(self.inputs):
            bound = self.known[marks[place]] if place in marks else self.staged[place]
            if bound is not None:
                binding.bind_ortvalue_input(port.name, bound.value)
        run = self.runner(binding)
        return run, self.small, results.arrays, results.fewest, binding


class Memory(threading.local):
    """What one thread reads and writes, kept for as long as it lives."""

    def __init__(self):
        self.places = {}
        """A ``_Place`` by sub-DNN."""
        self.plans: Any = defaultdict(dict)
        """By sub-DNN, then by the identities of what is read, which plan ran last: a function
        that runs it, arrays to which small inputs are copied, arrays that it writes to, the
        references to its results where nobody else has one, and the binding."""
        self.outputs = {}
        """Every ``Bound`` of output sets by the identity of its array."""


def prebound(name, session, plain, memory, fast, told):
    """Return a function that reads and writes memory that is bound once, not in each call.

    Small arrays are copied to where one is bound. Of others, results of sub-DNNs are read where
    they are, and what comes from elsewhere is copied or, if large, bound for this call. What does
    not fit is left to ``plain``, as is what a fast graph may be wrong about: it says so by sums of
    squares that are not finite. So are negative numbers where inputs are ``told`` to be indices.
    """
    inputs = [Port(value, fast["block"]) for value in session.get_inputs()]
    outputs = [Port(value, fast["block"]) for value in session.get_outputs()]

    def plan_for(*arrays):
        place = memory.places.get(name)
        if place is None:
            plans = memory.plans[name]
            known, finite = memory.outputs, fast["finite"]
            place = _Place(session, inputs, outputs, references, known, plans, finite)
            memory.places[name] = place
        return place.plan_for(arrays)

    references, call = functions_of(
        inputs,
        outputs[: len(outputs) - fast["sums"]],
        fast["sums"],
        told,
        {
            "name": name,
            "memory": memory,
            "plan_for": plan_for,
            "plain": plain,
            "failures": (*FAILURES, RuntimeError),
            "as_pytorch": as_pytorch,
        },
    )
    return call


def _is_finite(array):
    """Return whether the sum of an array's squares is finite."""
    flat = array.reshape(-1)
    return bool(np.dot(flat, flat) < np.inf)
