"""The correctness report: one frozen value, as JSON or for the terminal."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from dycl.verification.observation import Coverage

LOG_FLOOR = -10.0
"""Errors below 1e-10 all count as 1e-10, as published measurements do."""

CDF_POINTS = tuple(range(int(LOG_FLOOR), 3))
"""Powers of ten at which the error distribution is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What came of one input."""

    index: int
    consistent: bool
    """The decisions are equal, or both sides raised the same error."""
    mismatches: tuple[str, ...]
    """Differences of structure, type, shape, or of values that must be equal."""
    within_tolerance: bool
    max_absolute: float | None
    max_relative: float | None
    """None where a side raised."""
    original_error: str | None
    host_error: str | None
    closest_branch: str | None
    """The branch that came closest to going the other way, and how close it came."""
    closest_margin: float | None

    @property
    def passed(self) -> bool:
        """Return whether the host did what the original did."""
        return self.consistent and self.within_tolerance and not self.mismatches


@dataclass(frozen=True, slots=True, kw_only=True)
class Correctness:
    """One contender against the original, over all inputs."""

    samples: tuple[Sample, ...]

    @property
    def passed(self) -> bool:
        """Return whether every input passed."""
        return all(sample.passed for sample in self.samples)

    @property
    def inconsistent(self) -> int:
        """Return the number of inputs whose decision differs."""
        return sum(not sample.consistent for sample in self.samples)

    @property
    def inconsistent_rate(self) -> float:
        """Return the share of inputs whose decision differs."""
        return self.inconsistent / len(self.samples)

    @property
    def mismatched(self) -> int:
        """Return the number of inputs with a difference of structure, type, shape or value."""
        return sum(bool(sample.mismatches) for sample in self.samples)

    @property
    def beyond_tolerance(self) -> int:
        """Return the number of inputs with a float further off than allowed."""
        return sum(not sample.within_tolerance for sample in self.samples)

    @property
    def raised(self) -> int:
        """Return the number of inputs on which the original raised."""
        return sum(sample.original_error is not None for sample in self.samples)

    @property
    def max_absolute(self) -> float:
        """Return the largest absolute error of a float."""
        return max((s.max_absolute for s in self.samples if s.max_absolute is not None), default=0)

    @property
    def max_relative(self) -> float:
        """Return the largest error of a float, relative to the largest of its tensor."""
        return max((s.max_relative for s in self.samples if s.max_relative is not None), default=0)

    @property
    def log_error(self) -> float:
        """Return log10 of the largest absolute error, not below the floor."""
        return log_floored(self.max_absolute)

    @property
    def error_distribution(self) -> dict[str, float]:
        """Return, for each power of ten, the share of compared inputs whose error is not above."""
        errors = [s.max_absolute for s in self.samples if s.max_absolute is not None]
        if not errors:
            return {}
        return {
            f"1e{power}": sum(log_floored(error) <= power for error in errors) / len(errors)
            for power in CDF_POINTS
        }

    def summary(self) -> dict[str, object]:
        """Return the totals."""
        return {
            "passed": self.passed,
            "inputs": len(self.samples),
            "inconsistent": self.inconsistent,
            "inconsistent_rate": self.inconsistent_rate,
            "mismatched": self.mismatched,
            "beyond_tolerance": self.beyond_tolerance,
            "raised": self.raised,
            "max_absolute_error": self.max_absolute,
            "max_relative_error": self.max_relative,
            "log10_error": self.log_error,
            "error_distribution": self.error_distribution,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Another way to deploy the model, on the same inputs; ``failure`` where it has no result."""

    name: str
    correctness: Correctness | None
    failure: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationReport:
    """Whether a host does what its original does, and which paths the inputs took."""

    name: str
    """The model and its entry point."""
    source: str
    """Where the inputs come from."""
    host: Correctness
    coverage: Coverage
    margins_inside: bool = True
    """Whether margins of tests inside tensor code are known: only with the package's graph."""
    baseline: Baseline | None = None

    @property
    def passed(self) -> bool:
        """Return whether the host passed; a baseline has no say."""
        return self.host.passed

    @property
    def inconsistent_rate(self) -> float:
        """Return the share of inputs whose decision differs."""
        return self.host.inconsistent_rate

    def to_json(self) -> str:
        """Return the whole report as JSON text, the same for the same report."""
        content = {
            "name": self.name,
            "source": self.source,
            "passed": self.passed,
            "host": _correctness_json(self.host),
            "coverage": asdict(self.coverage),
            "margins_inside": self.margins_inside,
            "baseline": None if self.baseline is None else _baseline_json(self.baseline),
        }
        return json.dumps(_finite(content), indent=2, allow_nan=False) + "\n"


def log_floored(error: float) -> float:
    """Return log10 of an error, not below the floor."""
    return max(LOG_FLOOR, math.log10(error)) if error > 0 else LOG_FLOOR


def _correctness_json(correctness: Correctness) -> dict[str, object]:
    return {**correctness.summary(), "samples": [asdict(s) for s in correctness.samples]}


def _baseline_json(baseline: Baseline) -> dict[str, object]:
    found = baseline.correctness
    return {
        "name": baseline.name,
        "failure": baseline.failure,
        "correctness": None if found is None else _correctness_json(found),
    }


def _finite(value: object) -> object:
    """JSON has no infinity: write it as text."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case str():
            return value
        case Sequence():
            return [_finite(item) for item in value]
        case _:
            return value
