"""What takes the items of an iterator one by one, and does something with each at once."""

from collections.abc import Callable, Iterator

import libcst as cst

from rewriter.evaluation.containers.comprehensions import merged
from rewriter.evaluation.containers.filling import add_element
from rewriter.evaluation.containers.lazy_iterators import SKIPPED, next_item
from rewriter.evaluation.control.loop_attempts import LoopEnds
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_consumers import each, hidden_names
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.state import State
from rewriter.values import IteratorValue, Reference, Value

Take = Callable[[State, Value], list[State]]
"""Does something with an item; returns the states that go on to the next."""


def each_item(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, container: Reference,
    take: Take,
) -> list[State]:  # fmt: skip
    """Take all items for a container, of which the next item may depend."""
    name = f"filled by {id(node)}"
    state.frames[frame.identity][name] = container
    state.carry(iterator)
    with hidden_names(frame, frozenset({name})):
        finished = merged(frame, node, list(_taken(frame, node, state, iterator, take)))
    for end in finished:
        end.frames[frame.identity].pop(name, None)
    return finished


def _taken(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, take: Take
) -> Iterator[State]:
    def rolled(after: State, item: Value, ends: LoopEnds) -> list[State]:
        del ends
        return take(after, item)

    pending = [state]
    while pending:
        turned: list[State] = []
        for before in pending:
            if is_run_time(before, iterator):
                yield from each(frame, node, before, iterator, rolled).exhausted
                continue
            for after, item in next_item(frame, node, before, iterator, becoming=True):
                if item is None:
                    yield after
                elif item is SKIPPED:
                    turned.append(after)
                else:
                    turned += take(after, item)
        pending = merged(frame, node, turned)


def filled(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, container: Reference
) -> list[State]:
    """Append all items to a list, or add them to a set."""

    def take(after: State, item: Value) -> list[State]:
        return add_element(frame, node, after, container, (item,))

    return each_item(frame, node, state, iterator, container, take)
