"""Entry points around which something runs in each call: hooks, checkers of types."""

from collections.abc import Callable, Sequence

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.module_forward import call_with_hooks
from rewriter.evaluation.run import Frame
from rewriter.parameters import Parameter
from rewriter.state import Returned, State
from rewriter.values import DictCell, Known, Reference, TupleValue, Value


def call_hooked_entry(
    frame: Frame, state: State, parameters: Sequence[Parameter], *, by_name: bool
) -> list[Returned]:
    """Call the module with the arguments of the example; return how that ends.

    Hooks see the arguments that are given by position: none where the example gives them
    ``by_name``.
    """
    receiver, positional, keywords = _given(frame, state, parameters, by_name)
    assert isinstance(receiver, Known)
    outcomes = call_with_hooks(frame, frame.source.node, state, receiver, positional, keywords)
    return [Returned(after, value) for after, value in outcomes]


def call_checked_entry(
    checked: Callable[..., object],
    frame: Frame,
    state: State,
    parameters: Sequence[Parameter],
    *,
    by_name: bool,
) -> list[Returned]:
    """Call a function in its checker of types with the arguments of the example."""
    receiver, positional, keywords = _given(frame, state, parameters, by_name)
    positional = positional if receiver is None else [receiver, *positional]
    node = frame.source.node
    outcomes = call_value(frame, node, state, Known(checked), positional, keywords)
    return [Returned(after, value) for after, value in outcomes]


def _given(
    frame: Frame, state: State, parameters: Sequence[Parameter], by_name: bool
) -> tuple[Value | None, list[Value], dict[str, Value]]:
    """Return the receiver, where there is one, and the arguments of the example."""
    variables = state.frames[frame.identity]
    receiver = variables.get(frame.receiver or "")
    positional: list[Value] = []
    if isinstance(receiver, TupleValue):  # a wrapper around a method: its object is in ``*args``
        receiver, *positional = receiver.items
    keywords: dict[str, Value] = {}
    for parameter in parameters:
        value = variables[parameter.name]
        if parameter.default is not None or parameter.name == frame.receiver:
            continue
        if parameter.star == "*" and isinstance(value, TupleValue):
            positional += value.items
        elif parameter.star == "**" and isinstance(value, Reference):
            cell = state.heap[value.identity]
            assert isinstance(cell, DictCell)
            keywords |= {str(name): item for name, item in cell.items.items()}
        elif by_name or parameter.keyword_only:
            keywords[parameter.name] = value
        else:
            positional.append(value)
    return receiver, positional, keywords
