"""Whether ``__exit__`` may end the exception of the body: it returns a value, or raises."""

import builtins
import dis
import types

import libcst as cst

from rewriter.descendants import descendants
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.known_paths import is_library
from rewriter.source import function_source


def may_end_exception(leave: types.FunctionType, kind: type | None) -> bool:
    """Return whether a user's ``__exit__`` may return a true value, or raise itself."""
    returns = any(map(_returns, descendants(function_source(leave).node)))
    return returns or _may_raise(leave, kind, set())


def _returns(node: cst.CSTNode) -> bool:
    match node:
        case cst.Return(value=None | cst.Name(value="None")):
            return False
        case _:
            return isinstance(node, cst.Return)


def _may_raise(function: types.FunctionType, kind: type | None, seen: set[object]) -> bool:
    """Return whether a function has what may raise, or calls one of the user's that has."""
    if function in seen:
        return False
    seen.add(function)
    if _reads_missing(function):
        return True
    nodes = list(descendants(function_source(function).node))
    called = [_called(node, function, kind) for node in nodes if isinstance(node, cst.Call)]
    return any(map(_raises, nodes)) or any(_may_raise(f, kind, seen) for f in called if f)


def _raises(node: cst.CSTNode) -> bool:
    match node:
        case cst.BinaryOperation(operator=cst.Divide() | cst.FloorDivide() | cst.Modulo()):
            return True
        case _:
            return isinstance(node, cst.Raise | cst.Assert | cst.Subscript)


def _reads_missing(function: types.FunctionType) -> bool:
    """Return whether a function reads a global variable that there is not."""
    return any(
        instruction.opname == "LOAD_GLOBAL"
        and instruction.argval not in function.__globals__
        and not hasattr(builtins, instruction.argval)
        for instruction in dis.get_instructions(function)
    )


def _called(
    call: cst.Call, function: types.FunctionType, kind: type | None
) -> types.FunctionType | None:
    """Return the function of the user's that is called by name, or as a method of ``self``."""
    match call.func:
        case cst.Name(value=name):
            found = function.__globals__.get(name)
            own = isinstance(found, types.FunctionType) and not is_library(found.__module__)
            return found if own else None
        case cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=name)) if kind:
            is_self = function.__code__.co_varnames[:1] == (owner,)
            return user_method(kind, name) if is_self else None
        case _:
            return None
