"""Places that may be out of range, inside of a ``try`` that catches the error: tested before.

try:                          if index.numel() > 0 and (index.min() < 0 or ...):
    y = x[index]      ->          what the clause says
except IndexError: ...        y = x[index]
"""

from collections.abc import Iterator

import torch

from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.observation import Observer
from rewriter.evaluation.raising import Lookup
from rewriter.evaluation.run import Run
from rewriter.prelude.looking_up import require_named_places, require_places
from rewriter.state import State
from rewriter.values import Known, Value


def is_caught(run: Run, observer: Observer) -> bool:
    """Return whether an operation may raise what becomes another error, or none."""
    return run.guarded_tensors > (run.guarded_indices if observer.of_index else 0)


def is_tested_first(run: Run, observer: Observer) -> bool:
    """Return whether what is caught is found out before: nobody looks at the error's text.

    An IndexError passes by clauses for a RuntimeError, which may look at theirs.
    """
    seen = run.seen_indices if observer.of_index else run.guarded_tensors - run.guarded_blindly
    return not seen and is_caught(run, observer) and None not in observer.lookups


def with_right_places(operation: Operation, observer: Observer) -> Iterator[State]:
    """Yield the states in which all places are there; the others end by the error."""
    tensors: dict[int, Value] = {id(each.value): each for each in operation.known()}  # weights
    tensors |= {id(operation.state.current(each).fake): each for each in operation.tensors()}
    tensors |= {id(each.fake): each for each in operation.tensors()}
    states = [operation.state]
    for lookup in observer.lookups:
        assert lookup is not None
        states = [
            after for state in states for after in _with_places(operation, state, lookup, tensors)
        ]
    yield from states


def _with_places(
    operation: Operation, state: State, lookup: Lookup, tensors: dict[int, Value]
) -> Iterator[State]:
    from rewriter.evaluation.calls.callables import call_known  # which evaluates operations

    index = _value(operation, lookup.index, tensors)
    tensor = _value(operation, lookup.tensor, tensors)
    errors = [lookup.error, lookup.of_none or lookup.error]
    rest = [lookup.dimension, lookup.from_the_end, *errors, lookup.text]
    function = Known(require_places)
    run = operation.run
    if lookup.from_the_end and run.guarded_tensors > run.guarded_blindly:
        # it may leave the call, which shows it
        function, rest = Known(require_named_places), [lookup.dimension]
    for after, _ in call_known(
        operation.frame, operation.node, state, function, [index, tensor, *map(Known, rest)], {}
    ):
        yield after


def _value(operation: Operation, tensor: torch.Tensor, tensors: dict[int, Value]) -> Value:
    """Return the operand that a tensor is."""
    if id(tensor) not in tensors:
        operation.refuse(
            "DYCL063",
            "this may raise, depending on the content of tensors, inside a `try` that may catch it",
            "test the indices before the operation instead",
        )
    return tensors[id(tensor)]
