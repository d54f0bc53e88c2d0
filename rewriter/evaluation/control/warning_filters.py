"""``warnings.catch_warnings()``: what becomes of the warnings that the program gives inside.

Warnings of libraries stay what they are: of these, a compiled program gives numpy's only, of
numbers that it computes on the host (``numpy_errors.py``).
"""

import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import libcst as cst

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.control.entered_once import held, made
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference, Value, is_none

_FILTERS = "filters"  # the latest first
_RECORD = "record"  # where nobody looks at what is recorded


@dataclass(frozen=True)
class _Filter:
    """What is to be done with warnings of a class whose text begins in a way."""

    action: str
    category: type[Warning]
    message: str = ""


def is_scope(state: State, manager: Value) -> bool:
    """Return whether a manager is one of ``catch_warnings``."""
    cell = state.heap[manager.identity] if isinstance(manager, Reference) else None
    return isinstance(cell, ObjectCell) and cell.kind is warnings.catch_warnings


@special(warnings.catch_warnings)
def catch_warnings_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``catch_warnings()``: filters that are set while it is open are forgotten afterwards."""
    given = _arguments(frame, node, state, warnings.catch_warnings, positional, keywords)
    if given.get("module") is not None:
        _refuse(frame, node, "another module's are caught")
    filters: tuple[_Filter, ...] = ()
    if given.get("record"):
        filters = (_Filter(_RECORD, Warning),)
    if given.get("action") is not None:
        filters = (_filter(frame, node, {**given, "message": ""}), *filters)
    yield state, made(frame, state, warnings.catch_warnings, _FILTERS, filters)


def _adding(function: Callable[..., object]) -> None:
    @special(function)
    def add(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        given = _arguments(frame, node, state, function, positional, keywords)
        if not frame.run.warning_scopes:
            _refuse(frame, node, "a filter of warnings is set for good")
        scope = frame.run.warning_scopes[-1]
        filters = (_filter(frame, node, given), *_filters(frame, node, state, scope))
        cell = state.cell(scope, ObjectCell)
        attributes = {**cell.attributes, _FILTERS: Known(filters)}
        frame.run.update(state, scope, ObjectCell(cell.kind, attributes))
        yield state, Known(None)


_adding(warnings.simplefilter)
_adding(warnings.filterwarnings)


def is_ignored(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> bool:
    """Return whether a warning is one that the program asked not to see."""
    if not frame.run.warning_scopes:
        return False
    bound = inspect.signature(warnings.warn).bind(*positional, **keywords).arguments
    text, category = _warning(frame, node, state, bound["message"], bound.get("category"))
    scopes = reversed(frame.run.warning_scopes)
    filters = [each for scope in scopes for each in _filters(frame, node, state, scope)]
    for each in filters:
        if not issubclass(category, each.category):
            continue
        if each.message and text is None:
            _refuse(frame, node, "a filter asks for the text of this warning")
        if not each.message or re.match(each.message, str(text), re.IGNORECASE):
            if each.action != "ignore":
                _refuse(frame, node, f'a filter says "{each.action}" for this warning')
            return True
    return False


def is_of_no_interest(run: Run, state: State, category: type[Warning], text: str) -> bool:
    """Return whether the program asked not to see a library's warning that begins with a text."""
    for scope in reversed(run.warning_scopes):
        for each in _held_filters(state, scope) or ():
            if issubclass(category, each.category) and re.match(each.message, text, re.IGNORECASE):
                return each.action in ("ignore", _RECORD)
    return False


def refuse_records(frame: Frame, item: cst.CSTNode, state: State, scope: Value) -> None:
    """Refuse ``with catch_warnings(record=True) as caught``: libraries' would be among them."""
    filters = _held_filters(state, scope) if isinstance(scope, Reference) else None
    recorded = filters is None or any(each.action == _RECORD for each in filters)
    if recorded and isinstance(item, cst.WithItem) and item.asname is not None:
        _refuse(frame, item, "warnings are recorded")


def _warning(
    frame: Frame, node: cst.CSTNode, state: State, message: Value, category: Value | None
) -> tuple[str | None, type[Warning]]:
    """Return the text of a warning, None where only runs know it, and its class."""
    cell = state.heap[message.identity] if isinstance(message, Reference) else None
    kind = cell.kind if isinstance(cell, ObjectCell) else None
    content = message.value if isinstance(message, Known) else None
    if isinstance(content, Warning):
        return str(content), type(content)
    if kind is not None and issubclass(kind, Warning):
        return None, kind
    given = category.value if isinstance(category, Known) else None
    if category is None or is_none(category):
        given = UserWarning
    if not (isinstance(given, type) and issubclass(given, Warning)):
        _refuse(frame, node, "the class of this warning is not known")
    return content if isinstance(content, str) else None, given


def _arguments(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Callable[..., object],
    positional: Positional,
    keywords: Keywords,
) -> dict[str, object]:
    """Return the arguments of a call by name; all have to be known."""
    try:
        bound = inspect.signature(function).bind(*positional, **keywords)
    except TypeError:
        _refuse(frame, node, "these arguments do not fit")
    known = {name: known_object(state, value) for name, value in bound.arguments.items()}
    if any(value is None for value in known.values()):
        _refuse(frame, node, "an argument is not known")
    return {name: value.value for name, value in known.items() if value is not None}


def _filter(frame: Frame, node: cst.CSTNode, given: dict[str, object]) -> _Filter:
    action, category = given["action"], given.get("category", Warning)
    message = given.get("message", "")
    if given.get("module") or given.get("lineno") or given.get("append"):
        _refuse(frame, node, "a filter asks where warnings come from, or is the last to be asked")
    actions = ("ignore", "always", "default", "module", "once")
    if action not in actions:  # libraries may warn, too, and there would be an error
        _refuse(frame, node, f"the action {action!r}")
    if not (isinstance(category, type) and issubclass(category, Warning)):
        _refuse(frame, node, "a filter for no class of warnings")
    if not isinstance(message, str):
        _refuse(frame, node, "a filter for no text")
    return _Filter(str(action), category, message)


def _filters(
    frame: Frame, node: cst.CSTNode, state: State, scope: Reference
) -> tuple[_Filter, ...]:
    filters = _held_filters(state, scope)
    if filters is None:
        _refuse(frame, node, "which filters are set is not known here")
    return filters


def _held_filters(state: State, scope: Reference) -> tuple[_Filter, ...] | None:
    found = held(state, scope, warnings.catch_warnings, _FILTERS)
    return found if isinstance(found, tuple) else None


def _refuse(frame: Frame, node: cst.CSTNode, why: str) -> NoReturn:
    frame.refuse("DYCL045", node, f"filters of warnings: {why}")
