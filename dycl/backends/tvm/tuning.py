"""Looks for faster loops by measuring: trials go where a model spends its time."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import tvm
from tvm import relax, s_tir, tirx

from dycl.backends.interface import TuningRequest
from dycl.backends.tvm.late_schedules import has_late_loops
from dycl.backends.tvm.measuring import DUEL_ROUNDS, ROUNDS, Measurer
from dycl.backends.tvm.schedules import scheduled
from dycl.backends.tvm.targets import Processor
from dycl.backends.tvm.tuning_database import Database, Decision, Measured, Record, apply, trace_of
from dycl.backends.tvm.tuning_space import candidates, digest

_BATCH = 8
"""Trials after which the database is written."""

_FASTER = 0.98
"""What is not faster by more than measuring is exact stays as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A function that sub-DNNs call, without loops that anybody chose."""

    name: str
    function: tirx.PrimFunc
    untuned: tirx.PrimFunc
    runs: float
    """How often a call of the model runs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """What came of tuning one operator."""

    operator: Operator
    key: str
    record: Record
    measured: int
    """Trials of this time, beside those found in the database."""

    @property
    def untuned_cost(self) -> float:
        """Return the microseconds of a call that the operator takes without tuning."""
        decision = self.record.decision
        return 0.0 if decision is None else self.operator.runs * decision.untuned_microseconds

    @property
    def cost(self) -> float:
        """Return the microseconds of a call that the operator takes."""
        decision = self.record.decision
        return 0.0 if decision is None else self.operator.runs * decision.microseconds

    @property
    def function(self) -> tirx.PrimFunc | None:
        """Return the faster function, None where it is that without tuning."""
        decision = self.record.decision
        if decision is None or decision.trace is None:
            return None
        return apply(decision.trace, self.operator.function)

    def as_json(self) -> Mapping[str, object]:
        """Return what the manifest keeps."""
        decision = self.record.decision
        assert decision is not None
        return {
            "operator": self.operator.name,
            "record": self.key,
            "runs": round(self.operator.runs, 3),
            "trials": self.record.trials,
            "microseconds": round(decision.microseconds, 3),
            "untuned": round(decision.untuned_microseconds, 3),
        }


def operators_of(
    module: tvm.IRModule, runs: Mapping[str, float], lanes: int
) -> tuple[Operator, ...]:
    """Return the operators that can be tuned, each once however many functions call it.

    ``runs`` says of each Relax function how often a call of the model runs it.
    """
    found: dict[str, Operator] = {}
    for name, count in _calls(module, runs).items():
        function = module[name]
        if not can_be_tuned(function):
            continue
        key = digest(function)
        untuned = scheduled(function, lanes)
        known = found.get(key) or Operator(name=name, function=function, untuned=untuned, runs=0)
        found[key] = replace(known, runs=known.runs + count)
    return tuple(found.values())


def _calls(module: tvm.IRModule, runs: Mapping[str, float]) -> Mapping[str, float]:
    """Return how often a call of the model runs each tensor function."""
    calls: Counter[str] = Counter()
    for name, count in runs.items():

        def visit(expression: Any, count: float = count) -> None:
            if isinstance(expression, relax.Call) and expression.op == _CALL:
                calls[str(expression.args[0].name_hint)] += count  # type: ignore[assignment]

        relax.analysis.post_order_visit(module[name], visit)
    return calls


_CALL = tvm.ir.Op.get("relax.call_tir")


def can_be_tuned(function: tirx.PrimFunc) -> bool:
    """Return whether a function is of single precision only, and all its sizes are known."""
    if "tir.is_scheduled" in (function.attrs or {}):
        return False
    if not all(_is_plain(parameter) for parameter in function.params):
        return False
    try:
        s_tir.Schedule(function).get_sblock("root")
    except s_tir.ScheduleError:  # it has been lowered by hand already
        return False
    return not has_late_loops(function)


def _is_plain(parameter: Any) -> bool:
    shape = getattr(parameter, "shape", None)
    if shape is None or str(parameter.dtype) != "float32":
        return False
    return all(isinstance(size, tirx.IntImm) for size in shape)


def tune(
    operators: Sequence[Operator], request: TuningRequest, processor: Processor
) -> tuple[Tuned, ...]:
    """Tune operators with ``request.trials`` in all; those of earlier times count."""
    database = Database(request.cache, processor.target)
    with Measurer(processor.description) as measurer:
        tuner = _Tuner(database=database, measurer=measurer, processor=processor)
        costs = []
        for index, operator in enumerate(operators):
            request.progress(index, len(operators), "measuring without tuning")
            costs.append(operator.runs * tuner.cost(operator))
        order = sorted(range(len(operators)), key=lambda index: -costs[index])
        left, found = request.trials, []
        for place, index in enumerate(order):
            quota = shares([costs[other] for other in order[place:]], left)[0]
            found.append(tuner.tuned(operators[index], quota, request, request.trials - left))
            left -= min(quota, found[-1].record.trials)
    return tuple(found)


def shares(costs: Sequence[float], trials: int) -> list[int]:
    """Return trials for each in proportion to its cost: each goes where most cost is untried."""
    given = [0 for _ in costs]
    for _ in range(trials if any(costs) else 0):
        best = max(range(len(costs)), key=lambda index: costs[index] / (given[index] + 1))
        given[best] += 1
    return given


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tuner:
    database: Database
    measurer: Measurer
    processor: Processor

    def cost(self, operator: Operator) -> float:
        """Return the microseconds of an operator without tuning."""
        untuned = digest(operator.untuned)
        record = self.database.get(operator.function)
        if record.untuned != untuned:
            (taken,) = self.measurer.measure([operator.untuned], ROUNDS)
            with self.database.locked(operator.function):
                stored = self.database.get(operator.function)
                record = replace(stored, untuned=untuned, cost=taken or 0.0)
                self.database.put(operator.function, record)
        return record.cost

    def _is_decided(self, operator: Operator, record: Record) -> bool:
        """Return whether a decision is between what there is now."""
        between = record.between(digest(operator.untuned))
        return record.decision is not None and record.decision.between == between

    def tuned(self, operator: Operator, quota: int, request: TuningRequest, done: int) -> Tuned:
        """Give an operator its trials; return what came of it."""
        measured = 0
        for count in self.improve(operator, quota):
            measured += count
            request.progress(done + measured, request.trials, operator.name)
        request.progress(done + quota, request.trials, operator.name)
        return self.decided(operator, measured)

    def improve(self, operator: Operator, trials: int) -> Iterator[int]:
        """Try schedules until there were as many as asked for; yield how many with each batch."""
        record = self.database.get(operator.function)
        if record.trials >= trials or record.exhausted:
            return
        found = candidates(operator.function, self.processor.target, record.trials)
        while record.trials < trials:
            batch = list(islice(found, min(_BATCH, trials - record.trials)))
            tried = [self._try(operator, schedule) for schedule in batch]
            measured = [one for one in tried if one is not None]
            with self.database.locked(operator.function):
                stored = self.database.get(operator.function)
                record = stored.with_trials(measured, len(batch))
                record = replace(record, exhausted=not batch)
                self.database.put(operator.function, record)
            if not batch:
                return
            yield len(batch)

    def _try(self, operator: Operator, schedule: Any) -> Measured | None:
        """Measure what the schedule's trace makes of the operator: that is what is compiled."""
        trace = trace_of(schedule)
        function = apply(trace, operator.function)
        if function is None:
            return None
        (taken,) = self.measurer.measure([function], ROUNDS)
        return None if taken is None else Measured(microseconds=taken, trace=trace)

    def decided(self, operator: Operator, measured: int) -> Tuned:
        """Let the best take turns with the code without tuning; the faster one is taken."""
        record = self.database.get(operator.function)
        if not self._is_decided(operator, record):
            record = replace(record, decision=self._decision(operator, record))
            with self.database.locked(operator.function):
                self.database.put(operator.function, record)
        key = self.database.key(operator.function)
        return Tuned(operator=operator, key=key, record=record, measured=measured)

    def _decision(self, operator: Operator, record: Record) -> Decision:
        between = record.between(digest(operator.untuned))
        if not record.best:
            return Decision(
                between=between,
                untuned_microseconds=record.cost,
                microseconds=record.cost,
                trace=None,
            )
        applied = [(one.trace, apply(one.trace, operator.function)) for one in record.best]
        rivals = [(trace, function) for trace, function in applied if function is not None]
        functions = [operator.untuned, *(function for _, function in rivals)]
        own, *others = self.measurer.measure(functions, DUEL_ROUNDS)
        times = [
            (taken, trace)
            for taken, (trace, _) in zip(others, rivals, strict=True)
            if taken is not None
        ]
        fastest, trace = min(times, default=(float("inf"), ""))
        faster = own is not None and fastest < own * _FASTER
        return Decision(
            between=between,
            untuned_microseconds=own or 0.0,
            microseconds=fastest if faster else own or 0.0,
            trace=trace if faster else None,
        )
