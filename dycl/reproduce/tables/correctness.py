"""All models on all backends: inconsistent rate, numeric error, coverage; tracing beside them."""

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from dycl.contenders import TRACE
from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import DEFAULT, Cell, Measured, Outcome
from dycl.reproduce.published import ALL_COMPILED, TRACING_FAILS
from dycl.reproduce.tables.defaults import WHO_HAS_WHAT, models_for, other_backends
from dycl.reproduce.tables.table import (
    Outcomes,
    Request,
    Table,
    backends_of,
    cell_text,
    in_order,
    measured,
)
from dycl.reproduce.text import as_markdown

COUNT, SECONDS = 100, 300.0


def cells(request: Request) -> tuple[Cell, ...]:
    """Return each model on each backend, and traced; heavy ones on the default backend."""
    return tuple(
        request.cell("correctness", entry.name, backend, COUNT, SECONDS)
        for backend in request.backends or (DEFAULT, TRACE, *other_backends())
        for entry in models_for(request, backend, always=(DEFAULT, TRACE))
    )


def show(catalog: Catalog, outcomes: Outcomes) -> str:
    """Return the table, totals, and inputs that differ."""
    backends = backends_of(outcomes)
    head = ["model", "family", "paths", "outcomes taken", *backends]
    rows = []
    for name, row in in_order(catalog, outcomes).items():
        cells = [cell_text(row.get(backend), _numbers) for backend in backends]
        rows.append([name, str(catalog.entry(name).family), *_coverage(row), *cells])
    rows.append(["inputs that decide otherwise", "", "", "", *_totals(backends, outcomes)])
    parts = [as_markdown(head, rows), _distribution(backends, outcomes), _differing(outcomes)]
    return "\n\n".join(part for part in parts if part)


def _numbers(outcome: Measured) -> str:
    found = outcome.found
    # no float to compare, or what differs is none: there is no error to speak of
    says_nothing = found["mismatched"] and not found["max_absolute_error"]
    is_known = found["error_distribution"] and not says_nothing
    error = f"{found['log10_error']:.1f}" if is_known else "-"
    differs = "" if found["passed"] or outcome.cell.backend == TRACE else " (differs)"
    return f"{found['inconsistent_rate']:.1%} / {error}{differs}"


def _coverage(row: dict[str, Outcome]) -> list[str]:
    """Return distinct paths and outcomes of branches: those of the first package that has them."""
    for outcome in row.values():
        if isinstance(outcome, Measured) and "coverage" in outcome.found:
            found: dict[str, Any] = outcome.found["coverage"]
            taken, outcomes = found["outcomes_taken"], found["outcomes"]
            share = f"{taken} of {outcomes}" if outcomes else "no branch"
            return [str(found["distinct_paths"]), share]
    return ["-", "-"]


def _totals(backends: Sequence[str], outcomes: Outcomes) -> list[str]:
    totals = []
    for backend in backends:
        found = [each.found for each in measured(outcomes) if each.cell.backend == backend]
        inputs = sum(each["inputs"] for each in found)
        wrong = sum(each["inconsistent"] for each in found)
        models = sum(each["inconsistent"] > 0 for each in found)
        rate = f"{wrong / inputs:.1%}" if inputs else "-"
        totals.append(f"{rate} of {inputs}, in {models} of {len(found)} models")
    return totals


def _distribution(backends: Sequence[str], outcomes: Outcomes) -> str:
    """Return the error CDF over all models, each of the same weight."""
    curves = {backend: error_curve(backend, outcomes) for backend in backends}
    powers = list(dict.fromkeys(power for curve in curves.values() for power in curve))
    if not powers:
        return ""
    rows = [
        [backend, *(f"{curve[power]:.0%}" for power in powers)]
        for backend, curve in curves.items()
        if curve
    ]
    title = (
        "Inputs whose largest absolute error is at most (mean over models; where structure, type, "
        "shape or an integer differs, no error is small enough):"
    )
    return f"{title}\n\n{as_markdown(['', *powers], rows)}"


def error_curve(backend: str, outcomes: Outcomes) -> dict[str, float]:
    """Return the share of inputs whose error is not above each power of ten."""
    curves = [
        each.found["error_distribution"]
        for each in measured(outcomes)
        if each.cell.backend == backend and each.found["error_distribution"]
    ]
    if not curves:
        return {}
    return {power: sum(curve[power] for curve in curves) / len(curves) for power in curves[0]}


def _differing(outcomes: Outcomes) -> str:
    lines = [
        f"- {each.cell.model}, {each.cell.backend}: {line}"
        for each in measured(outcomes)
        if each.cell.backend != TRACE
        for line in each.found["first_failing"]
    ]
    return (
        "Inputs on which a package differs, the first of each:\n\n" + "\n".join(lines)
        if lines
        else ""
    )


def plot(catalog: Catalog, outcomes: Outcomes, figure: Figure) -> None:
    """Draw the error CDF of each backend and of the trace."""
    axes = figure.subplots()
    for backend in backends_of(outcomes):
        if curve := error_curve(backend, outcomes):
            powers = [float(power) for power in curve]
            style = "k--" if backend == TRACE else ".-"
            axes.plot(powers, list(curve.values()), style, label=backend)
    axes.set(
        xscale="log",
        xlabel="largest absolute error of an input",
        ylabel="share of inputs with at most that",
        ylim=(-0.03, 1.03),
    )
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend()


TABLE = Table(
    name="correctness",
    title="Correctness: compiled models and traces beside eager PyTorch",
    about="Each cell: share of inputs whose decision differs / log10 of the largest absolute error "
    "(not below -10; none where only shapes or integers differ). *paths* are distinct paths of "
    "these inputs through the package, *outcomes taken* are branch outcomes that occurred. *trace* "
    "is `torch.jit.trace` of the first input.",
    left_out=WHO_HAS_WHAT,
    beside=(TRACE,),
    published=(TRACING_FAILS, ALL_COMPILED),
    cells=cells,
    show=show,
    plot=plot,
)
