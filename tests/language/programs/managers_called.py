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


class _Forgiving(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        return kind is ValueError


@_Forgiving()
def _checked(x):
    if x.min() < 0:
        raise ValueError("negative")
    return x * 2


@case(inputs=[(POSITIVE,), (MIXED,)])
def decorating_manager(x):
    """One whose class is a ContextDecorator decorates functions, made in the call or before"""
    log = []

    @_Noting(log)
    def twice(y):
        return y * 2

    return twice(x), _checked(x), log
