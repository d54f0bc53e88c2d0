"""What an ``__exit__`` calls may raise: then the error of the body is not what leaves the call."""

import time

import torch
import torch.nn.functional as F

from tests.language.harness import case

WEIGHT = torch.arange(8.0).reshape(4, 2)
PLACES = [(torch.tensor([1, 2]),), (torch.tensor([0, 9]),), (torch.tensor([3, 0]),)]
COUNTS = [(2,), (0,), (-3,)]


class _Recorder:
    def __init__(self):
        self.stops = 0

    def stop(self, kind):
        self.stops += 1
        if kind is not None:
            raise KeyError("stopped too early")


class _Recording:
    def __init__(self, recorder):
        self.recorder = recorder

    def __enter__(self):
        return self.recorder

    def __exit__(self, kind, error, trace):
        self.recorder.stop(kind)


@case(inputs=COUNTS)
def another_object_raises(n):
    """The object that ``__exit__`` tells of an error raises its own."""
    with _Recording(_Recorder()) as recorder:
        result = 6 // n
    return result, recorder.stops


@case(inputs=PLACES)
def errors_of_rows_are_replaced(x):
    """Rows out of range are found out before, and another error leaves."""
    with _Recording(_Recorder()):
        return F.embedding(x, WEIGHT)


class _Stored:
    def __init__(self, function):
        self.function = function

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.function()


def _fails():
    raise KeyError("fails")


@case(inputs=COUNTS)
def stored_function_raises(n):
    """A function that the manager was given raises."""
    with _Stored(_fails):
        return 6 // n


class _Deep:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.level

    @property
    def level(self):
        raise KeyError("level")


@case(inputs=COUNTS)
def property_raises(n):
    """A property that is read raises."""
    with _Deep():
        return 6 // n


class _Unpacking(_Stored):
    def __exit__(self, kind, error, trace):
        if kind is not None:
            _, _ = (self.function,)


@case(inputs=COUNTS)
def unpacking_raises(n):
    """So does what does not unpack."""
    with _Unpacking(None):
        return 6 // n


class _Timer:
    """Does nothing that may raise."""

    depth = 0

    def __enter__(self):
        self.start = time.perf_counter()
        self.depth += 1
        return self

    def __exit__(self, *error):
        end = time.perf_counter()
        self.elapsed = end - self.start
        self.depth -= 1


class _Inheriting(_Timer):
    def __init__(self, log):
        self.log = log

    def __exit__(self, *error):
        super().__exit__(*error)
        self.log.append(f"left {self.depth}")


@case(inputs=[PLACES[0], PLACES[2]])
def timed(x):
    """A timer raises nothing: errors that the host does not see leave the call as they are."""
    log = []
    with _Timer(), _Inheriting(log) as timer:
        rows = F.embedding(x, WEIGHT)
    return rows, log, timer.depth, timer.elapsed >= 0
