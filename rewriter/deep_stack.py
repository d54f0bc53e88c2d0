"""Running deeply nested evaluation: inlined calls nest the evaluator's own calls."""

import contextvars
import ctypes
import sys
import threading
from collections.abc import Callable

_STACK_BYTES = 512 << 20
_MOST_FRAMES = 100_000
_PATIENCE = 5
"""Seconds that an interrupted caller waits for the evaluation to end."""


class _Depth:
    """The interpreter's limit of nested calls, which is one for all threads.

    Lowering it below the depth of a thread ends the process. So it stays raised until the last
    evaluation has ended, that of a caller who was interrupted included.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._running = 0
        self._before = 0

    def enter(self) -> None:
        """Raise the limit."""
        with self._guard:
            if not self._running:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, _MOST_FRAMES))
            self._running += 1

    def leave(self) -> None:
        """Restore it once nobody needs it; called by the thread that did."""
        with self._guard:
            self._running -= 1
            if not self._running:
                sys.setrecursionlimit(self._before)


_DEPTH = _Depth()
_STARTING = threading.Lock()


def with_deep_stack(work: Callable[[], None]) -> None:
    """Run ``work`` in a thread with room for deep recursion; raise what it raises.

    Context variables have the values there that they have here.
    """
    failure: list[BaseException] = []
    given_up, ended = threading.Event(), threading.Event()
    context = contextvars.copy_context()

    def run() -> None:
        _DEPTH.enter()
        try:
            if not given_up.is_set():
                context.run(work)
        except BaseException as error:
            failure.append(error)
        finally:
            _DEPTH.leave()
            ended.set()

    # a caller who is interrupted need not wait for it to leave the process
    thread = threading.Thread(target=run, name="dycl-evaluator", daemon=True)
    try:
        _start(thread)
        thread.join()
    except BaseException:
        given_up.set()
        _interrupt(thread, ended)
        raise
    if failure:
        raise failure[0]


def _interrupt(thread: threading.Thread, ended: threading.Event) -> None:
    """End an evaluation that nobody waits for: it would take time, and ``ast.parse`` of Python 3.11
    fails where two threads parse at once.

    A thread whose ``join`` was interrupted is taken for ended by Python 3.11; and what is raised
    in it may be swallowed, where an object is deleted. One that has no identity yet does nothing.
    """
    for _ in range(_PATIENCE):
        if ended.is_set() or thread.ident is None:
            return
        identity = ctypes.c_ulong(thread.ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(SystemExit))
        ended.wait(1)


def _start(thread: threading.Thread) -> None:
    with _STARTING:
        size = threading.stack_size(_STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(size)
