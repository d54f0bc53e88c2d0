"""How often a package or a trace decides otherwise than eager PyTorch, and how far off it is."""

import math
from typing import Any

from dycl.contenders import TRACE
from dycl.reproduce.measuring.subject import CannotMeasure, Subject, package_of
from dycl.verification import verify
from dycl.verification.observation import Coverage
from dycl.verification.rendering import failure_line
from dycl.verification.report import CDF_POINTS, Correctness, log_floored
from dycl.verification.verifying import compare_with_trace

_SHOWN, _LONGEST = 3, 300


def measure(subject: Subject) -> dict[str, Any]:
    """Compare on realistic inputs."""
    entry, cell = subject.entry, subject.cell
    model = entry.build()
    inputs = entry.sample_inputs(cell.count, 0)
    if cell.backend == TRACE:
        found = compare_with_trace(model, inputs, method=entry.method, decide=entry.decide)
        if found.correctness is None:
            raise CannotMeasure(str(found.failure))
        return _numbers(found.correctness)
    host = package_of(subject, model)
    report = verify(
        model, host, inputs, method=entry.method, decide=entry.decide, margins_inside=False
    )
    return {**_numbers(report.host), "coverage": _coverage(report.coverage)}


def _numbers(found: Correctness) -> dict[str, Any]:
    failing = [failure_line(sample) for sample in found.samples if not sample.passed]
    return {
        **found.summary(),
        "error_distribution": _distribution(found),
        "first_failing": [line.splitlines()[0][:_LONGEST] for line in failing[:_SHOWN]],
    }


def _distribution(found: Correctness) -> dict[str, float]:
    """Return the error CDF; where structure, type, shape or an integer differs, it is infinite."""
    if not found.error_distribution:
        return {}
    errors = [
        math.inf if sample.mismatches or sample.max_absolute is None else sample.max_absolute
        for sample in found.samples
        if sample.original_error is None
    ]
    return {
        f"1e{power}": sum(log_floored(error) <= power for error in errors) / len(errors)
        for power in CDF_POINTS
    }


def _coverage(found: Coverage) -> dict[str, Any]:
    taken, outcomes = found.outcomes
    return {
        "outcomes_taken": taken,
        "outcomes": outcomes,
        "subdnns": len(found.subdnns),
        "subdnns_run": len(found.subdnns) - len(found.unused_subdnns),
        "distinct_paths": found.distinct_paths,
    }
