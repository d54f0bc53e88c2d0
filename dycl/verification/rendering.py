"""The correctness report as terminal tables."""

from collections.abc import Callable, Iterator

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from dycl.verification.observation import BranchCoverage, Coverage
from dycl.verification.report import Correctness, Sample, VerificationReport

_SHOWN = 5
"""How many failing inputs, and how many unreached places, are listed."""

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
    yield _branches(report.coverage)
    if not report.margins_inside:
        yield Text(_NO_MARGINS, style="yellow")
    yield from _unreached(report.coverage)
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
        yield Text(_failure_line(sample), style="red")
    if len(failing) > _SHOWN:
        yield Text(f"... and {len(failing) - _SHOWN} more inputs (all in --json)", style="red")


def _failure_line(sample: Sample) -> str:
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


def _branches(coverage: Coverage) -> Table:
    table = Table(
        title=f"branches: {coverage.distinct_paths} different paths", title_justify="left"
    )
    table.add_column("branch")
    table.add_column("true", justify="right")
    table.add_column("false", justify="right")
    table.add_column("smallest margin", justify="right")
    for branch in coverage.branches:
        margin = branch.smallest_margin
        table.add_row(
            escape(_place(branch)),
            str(branch.taken_true),
            str(branch.taken_false),
            _margin_text(margin),
            style="yellow" if branch.one_sided else None,
        )
    return table


def _margin_text(margin: float | None) -> str:
    """Two equal sides are no near miss: a mask of 0 and 1 against 0 says nothing of closeness."""
    if margin is None:
        return ""
    return "equal" if margin == 0 else f"{margin:.1e}"


def _unreached(coverage: Coverage) -> Iterator[Text]:
    missing = [
        f"{_place(branch)} was never {outcome}"
        for branch in coverage.branches
        for outcome, count in (("true", branch.taken_true), ("false", branch.taken_false))
        if count == 0
    ]
    unused = [f"{s.label} ({s.source})" for s in coverage.unused_subdnns]
    for title, places in (("outcomes not covered", missing), ("sub-DNNs never run", unused)):
        if places:
            shown = ", ".join(places[:_SHOWN])
            more = f", and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
            yield Text(f"{len(places)} {title}: {shown}{more}", style="yellow")


def _place(branch: BranchCoverage) -> str:
    return f"{branch.source}  {branch.label}" if branch.source else branch.label
