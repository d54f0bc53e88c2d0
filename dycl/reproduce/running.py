"""Runs cells, each in a process of its own with a time limit; a crash or a hang is an outcome."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType

from dycl.reproduce.catalog import Catalog
from dycl.reproduce.causes import Causes
from dycl.reproduce.cells import Cell, Failed, Measured, NotRun, Outcome, from_json, status
from dycl.reproduce.state import State

Progress = Callable[[int, int, str], None]
"""Called with how many cells are done, of how many, and what is being done."""

_THREADS = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """How cells are run."""

    catalog: Catalog
    causes: Causes
    state: State
    jobs: int
    """Processes at a time."""
    deadline: float
    """By ``time.monotonic``: no cell begins later."""
    again: bool = False
    """Whether to run what was run before."""
    older: bool = False
    """Whether to take outcomes of other versions of the sources as they are."""
    _processes: "_Processes" = field(default_factory=lambda: _Processes())

    def run(self, cells: Sequence[Cell], progress: Progress) -> tuple[Outcome, ...]:
        """Return the outcome of each cell, from the state where it is known."""
        done = 0
        guard = threading.Lock()

        def one(cell: Cell) -> Outcome:
            nonlocal done
            progress(done, len(cells), cell.title)
            outcome = self._outcome(cell)
            with guard:
                done += 1
                progress(done, len(cells), f"{cell.title}: {status(outcome)}")
            return outcome

        with self._processes, ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(one, cell) for cell in cells]
            try:
                return tuple(future.result() for future in futures)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self._processes.end()
                raise

    def _outcome(self, cell: Cell) -> Outcome:
        digest = self.causes.of_cell(cell)
        known = None if self.again else self._known(cell, digest)
        if known is not None:
            return known
        if time.monotonic() >= self.deadline:
            return NotRun(cell=cell)
        outcome = replace(self._in_process(cell), commit=self.causes.commit)
        self._processes.require_running()
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
        process = self._processes.start()
        try:
            _, errors = process.communicate(json.dumps(job), timeout=cell.seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.communicate()
            return Failed(cell=cell, reason=f"took longer than {cell.seconds:.0f} s")
        if process.returncode != 0 or not found.exists():
            return Failed(cell=cell, reason=_death(process.returncode, errors), detail=errors)
        outcome = from_json(json.loads(found.read_text(encoding="utf-8")))
        assert not isinstance(outcome, NotRun)
        found.unlink()
        return outcome


class _Interrupted(Exception):
    """The run was ended: what its processes do from now on is no outcome."""


class _Processes:
    """The processes that are running, to be ended where this one is interrupted."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._running: list[subprocess.Popen[str]] = []
        self._ended = False

    def __enter__(self) -> None:
        self._running, self._ended = [], False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def start(self) -> subprocess.Popen[str]:
        with self._guard:
            self.require_running()
            process = subprocess.Popen(
                [sys.executable, "-m", "dycl.reproduce.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=_environment(),
                start_new_session=True,
            )
            self._running.append(process)
        return process

    def require_running(self) -> None:
        if self._ended:
            raise _Interrupted

    def end(self) -> None:
        with self._guard:
            self._ended = True
            for process in self._running:
                if process.poll() is None:
                    _kill(process)


def _environment() -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **_THREADS, "PYTHONPATH": os.pathsep.join(paths)}


def _kill(process: subprocess.Popen[str]) -> None:
    """End a process and what it started: compilers, the compilation of an overhead."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _death(code: int, errors: str) -> str:
    if code < 0:
        return f"its process crashed: {signal.Signals(-code).name}"
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return f"its process ended with {code}: {lines[-1] if lines else 'no message'}"
