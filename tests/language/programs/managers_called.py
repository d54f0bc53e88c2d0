"""Context managers as decorators: an inherited ``__call__`` is one, too."""

import contextlib

from tests.language.harness import MIXED, POSITIVE, case


@contextlib.contextmanager
def _noting(log):
    log.append("in")
    yield
    log.append("out")


class _Noting(contextlib.ContextDecorator):
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")

    def __exit__(self, *_):
        self.log.append("out")


@case(inputs=[(POSITIVE,), (MIXED,)], refused="DYCL039")
def generated_manager(x):
    """A manager made of a generator decorates a function; a TypeError would be caught."""
    log = []
    try:

        @_noting(log)  # <- refused
        def twice(y):
            return y * 2

        return twice(x), log
    except TypeError:  # never
        return x, log  # never


@case(inputs=[(POSITIVE,), (MIXED,)], refused="DYCL039")
def decorating_manager(x):
    """So does one whose class is a ContextDecorator."""
    log = []

    @_Noting(log)  # <- refused
    def twice(y):
        return y * 2

    return twice(x), log
