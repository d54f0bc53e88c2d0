"""Runs cells, each in a process of its own with a time limit; a crash or a hang is an outcome."""

import json
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace

from dycl.reproduce.catalog import Catalog
from dycl.reproduce.causes import Causes
from dycl.reproduce.cells import Cell, Failed, Measured, NotRun, Outcome, from_json, status
from dycl.reproduce.processes import Ended, Processes, TooLong
from dycl.reproduce.state import State

Progress = Callable[[int, int, str], None]
"""Called with how many cells are done, of how many, and what is being done."""

Note = Callable[[Cell, Outcome], None]
"""Called with each outcome, by the thread that runs the cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """How cells are run."""

    catalog: Catalog
    causes: Causes
    state: State
    processes: Processes
    deadline: float
    """By ``time.monotonic``: no cell begins later."""
    again: bool = False
    """Whether to run what was run before."""
    older: bool = False
    """Whether to take outcomes of other versions of the sources as they are."""

    def run(self, cells: Sequence[Cell], jobs: int, progress: Progress, note: Note) -> None:
        """Run cells, ``jobs`` at a time, or take what the state knows of them."""
        waiting = _Waiting(cells)
        guard = threading.Lock()
        done = 0

        def one() -> tuple[Cell, Outcome]:
            nonlocal done
            with waiting.one() as cell:
                progress(done, len(cells), cell.title)
                outcome = self._outcome(cell)
            with guard:
                done += 1
                progress(done, len(cells), f"{cell.title}: {status(outcome)}")
            return cell, outcome

        with ThreadPoolExecutor(jobs) as pool:
            try:
                for future in as_completed([pool.submit(one) for _ in cells]):
                    note(*future.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.processes.end()
                raise

    def _outcome(self, cell: Cell) -> Outcome:
        digest = self.causes.of_cell(cell)
        known = None if self.again else self._known(cell, digest)
        if known is not None:
            return known
        if time.monotonic() >= self.deadline:
            return NotRun(cell=cell)
        outcome = replace(self._in_process(cell), commit=self.causes.commit)
        self.processes.require_running()
        self.state.write(outcome, digest)
        return outcome

    def _known(self, cell: Cell, digest: str) -> Outcome | None:
        newest = self.state.read(cell, digest)
        return self.state.read(cell, None) if newest is None and self.older else newest

    def _in_process(self, cell: Cell) -> Measured | Failed:
        found = self.state.scratch(cell)
        backend = cell.packaged_by
        digest = self.causes.of_package(cell.model, backend)
        package = self.state.package(cell.model, backend, digest)
        job = {
            "catalog": str(self.catalog.file),
            "cell": asdict(cell),
            "package": str(package.absolute()),
            "output": str(found.absolute()),
        }
        try:
            ended = self.processes.do(job, cell.seconds)
        except TooLong:
            return Failed(cell=cell, reason=f"took longer than {cell.seconds:.0f} s")
        if ended.code != 0 or not found.exists():
            return Failed(cell=cell, reason=_death(ended), detail=ended.errors)
        outcome = from_json(json.loads(found.read_text(encoding="utf-8")))
        assert not isinstance(outcome, NotRun)
        found.unlink()
        return outcome


class _Waiting:
    """Cells that nobody runs yet.

    One that is timed and others that are not run side by side: two that are timed would wait for
    each other. The others are taken from the end: on the same model they would wait for a package.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._guard = threading.Lock()
        self._timed = deque(cell for cell in cells if cell.is_timed)
        others = [cell for cell in cells if not cell.is_timed]
        self._others = deque(reversed(others) if self._timed else others)
        self._timed_running = 0

    @contextmanager
    def one(self) -> Iterator[Cell]:
        """Take the next one for as long as it runs."""
        with self._guard:
            is_timed = bool(self._timed) and not (self._timed_running and self._others)
            cell = (self._timed if is_timed else self._others).popleft()
            self._timed_running += is_timed
        try:
            yield cell
        finally:
            with self._guard:
                self._timed_running -= is_timed


def _death(ended: Ended) -> str:
    if ended.code < 0:
        return f"its process crashed: {signal.Signals(-ended.code).name}"
    lines = [line.strip() for line in ended.errors.splitlines() if line.strip()]
    return f"its process ended with {ended.code}: {lines[-1] if lines else 'no message'}"
