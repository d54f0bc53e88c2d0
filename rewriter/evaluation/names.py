"""Names and literals: Python's lookup of locals, enclosing scopes, globals and builtins."""

import builtins
import types

import libcst as cst

from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.instances.shared_attributes import (
    free_variable,
    shared_variable,
    write_cell,
    write_global,
)
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value


@expression_rule(cst.Integer, cst.Float, cst.Imaginary)
def number(frame: Frame, node: cst.BaseNumber, state: State) -> Outcomes:
    """``1``, ``0.5``, ``2j``."""
    del frame
    assert isinstance(node, cst.Integer | cst.Float | cst.Imaginary)
    yield state, Known(node.evaluated_value)


@expression_rule(cst.Ellipsis)
def ellipsis(frame: Frame, node: cst.Ellipsis, state: State) -> Outcomes:
    """``...``."""
    del frame, node
    yield state, Known(Ellipsis)


@expression_rule(cst.Name)
def name(frame: Frame, node: cst.Name, state: State) -> Outcomes:
    """Read a variable."""
    found = lookup(frame, state, node.value)
    if found is not None:
        yield state, found
        return
    if frame.run.unbound_reads:
        frame.run.unbound_reads[-1].update(
            (owner.identity, node.value) for owner in (frame, *frame.lexical)
        )
    if node.value in frame.source.scope.local and not frame.comprehension:
        error: NameError = UnboundLocalError(
            f"cannot access local variable '{node.value}' where it is not associated with a value"
        )
    else:
        error = NameError(f"name '{node.value}' is not defined")
    frame.run.raise_known(state, error)


def lookup(frame: Frame, state: State, wanted: str) -> Value | None:
    """Return what a name stands for, None where it is unbound."""
    scope = frame.source.scope
    if wanted in state.frames[frame.identity]:
        return state.frames[frame.identity][wanted]
    if wanted in scope.local and not frame.comprehension:
        return None
    for outer in () if wanted in scope.declared_global else frame.lexical:
        variables = state.frames.get(outer.identity, {})
        if wanted in variables:
            return variables[wanted]
        if wanted in outer.source.scope.local and not outer.comprehension:
            return None
    if wanted not in scope.declared_global and wanted in frame.closure:
        content = frame.closure[wanted]
        return free_variable(frame, state, wanted) or Known(
            content, frame.run.paths.get(id(content))
        )
    return shared_variable(frame, state, wanted) or _global(frame, wanted)


def _global(frame: Frame, wanted: str) -> Value | None:
    if wanted in frame.globals:
        content = frame.globals[wanted]
        return Known(content, wanted if _has_stable_path(content) else None)
    if hasattr(builtins, wanted):
        return Known(getattr(builtins, wanted), wanted)
    return None


def _has_stable_path(content: object) -> bool:
    """Return whether generated code can reach a global by an import of its own."""
    return isinstance(content, types.ModuleType) and is_library(content.__name__)


@expression_rule(cst.NamedExpr)
def named_expression(frame: Frame, node: cst.NamedExpr, state: State) -> Outcomes:
    """``(name := value)``; binds in the enclosing function, also from a comprehension."""
    assert isinstance(node.target, cst.Name)
    for after, value in evaluate(frame, node.value, state):
        owner = next(f for f in (frame, *frame.lexical) if not f.comprehension)
        if owner is not frame:
            frame.run.effects += 1
        bind(owner, node, after, node.target.value, value)
        yield after, value


def bind(frame: Frame, node: cst.CSTNode, state: State, target: str, value: Value) -> None:
    """Assign a name as Python would, and let temporaries take the user's name."""
    if target in frame.source.scope.declared_global:
        write_global(frame, node, state, target, value)
        return
    nonlocal_to_frame = target in frame.source.scope.declared_nonlocal and not frame.comprehension
    owner = _enclosing_owner(frame, state, target) if nonlocal_to_frame else frame
    if owner is None:
        if target not in frame.closure:
            frame.refuse("DYCL055", node, f"nonlocal variable {target!r} outlives the call")
        write_cell(frame, node, state, frame.closure.cells[target], target, value)
        return
    if isinstance(value, TensorValue | ScalarValue):
        frame.run.builder.suggest(value.name, target)
    if nonlocal_to_frame:
        frame.run.effects += 1
    state.frames[owner.identity][target] = value


def _enclosing_owner(frame: Frame, state: State, target: str) -> Frame | None:
    """Return the frame of the call that has a nonlocal variable, None where there is none."""
    for outer in frame.lexical:
        if outer.comprehension:
            continue
        if target in outer.source.scope.local and outer.identity in state.frames:
            return outer
    return None
