"""What an ``__exit__`` looks at of the error that it gets."""

import functools
import types
from collections.abc import Callable, Iterator

import libcst as cst

from rewriter.descendants import descendants
from rewriter.evaluation.control.passed_errors import TELLING
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.source import function_source
from rewriter.state import State
from rewriter.values import Known, MethodValue


def ignores_error(state: State, leave: MethodValue) -> bool:
    """Return whether a method only asks of the error that it gets whether there is one."""
    return _is_so_of_all(state, leave, _asks_nothing)


def tells_kinds_apart(state: State, leave: MethodValue) -> bool:
    """Return whether a method asks no more of the error that it gets than of which class it is."""
    return _is_so_of_all(state, leave, _asks_for_kind)


def _is_so_of_all(
    state: State, leave: MethodValue, asks: Callable[[types.FunctionType], bool]
) -> bool:
    """Return whether something is so of a method, and of those that it may inherit."""
    function = leave.function.value if isinstance(leave.function, Known) else None
    kind = class_of(state, leave.receiver)
    bases = () if kind is None else kind.__mro__
    inherited = [vars(base)["__exit__"] for base in bases if "__exit__" in vars(base)]
    return all(
        isinstance(each, types.FunctionType) and asks(each) for each in (function, *inherited)
    )


@functools.lru_cache(maxsize=256)
def _asks_nothing(function: types.FunctionType) -> bool:
    given = frozenset(_parameters(function))
    return not given & {name.value for name in _asked_more(function)}


@functools.lru_cache(maxsize=256)
def _asks_for_kind(function: types.FunctionType) -> bool:
    kind, *others = _parameters(function)
    node = function_source(function).node
    of_class = {id(name) for each in descendants(node.body) for name in _of_class(each)}
    names = {name.value for name in _asked_more(function) if id(name) not in of_class}
    return not names & {*others, *TELLING} and (len(others) == 2 or kind not in names)


def _parameters(function: types.FunctionType) -> tuple[str, ...]:
    """Return the names of what describes the error: its class first, or all in one tuple."""
    code = function.__code__
    count = code.co_argcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return code.co_varnames[1:count]


def _asked_more(function: types.FunctionType) -> Iterator[cst.Name]:
    """Yield the names in a method that are not only asked for what is there, or its class."""
    node = function_source(function).node
    asked = {id(name) for each in descendants(node.body) for name in _compared(each)}
    for each in descendants(node.body):
        if isinstance(each, cst.Name) and id(each) not in asked:
            yield each


def _compared(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield what is only compared with None, or asked for its truth."""
    match node:
        case cst.Comparison(
            left=left,
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.Is() | cst.IsNot(), comparator=cst.Name(value="None")
                )
            ],
        ):
            yield left
        case cst.UnaryOperation(operator=cst.Not(), expression=asked):
            yield asked
        case cst.If(test=asked) | cst.IfExp(test=asked):
            yield asked
        case cst.Del():
            yield from descendants(node)
        case cst.Call(func=cst.Attribute(value=cst.Call(func=cst.Name(value="super")))):
            yield from (each.value for each in node.args)


def _of_class(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield what is only asked of which class it is."""
    match node:
        case cst.Call(func=cst.Name(value="isinstance"), args=[asked, _]):
            yield asked.value
        case cst.Call(func=cst.Name(value="type"), args=[asked]):
            yield asked.value
