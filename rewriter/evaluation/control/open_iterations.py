"""Iterations that end with sizes known only at run time: joined, and rolled where that is possible.

Unrolling makes sizes and modules known. Where the sizes at the end of an iteration are symbols that
the loop made, every further copy of the body would be evaluated for other symbols and with more
relations between them: such a loop is tried rolled from there.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import libcst as cst
import sympy

from rewriter.evaluation.control.loop_sizes import sizes_of
from rewriter.evaluation.control.statements import join
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame
from rewriter.flattening import Flattening, Roots
from rewriter.joined_relations import only_of
from rewriter.size_expressions import expression_of
from rewriter.state import Completion, Next, State


def join_iteration(
    frame: Frame, node: cst.CSTNode, going_on: Sequence[Completion], opens_at: int | None = None
) -> list[State]:
    """Merge the states at the end of an iteration; keep what is known of sizes still in use.

    Where a size is a symbol made from ``opens_at`` on, all sizes may differ between the states.
    """
    states = join(frame, node, going_on, open_sizes=True)
    if opens_at is not None and any(has_newer_sizes(frame, state, opens_at) for state in states):
        states = join(frame, node, list(map(Next, states)), any_size=True)
    for state in states:
        if state.size_facts:
            state.size_facts = only_of(state.size_facts, symbols_in_use(frame, state))
    return states


def symbols_in_use(frame: Frame, state: State) -> set[sympy.Symbol]:
    """Return the symbols in the sizes of what may be read later."""
    roots = Roots(frames=frame.run.live_frames(), attributes=tuple(state.attributes), loose=True)
    return {
        symbol
        for leaf in Flattening(state, roots).run().leaves
        for size in sizes_of(frame.run, leaf)
        for symbol in expression_of(size).free_symbols
    }


def has_newer_sizes(frame: Frame, state: State, first: int) -> bool:
    """Return whether a size in use is a symbol that was made from the ``first`` on."""
    return any(int(str(symbol)[1:]) >= first for symbol in symbols_in_use(frame, state))


_Ends = TypeVar("_Ends")


def tried(
    frame: Frame, state: State, rolled: Callable[[State], _Ends], *, is_last: bool = False
) -> _Ends | None:
    """Roll a loop that could be unrolled, too; None, with nothing emitted, where it is refused.

    ``is_last`` says that nothing better is tried afterwards.
    """
    return tried_together(frame, [state], lambda attempts: rolled(attempts[0]), is_last=is_last)


def tried_together(
    frame: Frame,
    states: Sequence[State],
    rolled: Callable[[list[State]], _Ends],
    *,
    is_last: bool = False,
) -> _Ends | None:
    """Roll a loop for several states; None, with nothing emitted, where that is refused."""
    run = frame.run
    checkpoints = [run.builder.checkpoint(state.block) for state in states]
    raised, diagnostics = len(run.sinks[-1]), len(run.diagnostics)
    run.trials += not is_last
    try:
        ends = rolled([state.fork(state.block) for state in states])
        if len(run.diagnostics) == diagnostics:
            return ends
    except Refused:
        pass
    finally:
        run.trials -= not is_last
    for checkpoint in checkpoints:
        run.builder.rollback(checkpoint)
    del run.sinks[-1][raised:]
    del run.diagnostics[diagnostics:]
    return None
