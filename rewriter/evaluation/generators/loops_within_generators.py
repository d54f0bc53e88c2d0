"""Loops over generators that ask themselves for items until run-time values end it.

Such a loop's body becomes a function, which the recursion calls wherever it has an item: what
the two do comes in the order in which it comes in Python.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import libcst as cst

from rewriter.evaluation.containers.comprehension_frames import scope_within
from rewriter.evaluation.control.loop_attempts import LoopEnds
from rewriter.evaluation.control.open_iterations import tried
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.generators.loop_functions import (
    HAND_OVER,
    WALKED,
    LoopFunction,
    loop_function,
)
from rewriter.evaluation.generators.recursive_generators import (
    is_evaluated,
    is_recursive,
    is_within,
)
from rewriter.evaluation.refusals import Refused, UsedPoison
from rewriter.evaluation.run import Frame, Run, active
from rewriter.prelude.collecting import hand_over
from rewriter.state import Next, State
from rewriter.values import IteratorValue, Known

_FEW = 20
"""Calls within each other up to which a generator is asked step by step before anything else."""


def within_generator(
    frame: Frame, node: cst.For, state: State, walked: IteratorValue,
    walk: Callable[[State], LoopEnds],
) -> LoopEnds | None:  # fmt: skip
    """Return where a loop over such a generator goes: as over any other, if that is possible.

    None for other loops, and those whose body can be no function of its own. Nor can that of a
    loop which is being evaluated so: there would be a new one at every depth.
    """
    if not is_recursive(frame, state, walked):
        return None
    later = frame.live | frame.landing | frame.caught
    function = loop_function(frame.source, node, later)
    if function is None or is_evaluated(frame, function.source):
        return None
    within = partial(_done_within, frame, function=function, walked=walked)
    handed = frame.run.calls.handed_loops
    if node in handed or is_within(frame, state, walked):
        return within(state)
    with _few_calls(frame.run):
        found = tried(frame, state, walk)
    if found is not None:
        return found
    handed.add(node)
    return tried(frame, state, within) or tried(frame, state, walk) or within(state)


@contextlib.contextmanager
def _few_calls(run: Run) -> Iterator[None]:
    """Let calls be no deeper than known ones mostly are: each depth may have many paths."""
    options = run.options
    most = min(options.most_inlined_calls, len(run.frames) + _FEW)
    run.options = replace(options, most_inlined_calls=most)
    try:
        yield
    finally:
        run.options = options


def _done_within(
    frame: Frame, state: State, *, function: LoopFunction, walked: IteratorValue
) -> LoopEnds:
    """Return where a loop goes whose body is called by the generator that it walks over."""
    own = state.frames[frame.identity]
    loop = scope_within(frame, function.source)
    moved = {name: own.pop(name) for name in sorted(function.moved & own.keys())}
    state.frames[loop.identity] = {**moved, HAND_OVER: Known(hand_over), WALKED: walked}
    loop.continuations.append(function.moved)
    body = function.source.node.body
    assert isinstance(body, cst.BaseSuite)
    try:
        with active(loop):
            completions = execute_suite(loop, body, state)
    except (Refused, UsedPoison):
        own.update(moved)
        raise
    ends = LoopEnds()
    for completion in completions:
        after = completion.state
        variables = after.frames.pop(loop.identity)
        back = {name: variables[name] for name in function.moved & variables.keys()}
        after.frames[frame.identity].update(back)
        if isinstance(completion, Next):
            ends.exhausted.append(after)
        else:
            ends.others.append(completion)
    return ends
