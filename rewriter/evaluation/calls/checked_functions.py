"""Calls of functions around which types are checked: the function itself, if the types fit."""

import types

import libcst as cst

from rewriter.annotated_types import Undescribed
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.inlining import bind
from rewriter.evaluation.calls.misfits import misfit
from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import checking_arguments
from rewriter.state import State
from rewriter.type_checkers import Checked, checked, checker, refuse_borrowed_sizes
from rewriter.values import NONE, Known, Value


def call_checked(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    content: types.FunctionType,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Call what a checker of types stands around; None for functions that are not checked."""
    if checker(content) is None:
        return None
    try:
        told = checked(content)
        refuse_borrowed_sizes(told)
    except (Undescribed, NameError, TypeError) as error:
        name = content.__qualname__
        frame.refuse(
            "DYCL039", node, f"types are checked around {name} that are not known: {error}"
        )
    return _called(frame, node, state, told, positional, keywords)


def _called(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    told: Checked,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    try:
        values, kinds = _annotated(told, positional, keywords)
    except TypeError:
        name = told.function.__qualname__
        error = misfit(name, told.signature, positional, keywords)
        frame.run.raise_known(state, error)
        return
    for before, sizes in _sizes(frame, node, state, told):
        for fitting in _fitting(frame, node, before, values, kinds, sizes):
            called = call_value(frame, node, fitting, Known(told.function), positional, keywords)
            for after, result in called:
                if told.result is None:
                    yield after, result
                    continue
                for done in _fitting(frame, node, after, [result], [told.result], sizes):
                    yield done, result


def _annotated(
    told: Checked, positional: list[Value], keywords: dict[str, Value]
) -> tuple[list[Value], list[object]]:
    """Return the arguments that have an annotation, and what it says of each."""
    bound = bind(told.signature, positional, keywords)
    values: list[Value] = []
    kinds: list[object] = []
    for name, given in bound.arguments.items():
        kind = told.signature.parameters[name].kind
        each = [given]
        if kind is kind.VAR_POSITIONAL:
            each = [*given]
        elif kind is kind.VAR_KEYWORD:
            each = [*given.values()]
        if name in told.parameters:
            values += each
            kinds += [told.parameters[name]] * len(each)
    return values, kinds


def _sizes(frame: Frame, node: cst.CSTNode, state: State, told: Checked) -> Outcomes:
    """Make the table of what names of dimensions stand for, where there is one."""
    if told.has_sizes:
        return call_value(frame, node, state, Known(dict), [], {})
    return iter([(state, NONE)])


def _fitting(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    values: list[Value],
    kinds: list[object],
    sizes: Value,
) -> list[State]:
    """Return the ways to go on once types are compared; refuse where they may not fit."""
    fits: list[State] = []
    arguments = [tuple_value(tuple(values)), Known(tuple(kinds)), sizes]
    compared = call_value(frame, node, state, Known(checking_arguments.all_fit), arguments, {})
    for after, result in compared:
        for done, truth in truths(frame, node, after, result):
            if not truth:
                frame.refuse("DYCL039", node, "an object is, or may be, of another type than said")
            fits.append(done)
    return fits
