"""In which order arguments, decorators and defaults are evaluated, and what is wrong with them."""

import inspect
import typing

from torch.utils.checkpoint import checkpoint

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


def _noted(log, value):
    log.append(value)
    return value


def _number_of(*positional, **keywords):
    return len(positional) + len(keywords)


@case(inputs=BOTH)
def keywords_that_are_no_texts(x):
    """A keyword that is no text is found when all arguments are there, one given twice before."""
    log = []
    try:
        log.append(_number_of(**{1: _noted(log, "a")}, b=_noted(log, "b")))
    except TypeError as error:
        log.append(str(error))
    try:
        _number_of(**{1: _noted(log, "c")}, **{1: _noted(log, "d")}, b=_noted(log, "never"))
    except TypeError as error:
        log.append(str(error))
    if x.sum() > 0:
        log.append(_number_of(**{"c": 1}, b=_noted(log, "e")))
    return log


@case(inputs=BOTH)
def decorators_before_defaults(x):
    """Decorators are evaluated from the first one on, then defaults; the last one is called first."""
    log = []

    def decorating(name):
        log.append(name)
        return lambda function: (log.append(f"around {name}"), function)[1]

    @decorating("outer")
    @decorating("inner" if x.sum() > 0 else "other")
    def scaled(y, factor=_noted(log, 2), *, shift=_noted(log, 1)):
        return y * factor + shift

    return scaled(x), log


@case(inputs=[(POSITIVE,), (MIXED,)])
def too_few_arguments(x):
    """Functions of libraries that have no arguments, or others."""
    log = []
    for function in (inspect.isfunction, typing.cast, checkpoint):
        try:
            function()
        except TypeError as error:
            log.append(str(error))
    if x.sum() > 0:
        log.append("positive")
    return log
