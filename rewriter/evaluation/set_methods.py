"""Methods of sets of objects known at compile time."""

import libcst as cst

from rewriter.evaluation.containers import adopt
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Reference, SetCell, Value


def set_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: SetCell,
    name: str,
    positional: list[Value],
) -> Outcomes:
    """Evaluate ``receiver.name(arguments)`` on a copy, which then takes the set's place."""
    knowns = [known_object(state, value) for value in positional]
    if None in knowns or not hasattr(set, name):
        frame.refuse("DYCL051", node, f"set method {name!r} with a run-time argument")
    if name == "pop" and len(cell.items) > 1:
        frame.refuse("DYCL051", node, "pop() of a set takes an element in no defined order")
    content = set(cell.items)
    try:
        result = getattr(content, name)(*(known.value for known in knowns if known is not None))
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    if content != cell.items:
        frame.run.update(state, receiver, SetCell(frozenset(content)))
    yield state, adopt(frame.run, state, result)
