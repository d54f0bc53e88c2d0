"""Methods of sets of objects known at compile time."""

from functools import partial

import libcst as cst

from rewriter.evaluation.containers.containers import adopt
from rewriter.evaluation.control.container_changes import tell_walks
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.set_history import SetHistory
from rewriter.state import State
from rewriter.values import DictCell, Known, Reference, SetCell, Value, set_cell


def keys_of_dict(state: State, value: Value) -> Value:
    """Return a dict of the keys of one whose values are not known; other values as they are.

    Sets look at keys only; of a dict itself they take them otherwise than of other iterables.
    """
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    if not isinstance(cell, DictCell) or cell.kind is not dict:
        return value
    return Known(dict.fromkeys(cell.items))


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
    content = cell.history.replayed()
    arguments = tuple(known.value for known in knowns if known is not None)
    try:
        result = getattr(content, name)(*arguments)
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    if name.endswith("update"):  # it may make the table anew, in which a walk goes on
        tell_walks(state, receiver.identity)
    if content != cell.items or name.endswith("update"):
        frame.run.update(state, receiver, set_cell(cell.history.then(name, *arguments)))
    if isinstance(result, set):
        made = SetHistory(partial(getattr(content, name), *arguments))
        yield state, frame.run.allocate(state, set_cell(made))
    else:
        yield state, adopt(frame.run, state, result)
