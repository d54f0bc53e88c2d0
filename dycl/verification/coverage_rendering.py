"""Which ways the inputs took, as terminal tables."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from dycl.verification.observation import BranchCoverage, Coverage

_MOST_ROWS = 8
"""An unrolled loop leaves one line of the user many branches: more than this are summed up."""

_MOST_PLACES = 5
"""How many unreached places are listed."""


def render_coverage(coverage: Coverage) -> Iterator[RenderableType]:
    """Yield the table of branches, and lines about what the inputs did not reach."""
    yield _branches(coverage)
    missing = [
        f"{_place(branch)} was never {outcome}"
        for branch in coverage.branches
        for outcome, count in (("true", branch.taken_true), ("false", branch.taken_false))
        if count == 0
    ]
    yield from _unreached("outcome", "not covered", missing)
    unused = [f"{subdnn.label} ({subdnn.source})" for subdnn in coverage.unused_subdnns]
    yield from _unreached("sub-DNN", "never run", unused)


def _branches(coverage: Coverage) -> Table:
    table = Table(
        title=f"branches: {coverage.distinct_paths} different paths", title_justify="left"
    )
    table.add_column("branch")
    for column in ("true", "false", "smallest margin"):
        table.add_column(column, justify="right")
    places: dict[str, list[BranchCoverage]] = {}
    for branch in coverage.branches:
        places.setdefault(_place(branch), []).append(branch)
    for place, branches in places.items():
        if len(branches) <= _MOST_ROWS:
            for branch in branches:
                _add_row(table, place, [branch])
        else:
            both = sum(not branch.one_sided for branch in branches)
            _add_row(table, f"{place}  ({both} of {len(branches)} went both ways)", branches)
    return table


def _add_row(table: Table, label: str, branches: Sequence[BranchCoverage]) -> None:
    margins = [b.smallest_margin for b in branches if b.smallest_margin is not None]
    table.add_row(
        escape(label),
        str(sum(branch.taken_true for branch in branches)),
        str(sum(branch.taken_false for branch in branches)),
        _margin_text(min(margins, default=None)),
        style="yellow" if any(branch.one_sided for branch in branches) else None,
    )


def _margin_text(margin: float | None) -> str:
    """Two equal sides are no near miss: a mask of 0 and 1 against 0 says nothing of closeness."""
    if margin is None:
        return ""
    return "equal" if margin == 0 else f"{margin:.1e}"


def _unreached(what: str, why: str, places: Sequence[str]) -> Iterator[Text]:
    if not places:
        return
    counts = Counter(places)
    shown = [
        place if count == 1 else f"{place} ({count} times)"
        for place, count in list(counts.items())[:_MOST_PLACES]
    ]
    if len(counts) > _MOST_PLACES:
        shown.append(f"and {len(counts) - _MOST_PLACES} more")
    plural = "" if len(places) == 1 else "s"
    yield Text(f"{len(places)} {what}{plural} {why}: {', '.join(shown)}", style="yellow")


def _place(branch: BranchCoverage) -> str:
    return f"{branch.source}  {branch.label}" if branch.source else branch.label
