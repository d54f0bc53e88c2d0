"""Lists and tuples times a number."""

from collections.abc import Callable

from rewriter.evaluation.run import Outcomes, Run
from rewriter.state import State
from rewriter.values import Value


def repeated(
    run: Run,
    state: State,
    items: tuple[Value, ...],
    times: int,
    like: Callable[[tuple[Value, ...]], Value],
) -> Outcomes:
    """Give the items so many times, as ``like`` makes a container of them.

    Raises what Python raises where there is no room for them.
    """
    try:
        every = items * times
    except (OverflowError, MemoryError) as error:
        run.raise_known(state, error)
        return
    yield state, like(every)
