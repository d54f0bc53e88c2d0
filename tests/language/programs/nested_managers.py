"""Several managers in one ``with``: each sees what the later ones raise, as in nested statements."""

import contextlib

from tests.language.harness import case

COUNTS = [(2,), (0,), (-1,)]


class _Logged:
    """Notes when it is entered and left, and what with."""

    def __init__(self, log, name, swallows=False):
        self.log, self.name, self.swallows = log, name, swallows

    def __enter__(self):
        self.log.append(f"enter {self.name}")
        return self

    def __exit__(self, kind, error, trace):
        self.log.append(f"exit {self.name} {kind.__name__ if kind else None}")
        return self.swallows


class _Failing(_Logged):
    """Cannot be entered where n is negative, or at all."""

    def __init__(self, log, name, n):
        super().__init__(log, name)
        if n == 0:
            raise KeyError(name)
        self.n = n

    def __enter__(self):
        if self.n < 0:
            raise RuntimeError(self.name)
        return self.n, 1


@contextlib.contextmanager
def _section(log, name):
    log.append(f"begin {name}")
    try:
        yield name
    except KeyError:
        log.append("key")
    finally:
        log.append(f"end {name}")


@case(inputs=COUNTS)
def second_manager_raises(n):
    """The first manager is left when the second cannot be made or entered."""
    log = []
    try:
        with _Logged(log, "a") as a, _Failing(log, "b", n) as (count, one):
            log.append(count + one)
    except (RuntimeError, KeyError) as error:
        log.append(str(error))
    return log, a.name


@case(inputs=COUNTS)
def first_manager_swallows(n):
    """It may end the exception of the second: the statement after follows."""
    log = []
    with _Logged(log, "a", True), _Failing(log, "b", n) as pair:
        log.append(pair)
    return log


@case(inputs=COUNTS)
def generated_and_suppressing(n):
    """Generator functions and suppress see it, too."""
    log = []
    with _section(log, "a"), contextlib.suppress(RuntimeError), _Failing(log, "b", n):
        log.append("body")
    with contextlib.suppress(KeyError, RuntimeError), _Failing(log, "c", n) as (count, _):
        log.append(count)
    return log


@case(inputs=COUNTS)
def target_does_not_fit(n):
    """What is entered has no third part: the manager is left with the error."""
    log = []
    try:
        with _section(log, "a"), _Failing(log, "b", n) as (_, _, _):
            log.append("body")  # never
    except (RuntimeError, ValueError) as error:
        log.append(str(error))
    return log


class _Renaming:
    """Raises another error than the body."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            raise RuntimeError("renamed")


@case(inputs=COUNTS)
def exit_raises_another(n):
    """What __exit__ raises takes the place of the body's error."""
    try:
        with _Renaming():
            return 6 // n
    except RuntimeError as error:
        return str(error)


class _Entered(contextlib.AbstractContextManager):
    """Inherits how it is entered."""

    def __init__(self, log):
        self.log = log

    def __exit__(self, kind, error, trace):
        self.log.append(kind.__name__ if kind else "no error")


@case(inputs=COUNTS)
def inherited_enter(n):
    """AbstractContextManager gives the manager itself."""
    log = []
    try:
        with _Entered(log) as manager:
            if n < 0:
                raise KeyError(n)
    except KeyError:
        log.append("seen")
    return log, manager.log is log
