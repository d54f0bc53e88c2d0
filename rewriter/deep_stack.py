"""Running deeply nested evaluation: inlined calls nest the evaluator's own calls."""

import sys
import threading
from collections.abc import Callable

_STACK_BYTES = 512 << 20
_MOST_FRAMES = 100_000


def with_deep_stack(work: Callable[[], None]) -> None:
    """Run ``work`` in a thread with room for deep recursion; raise what it raises."""
    failure: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failure.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(limit, _MOST_FRAMES))
    try:
        thread = threading.Thread(target=run, name="dycl-evaluator")
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if failure:
        raise failure[0]
