"""Measures functions in a worker process, which survives the crash of none of them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import tvm
from tvm import tirx

_WORKER = Path(__file__).with_name("measuring_worker.py")

_LIMIT_SECONDS = 60
"""After so long a measurement is given up: loops unrolled too far can take LLVM minutes."""

ROUNDS = 5
"""Turns of a candidate; the fastest counts, as others use the machine too."""

DUEL_ROUNDS = 15
"""Turns of each, where it is decided which of several is taken."""


class Measurer:
    """Times functions. The worker starts with the first one, and again after a crash."""

    def __init__(self, target: Mapping[str, object]) -> None:
        """Measure code for a processor, described in TVM's words."""
        self.target = target
        self._worker: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Start nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the worker."""
        self._end()

    def measure(self, functions: Sequence[tirx.PrimFunc], rounds: int) -> list[float | None]:
        """Return microseconds, taken in turns.

        None for what cannot be built or run, or gives other results than the first.
        """
        request = {
            "modules": [tvm.ir.save_json(alone(function)) for function in functions],
            "target": self.target,
            "rounds": rounds,
            "limit": _LIMIT_SECONDS,
        }
        answer = self._ask(json.dumps(request))
        if answer is None:
            self._end()
            return [None for _ in functions]
        times: list[float | None] = json.loads(answer)
        return times

    def _ask(self, request: str) -> str | None:
        """Return the worker's answer, None where it died over it."""
        worker = self._worker = self._worker or _start()
        assert worker.stdin is not None and worker.stdout is not None
        try:
            print(request, file=worker.stdin, flush=True)
            return worker.stdout.readline() or None
        except BrokenPipeError:
            return None

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            return
        worker.kill()
        worker.wait()
        for stream in (worker.stdin, worker.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):  # a request that was never read
                stream.close()


def alone(function: tirx.PrimFunc) -> tvm.IRModule:
    """Return a module of one function, the same for all functions that do the same."""
    bare = function.without_attr("op_pattern") if "op_pattern" in function.attrs else function
    return tvm.IRModule({"main": bare.with_attr("global_symbol", "main")})


def _start() -> "subprocess.Popen[str]":
    threads = {"OMP_NUM_THREADS": "1", "TVM_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, str(_WORKER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **threads},
    )
