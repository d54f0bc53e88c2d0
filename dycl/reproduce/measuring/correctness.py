"""How often a package or a trace decides otherwise than eager PyTorch, and how far off it is."""

from typing import Any

from dycl.reproduce.measuring.subject import CannotMeasure, Subject, package_of
from dycl.verification import verify
from dycl.verification.observation import Coverage
from dycl.verification.rendering import failure_line
from dycl.verification.report import Correctness
from dycl.verification.verifying import compare_with_trace

TRACE = "trace"
_SHOWN = 3


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
    report = verify(model, host, inputs, method=entry.method, decide=entry.decide)
    return {**_numbers(report.host), "coverage": _coverage(report.coverage)}


def _numbers(found: Correctness) -> dict[str, Any]:
    failing = [failure_line(sample) for sample in found.samples if not sample.passed]
    return {**found.summary(), "first_failing": failing[:_SHOWN]}


def _coverage(found: Coverage) -> dict[str, Any]:
    taken, outcomes = found.outcomes
    return {
        "outcomes_taken": taken,
        "outcomes": outcomes,
        "subdnns": len(found.subdnns),
        "subdnns_run": len(found.subdnns) - len(found.unused_subdnns),
        "distinct_paths": found.distinct_paths,
    }
