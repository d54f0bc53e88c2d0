"""What was measured, kept between compilations and shared by models: one record per operator.

A record belongs to a function as it is before it has loops, to a processor and to a version of
TVM. It stands in the cache under a hash of these, with the function itself: a record that was
damaged, or that is another function's, is as good as none.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any

import filelock
import tvm
import tvm_ffi
from tvm import s_tir, tirx

from dycl.backends.tvm.measuring import alone
from dycl.cache import Cache

FOLDER = "tuning"
"""Within the cache: room is made for artifacts at the cost of other artifacts alone."""

_KEPT = 4
_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A schedule that was tried."""

    microseconds: float
    trace: str
    """How it comes from the function without loops, as TVM writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was faster when both took turns."""

    between: str
    """Hash of what took turns: the code without tuning, and the best so far."""
    untuned_microseconds: float
    microseconds: float
    trace: str | None
    """The faster schedule; None where it is that without tuning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All about one operator."""

    trials: int = 0
    exhausted: bool = False
    """Whether no other schedules could be found."""
    best: tuple[Measured, ...] = ()
    """The fastest few, the fastest first."""
    untuned: str = ""
    """Hash of the code without tuning that ``cost`` is of."""
    cost: float = 0.0
    """Its microseconds, by which trials are shared out: once measured, the same shares come out."""
    decision: Decision | None = None

    def between(self, untuned: str) -> str:
        """Return what a decision is between."""
        parts = (untuned, *(one.trace for one in self.best))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def with_trials(self, measured: Sequence[Measured], trials: int) -> "Record":
        """Return a record that knows of more trials; what took no time failed."""
        best = sorted({*self.best, *measured}, key=lambda one: (one.microseconds, one.trace))
        return replace(self, trials=self.trials + trials, best=tuple(best[:_KEPT]))


class Database:
    """Records by operator; without a cache they last as long as this object."""

    def __init__(self, cache: Cache | None, target: tvm.target.Target) -> None:
        """Keep records in a folder of the cache."""
        self._cache = None if cache is None else Cache(cache.directory / FOLDER)
        self._target = str(target)
        self._known: dict[str, Record] = {}

    def key(self, function: tirx.PrimFunc) -> str:
        """Return what identifies the record of a function; the same in any process."""
        parts = (_FORMAT, tvm_ffi.structural_hash(alone(function)), self._target, _tvm())
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def get(self, function: tirx.PrimFunc) -> Record:
        """Return what is known about a function, maybe nothing."""
        key = self.key(function)
        if self._cache is None:
            return self._known.get(key, Record())
        data = self._cache.get(key)
        return Record() if data is None else _read(data, function)

    def put(self, function: tirx.PrimFunc, record: Record) -> None:
        """Store a record."""
        key = self.key(function)
        if self._cache is None:
            self._known[key] = record
            return
        content = {"function": tvm.ir.save_json(alone(function)), "record": asdict(record)}
        self._cache.put(key, json.dumps(content).encode())

    @contextmanager
    def locked(self, function: tirx.PrimFunc) -> Iterator[None]:
        """Keep other processes from storing a record of the same function meanwhile."""
        if self._cache is None:
            yield
            return
        lock = self._lock(function)
        if lock is None:
            yield
            return
        with lock:
            yield

    def _lock(self, function: tirx.PrimFunc) -> filelock.BaseFileLock | None:
        """Return the lock; None where the cache cannot be written, and nothing is stored."""
        assert self._cache is not None
        with suppress(OSError):
            self._cache.directory.mkdir(parents=True, exist_ok=True)
            return filelock.FileLock(self._cache.directory / f"{self.key(function)[:2]}.lock")
        return None


def trace_of(schedule: Any) -> str:
    """Return how a schedule came about, as JSON."""
    return json.dumps(schedule.trace.as_json(), default=_number)


def _number(value: Any) -> int | float:
    return int(value) if isinstance(value, tirx.IntImm) else float(value)


def apply(trace: str, function: tirx.PrimFunc) -> tirx.PrimFunc | None:
    """Return a function with the loops that a trace gives it; None where it does not fit.

    Some of MetaSchedule's traces cannot be followed a second time: they name what was there only
    before a later step.
    """
    # A copy of every node: scheduling writes into those that seem to be in nobody else's hands.
    schedule = s_tir.Schedule(tvm.ir.load_json(tvm.ir.save_json(alone(function))))
    try:
        s_tir.schedule.Trace.apply_json_to_schedule(json.loads(trace), schedule)
    except Exception:  # TVM has many kinds
        return None
    return schedule.mod["main"].with_attrs(dict(function.attrs))


def _tvm() -> tuple[str, str]:
    return version("apache-tvm"), version("apache-tvm-ffi")


def _read(data: bytes, function: tirx.PrimFunc) -> Record:
    try:
        content = json.loads(data)
        held = tvm.ir.load_json(content["function"])
        if not tvm_ffi.structural_equal(held, alone(function)):
            return Record()
        return _record(content["record"])
    except (ValueError, KeyError, TypeError, RuntimeError):
        return Record()


def _record(found: dict[str, Any]) -> Record:
    decision = found["decision"]
    return Record(
        trials=found["trials"],
        exhausted=found["exhausted"],
        untuned=found["untuned"],
        cost=found["cost"],
        best=tuple(Measured(**one) for one in found["best"]),
        decision=None if decision is None else Decision(**decision),
    )
