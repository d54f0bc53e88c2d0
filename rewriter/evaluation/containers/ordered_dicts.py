"""What an ``OrderedDict`` of known keys has besides a dict's methods: both of its ends."""

from dataclasses import replace

import libcst as cst

from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, DictCell, Known, Reference, TupleValue, Value


def ordered_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: DictCell,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``popitem(last)`` or ``move_to_end(key, last)``."""
    *keys, at_end = _arguments(frame, node, state, name, positional, keywords)
    items = dict(cell.items)
    if not keys and not items:
        frame.run.raise_known(state, KeyError("dictionary is empty"))
        return
    key = keys[0] if keys else list(items)[-1 if at_end else 0]
    if key not in items:
        frame.run.raise_known(state, KeyError(key))
        return
    item = items.pop(key)
    result: Value = TupleValue((Known(key), item))
    if name == "move_to_end":
        result = NONE
        items = {**items, key: item} if at_end else {key: item, **items}
    frame.run.update(state, receiver, replace(cell, items=items))
    yield state, result


def _arguments(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> tuple[object, ...]:
    """Return the key, if the method has one, and whether it is about the end."""
    names = ("key", "last") if name == "move_to_end" else ("last",)
    given = {**dict(zip(names, positional, strict=False)), **keywords}
    given.setdefault("last", Known(True))
    knowns = {place: known_object(state, value) for place, value in given.items()}
    if knowns.keys() != set(names) or None in knowns.values() or len(positional) > len(names):
        frame.refuse("DYCL039", node, f"{name}() with these arguments is not supported")
    return tuple(known.value for place in names if (known := knowns[place]) is not None)
