"""Exceptions as exits: raised under dynamic tests, caught in callers, finally, assert."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class EarlyExit(Exception):
    """Carries the result of an early exit."""

    def __init__(self, output, depth):
        super().__init__("exit")
        self.output = output
        self.depth = depth


class _Stage(nn.Module):
    """A layer that leaves the whole model by raising."""

    def __init__(self, depth):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.depth = depth

    def forward(self, x):
        x = torch.tanh(self.layer(x))
        if x.mean() > 0.2:
            raise EarlyExit(x, self.depth)
        return x


@case(inputs=[*BOTH, (ZERO,), (MIXED * 3,)])
class ExitByException(nn.Module):
    """An exception raised two modules down is caught in the entry point."""

    def __init__(self):
        super().__init__()
        self.stages = nn.Sequential(_Stage(0), _Stage(1), _Stage(2))

    def forward(self, x):
        try:
            y = self.stages(x)
        except EarlyExit as leaving:
            return leaving.output, leaving.depth
        return y, 3


@case(inputs=[*BOTH, (ZERO,)])
def leaves_the_program(x):
    """An exception that nobody catches leaves the program, with its text."""
    if x.sum() > 0:
        raise ValueError(f"positive sum in {tuple(x.shape)}")
    if x.sum() < 0:
        raise EarlyExit(x, 1)
    return x


@case(inputs=BOTH)
def dynamic_assert(x):
    """assert with a dynamic test raises AssertionError with its message."""
    assert x.sum() > 0, "sum must be positive"
    return x


@case(inputs=BOTH)
def assert_message_is_lazy(x):
    """The message of an assert is evaluated only if it fails."""
    calls = []

    def text():
        calls.append(1)
        return "failed"

    try:
        assert x.sum() > 0, text()
    except AssertionError as error:
        return str(error), len(calls)
    return "held", len(calls)


@case(inputs=[*BOTH, (ZERO,), (LARGE,)])
def try_except_else_finally(x):
    """The order of the four parts, in each outcome."""
    log = []
    try:
        log.append("try")
        if x.sum() > 100:
            raise KeyError("large")
        if x.sum() > 0:
            raise ValueError("positive")
        if x.sum() == 0:
            log.append("return")
            return log
    except KeyError:
        log.append("key")
    except (TypeError, ValueError) as error:
        log.append(str(error))
    else:
        log.append("else")
    finally:
        log.append("finally")
    log.append("after")
    return log


@case(inputs=BOTH)
def finally_with_return(x):
    """A return in finally wins over the return and the exception of the body."""

    def inner():
        try:
            if x.sum() > 0:
                return "try"
            raise ValueError
        finally:
            return "finally"  # noqa: B012

    return inner()


@case(inputs=BOTH)
def return_value_before_finally(x):
    """The return value is computed before finally changes the variable."""

    def inner(n):
        try:
            return n
        finally:
            n += 10
            log.append(n)

    log = []
    first = inner(1 if x.sum() > 0 else 2)
    return first, log


@case(inputs=[*BOTH, (ZERO,)])
def reraise(x):
    """A bare raise passes the caught exception on; raise from keeps the new one."""
    try:
        if x.sum() > 0:
            raise KeyError("inner")
        if x.sum() < 0:
            raise IndexError("low")
    except KeyError:
        raise
    except IndexError as error:
        raise RuntimeError("outer") from error
    return x


@case(inputs=[*BOTH, (ZERO,)])
def subclass_is_caught(x):
    """except catches subclasses, the first clause that fits; isinstance of what was caught."""
    try:
        if x.sum() > 0:
            raise IndexError("i")
        elif x.sum() < 0:
            raise EarlyExit(x, 2)
    except LookupError as error:
        return "lookup", isinstance(error, IndexError), error.args
    except Exception as error:
        return type(error).__name__, error.depth
    return "none"


@case(inputs=[(3, 0), (3, 2), (0, 0)])
def python_errors_are_caught(a, b):
    """Exceptions of Python's own operations are caught by type."""
    try:
        quotient = a / b
    except ZeroDivisionError as error:
        return str(error)
    try:
        return [10, 20][a], quotient
    except IndexError:
        return "index", quotient


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def raise_in_loop(x):
    """An exception leaves nested loops at once; the state of before is kept."""
    visited = []
    try:
        for i in range(2):
            for j in range(3):
                visited.append((i, j))
                if x[i, j] < 0:
                    raise StopIteration
    except StopIteration:
        visited.append("stopped")
    return visited


@case(inputs=[(5,), (2,), (0,)])
def try_inside_loop(n):
    """try in each turn of a run-time loop, with continue and break inside."""
    good = 0
    for i in range(n):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            10 // i
            good += 10
        except ZeroDivisionError:
            good += 1
        finally:
            good += 100
    return good


@case(inputs=BOTH)
def exception_variable_is_deleted(x):
    """The name bound by `except as` is gone after the clause."""
    error = "before"
    try:
        if x.sum() > 0:
            raise ValueError("v")
    except ValueError as error:  # noqa: F841
        pass
    return error


@case(inputs=[*BOTH, (POSITIVE / 10,)])
def nested_handlers(x):
    """An exception raised in a handler goes to the outer try; finally runs on the way."""
    log = []
    try:
        try:
            if x.sum() > 0:
                raise ValueError("first")
            log.append("fine")
        except ValueError:
            if x[0, 0] > 0.2:
                raise KeyError("second") from None
            log.append("kept")
        finally:
            log.append("inner")
    except KeyError as error:
        log.append(error.args[0])
    return log


@case(inputs=[(POSITIVE, 2), (POSITIVE, 9), (NEGATIVE, 2)])
class ChecksItsInput(nn.Module):
    """Validation helpers raise errors of several types."""

    def __init__(self):
        super().__init__()
        self.limit = 5

    def check(self, x, n):
        if not 0 <= n < self.limit:
            raise IndexError(f"n must be in [0, {self.limit}), got {n}")
        if (x < 0).any():
            raise ValueError("negative entries: %d" % int((x < 0).sum()))

    def forward(self, x, n: int):
        self.check(x, n)
        return x * n


@case(inputs=BOTH)
def not_implemented(x):
    """raise of a class, and NotImplementedError in a base method."""

    class Base:
        """Has an abstract method."""

        def score(self, value):
            raise NotImplementedError

    class Half(Base):
        """Implements it."""

        def score(self, value):
            return value / 2

    scorer = Half() if x.sum() > 0 else Base()
    return scorer.score(x)
