"""Tuning of one package: which operators its sub-DNNs run, and what was found for them."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tvm import tirx

from dycl.backends.interface import TuningRequest
from dycl.backends.tvm.compiling import Lowered
from dycl.backends.tvm.targets import Processor
from dycl.backends.tvm.tuning import Tuned, operators_of, tune
from dycl.backends.tvm.tuning_space import digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What tuning has found."""

    trials: int
    tuned: tuple[Tuned, ...]
    functions: Mapping[str, tirx.PrimFunc]
    """Faster functions by the digest of what they replace."""

    @property
    def key(self) -> str:
        """Return a hash of the code that is compiled because of tuning."""
        parts = sorted(f"{name} {digest(function)}" for name, function in self.functions.items())
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def function(self, function: tirx.PrimFunc) -> tirx.PrimFunc | None:
        """Return the faster function; None where there is none."""
        found = self.functions.get(digest(function)) if self.functions else None
        return None if found is None else found.with_attrs(dict(function.attrs))

    def as_json(self) -> Mapping[str, object]:
        """Return what the manifest keeps: operators by the time they take, the most first."""
        return {
            "summary": self.summary(),
            "trials": self.trials,
            "measured": sum(one.measured for one in self.tuned),
            "operators": [one.as_json() for one in self.tuned],
        }

    def summary(self) -> str:
        """Return what was found as a sentence."""
        before = sum(one.untuned_cost for one in self.tuned)
        after = sum(one.cost for one in self.tuned)
        measured = sum(one.measured for one in self.tuned)
        return (
            f"{len(self.functions)} of {len(self.tuned)} operators are faster than without "
            f"tuning; a call takes {after:.0f} microseconds in them instead of {before:.0f} "
            f"({measured} trials, the rest of {self.trials} were in the database or not needed)"
        )


def tune_lowered(lowered: Lowered, request: TuningRequest, processor: Processor) -> Session:
    """Tune what the sub-DNNs of a package run."""
    runs: Counter[str] = Counter()
    for subdnn in lowered.subdnns:
        runs[lowered.function(subdnn).name] += request.runs[subdnn.name]  # type: ignore[assignment]
    operators = (
        () if lowered.module is None else operators_of(lowered.module, runs, processor.lanes)
    )
    tuned = tune(operators, request, processor)
    functions = {digest(one.operator.function): one.function for one in tuned}
    return Session(
        trials=request.trials,
        tuned=tuned,
        functions={name: found for name, found in functions.items() if found is not None},
    )
