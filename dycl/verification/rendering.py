"""The correctness report as terminal tables."""

from collections.abc import Callable, Iterator

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from dycl.verification.coverage_rendering import render_coverage
from dycl.verification.report import Correctness, Sample, VerificationReport

_SHOWN = 5
"""How many failing inputs are listed."""

_NO_MARGINS = (
    "no margins of tests inside tensor code: the package is of another version of the model, "
    "or was compiled with other options"
)


def render_report(report: VerificationReport) -> RenderableType:
    """Return the whole report as something rich can print."""
    return Group(*_parts(report))


def _parts(report: VerificationReport) -> Iterator[RenderableType]:
    yield _totals(report)
    yield from _failures(report.host)
    yield _distribution(report)
    yield from render_coverage(report.coverage)
    if not report.margins_inside:
        yield Text(_NO_MARGINS, style="yellow")
    verdict, style = (
        ("the host does what the original does", "green")
        if report.passed
        else ("the host differs from the original", "red")
    )
    count = len(report.host.samples)
    yield Text(f"{report.name}: {verdict} on {count} inputs ({report.source})", style=style)


def _totals(report: VerificationReport) -> Table:
    table = Table(title=f"{escape(report.name)} against eager PyTorch", title_justify="left")
    table.add_column("")
    table.add_column("host", justify="right")
    columns: list[Correctness | None] = [report.host]
    baseline = report.baseline
    if baseline is not None:
        table.add_column(escape(baseline.name), justify="right")
        columns.append(baseline.correctness)
    for label, cells in _total_rows(columns):
        table.add_row(label, *cells)
    if baseline is not None and baseline.failure is not None:
        table.caption = escape(f"{baseline.name} fails: {baseline.failure}")
    return table


def _total_rows(columns: list[Correctness | None]) -> Iterator[tuple[str, list[str]]]:
    def cells(show: Callable[[Correctness], str]) -> list[str]:
        return ["-" if column is None else show(column) for column in columns]

    yield "inconsistent decisions", cells(lambda c: f"{c.inconsistent_rate:.1%} ({c.inconsistent})")
    yield "structure, type or value differs", cells(lambda c: str(c.mismatched))
    yield "beyond float tolerance", cells(lambda c: str(c.beyond_tolerance))
    yield "max absolute error", cells(lambda c: f"{c.max_absolute:.2e}")
    yield "max relative error", cells(lambda c: f"{c.max_relative:.2e}")
    yield "log10 max error", cells(lambda c: f"{c.log_error:.2f}")
    yield "original raised", cells(lambda c: str(c.raised))


def _failures(host: Correctness) -> Iterator[RenderableType]:
    failing = [sample for sample in host.samples if not sample.passed]
    for sample in failing[:_SHOWN]:
        yield Text(failure_line(sample), style="red")
    if len(failing) > _SHOWN:
        yield Text(f"... and {len(failing) - _SHOWN} more inputs (all in --json)", style="red")


def failure_line(sample: Sample) -> str:
    """Say why an input failed."""
    reasons = list(sample.mismatches)
    if not sample.consistent and not sample.mismatches:
        reasons.append("the decision differs")
    if not sample.within_tolerance:
        reasons.append(f"floats differ by {sample.max_absolute:.2e}")
    line = f"input {sample.index}: {'; '.join(reasons)}"
    if sample.closest_margin is not None:
        line += f" (closest branch: {sample.closest_branch}, margin {sample.closest_margin:.1e})"
    return line


def _distribution(report: VerificationReport) -> Table:
    """Show the powers of ten at which something changes."""
    rows = [("host", report.host.error_distribution)]
    if report.baseline is not None and report.baseline.correctness is not None:
        rows.append((report.baseline.name, report.baseline.correctness.error_distribution))
    shown: list[str] = []
    for power in rows[0][1]:
        if not shown or any(shares[power] != shares[shown[-1]] for _, shares in rows if shares):
            shown.append(power)
    table = Table(title="inputs with an absolute error of at most", title_justify="left")
    table.add_column("")
    for power in shown:
        table.add_column(power, justify="right")
    for name, shares in rows:
        table.add_row(escape(name), *(f"{shares[p]:.0%}" if shares else "-" for p in shown))
    return table
