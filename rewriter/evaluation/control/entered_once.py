"""Managers of libraries that an object on the heap stands for, and that are entered once."""

import libcst as cst

from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference, Value

_ENTERED = "entered"


def made(frame: Frame, state: State, kind: type, name: str, content: object) -> Reference:
    """Make what stands for a manager, with what it holds under a name."""
    attributes: dict[str, Value] = {name: Known(content), _ENTERED: Known(False)}
    return frame.run.allocate(state, ObjectCell(kind, attributes))


def held(state: State, manager: Value, kind: type, name: str) -> object | None:
    """Return what a manager of a kind holds; None for others, and where paths differ."""
    cell = state.heap.get(manager.identity) if isinstance(manager, Reference) else None
    if not isinstance(cell, ObjectCell) or cell.kind is not kind:
        return None
    content = cell.attributes[name]
    return content.value if isinstance(content, Known) else None


def enter(frame: Frame, node: cst.CSTNode, state: State, manager: Value) -> State:
    """Enter a manager for the first time."""
    assert isinstance(manager, Reference)
    cell = state.cell(manager, ObjectCell)
    entered = cell.attributes[_ENTERED]
    if not isinstance(entered, Known) or entered.value:
        frame.refuse("DYCL064", node, "a context manager is used twice")
    attributes = {**cell.attributes, _ENTERED: Known(True)}
    frame.run.update(state, manager, ObjectCell(cell.kind, attributes))
    return state
