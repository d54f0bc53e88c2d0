"""Classes defined inside of functions: made at compile time where nothing of the call is in them.

Such a class may use what is known and stays as it is: modules, ``self``, other classes.
"""

import abc
import ast
import builtins
import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import NoReturn

import libcst as cst
import torch

from rewriter.closure import CONTENT
from rewriter.compiled_text import imports_at_top
from rewriter.evaluation.control.class_bodies import has_plain_body, is_bound_once, is_in_loop
from rewriter.evaluation.dispatch import statement_rule
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.names import bind
from rewriter.evaluation.run import Frame
from rewriter.scope import names_read
from rewriter.state import Completion, Next, State
from rewriter.values import Known

_METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)


@statement_rule(cst.ClassDef)
def class_definition(frame: Frame, node: cst.ClassDef, state: State) -> list[Completion]:
    """``class Node: ...`` inside a function."""
    _require_plain(frame, node)
    maker = _maker(frame, node)
    known = _known_names(frame, node, state, maker)
    _require_known_parts(frame, node, known)
    arguments = [known.get(name) for name in maker.co_varnames[: maker.co_argcount]]
    try:
        made = types.FunctionType(maker, frame.globals)(*arguments)
    except Exception as error:
        _refuse(frame, node, f"which raises {type(error).__name__} when it is made")
    made.__qualname__ = f"{frame.source.name}.<locals>.{node.name.value}"
    bind(frame, node, state, node.name.value, Known(made))
    return [Next(state)]


def _refuse(frame: Frame, node: cst.CSTNode, reason: str) -> NoReturn:
    frame.refuse("DYCL001", node, f"a class inside a function {reason} is not supported")


def _require_plain(frame: Frame, node: cst.ClassDef) -> None:
    function = frame.source.node
    if frame.comprehension or not isinstance(function, cst.FunctionDef):
        _refuse(frame, node, "or comprehension")
    if node.keywords or node.type_parameters is not None:
        _refuse(frame, node, "with keywords")
    if not has_plain_body(node):
        _refuse(frame, node, "with more than methods and plain attributes")
    if is_in_loop(function, node) or not is_bound_once(function, node.name.value, node):
        _refuse(frame, node, "which is made again, or whose name is bound again,")


def _maker(frame: Frame, node: cst.ClassDef) -> types.CodeType:
    """Return the code of a function of the enclosing variables that makes the class."""
    text = frame.source.text
    spans = [text.positions[part] for part in (node, *node.decorators)]
    first = min(span.start.line for span in spans) - 1 - text.parsed_offset
    last = spans[0].end.line - text.parsed_offset
    parsed = ast.parse("\n".join(["if True:", *text.lines[first:last]]))
    ast.increment_lineno(parsed, text.first_line + first - 2)
    (block,) = parsed.body
    assert isinstance(block, ast.If)
    names = sorted(names_read(node) & _enclosing_names(frame))
    parameters = ast.arguments(
        posonlyargs=[], args=[ast.arg(arg=name) for name in names], kwonlyargs=[], defaults=[],
        kw_defaults=[],
    )  # fmt: skip
    returned = ast.Return(value=ast.Name(id=node.name.value, ctx=ast.Load()))
    function = ast.FunctionDef(
        name="make", args=parameters, body=[*block.body, returned], decorator_list=[]
    )
    # What the file imports decides how calls of it are compiled.
    body: list[ast.stmt] = [*imports_at_top(text.file), function]
    module = ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))
    whole = compile(module, text.file, "exec", dont_inherit=True)
    return next(part for part in whole.co_consts if isinstance(part, types.CodeType))


def _enclosing_names(frame: Frame) -> frozenset[str]:
    functions = [outer.source.scope.local for outer in (frame, *frame.lexical)]
    return frozenset().union(*functions, frame.closure)


def _known_names(
    frame: Frame, node: cst.ClassDef, state: State, maker: types.CodeType
) -> dict[str, object]:
    """Return what the class reads of the functions around it."""
    parts = (*node.bases, *node.decorators)
    read = frozenset(maker.co_cellvars).union(*map(names_read, parts)) - {node.name.value}
    found: dict[str, object] = {}
    for name in sorted(read & _enclosing_names(frame)):
        known = _variable(frame, state, name)
        if known is None:
            _refuse(frame, node, f"that reads {name!r}, which is not known and fixed,")
        found[name] = known.value
    return found


def _variable(frame: Frame, state: State, name: str) -> Known | None:
    """Return the value of a variable that is known and is never bound again, else None."""
    for outer in (frame, *frame.lexical):
        if name in outer.source.scope.local:
            value = state.frames.get(outer.identity, {}).get(name)
            function = outer.source.node
            fixed = isinstance(function, cst.FunctionDef) and is_bound_once(function, name)
            return value if fixed and isinstance(value, Known) else None
    if name not in frame.closure or CONTENT in frame.run.plan.shared_names:
        return None  # which calls may write
    return Known(frame.closure[name])


def _require_known_parts(frame: Frame, node: cst.ClassDef, known: Mapping[str, object]) -> None:
    for base in node.bases:
        kind = _object(frame, base.value, known)
        plain = type(kind) in _METACLASSES or kind is torch.autograd.Function
        if kind is not typing.NamedTuple and not (
            plain and isinstance(kind, type) and user_method(kind, "__init_subclass__") is None
        ):
            _refuse(frame, node, "with such a base")
    for decorator in node.decorators:
        called = decorator.decorator
        function = called.func if isinstance(called, cst.Call) else called
        if _object(frame, function, known) is not dataclasses.dataclass:
            _refuse(frame, node, "with such a decorator")


def _object(frame: Frame, node: cst.CSTNode, known: Mapping[str, object]) -> object:
    """Return what a name, or an attribute of one, is at compile time."""
    match node:
        case cst.Name(value=name):
            outside = frame.globals.get(name, getattr(builtins, name, None))
            return known.get(name, outside)
        case cst.Attribute(value=owner, attr=cst.Name(value=name)):
            return getattr(_object(frame, owner, known), name, None)
        case _:
            return None
