"""Models that other compilers' papers report: ours against eager, beside their figures."""

from functools import partial

from matplotlib.figure import Figure

from dycl.benchmark import geometric_mean
from dycl.contenders import COMPILE, ORACLE
from dycl.reproduce.catalog import Catalog, Comparison
from dycl.reproduce.cells import DEFAULT, Cell, Measured
from dycl.reproduce.tables.bars import grouped_bars
from dycl.reproduce.tables.defaults import SLOW, WHO_HAS_WHAT, models_for, other_backends
from dycl.reproduce.tables.table import Outcomes, Request, Table, backends_of, by_model, cell_text
from dycl.reproduce.text import as_markdown

COUNT, SECONDS = 10, 300.0


def cells(request: Request) -> tuple[Cell, ...]:
    """Return latency cells of the models that comparisons name: all of them on one backend."""
    wanted = {each.model for each in request.catalog.comparisons}
    quick = (DEFAULT, *(name for name in other_backends() if name not in SLOW))
    return tuple(
        request.cell("latency", entry.name, backend, COUNT, SECONDS)
        for backend in request.backends or (quick if not request.every else (*quick, *SLOW))
        for entry in models_for(request, backend, (DEFAULT,))
        if entry.name in wanted
    )


def show(catalog: Catalog, outcomes: Outcomes) -> str:
    """Return one row for each published figure, a missing model included."""
    found, backends = by_model(outcomes), backends_of(outcomes)
    rows = []
    for comparison in catalog.comparisons:
        row = found.get(comparison.model, {})
        published = f"{comparison.figure:g}x ({comparison.system}, {comparison.machine})"
        eager = next((each for each in row.values() if isinstance(each, Measured)), None)
        rows.append(
            [
                comparison.model if row else f"{comparison.model} (no such model was run)",
                published,
                "-" if eager is None else _per_unit(eager, "eager", comparison.unit),
                *(cell_text(row.get(name), partial(_ours, comparison)) for name in backends),
            ]
        )
    head = ["model", "published", "eager, microseconds", *(f"dycl, {name}" for name in backends)]
    papers = dict.fromkeys(f"- {each.system}: {each.paper}" for each in catalog.comparisons)
    return as_markdown(head, rows) + "\n\n" + "\n".join(papers)


def _ours(comparison: Comparison, outcome: Measured) -> str:
    times = _per_unit(outcome, "contender", comparison.unit)
    return f"{outcome.found['times_as_fast']:.2f}x ({times})"


def _per_unit(outcome: Measured, who: str, unit: str) -> str:
    """Return microseconds per token or node, over all inputs; per input where none is counted."""
    medians = [median for _, median, _ in outcome.found[who]["inputs"]]
    counts = outcome.found["units"].get(unit)
    if counts is None:
        return f"{1e3 * geometric_mean(medians):.1f} per input"
    return f"{1e3 * sum(medians) / sum(counts):.1f} per {unit}"


def plot(catalog: Catalog, outcomes: Outcomes, figure: Figure) -> None:
    """Draw ours beside what was published."""
    found = by_model(outcomes)
    shown = [each for each in catalog.comparisons if each.model in found]
    heights: dict[str, list[float | None]] = {"published": [each.figure for each in shown]}
    for backend in backends_of(outcomes):
        heights[f"dycl, {backend}"] = [
            each.found["times_as_fast"]
            if isinstance(each := found[comparison.model].get(backend), Measured)
            else None
            for comparison in shown
        ]
    names = [f"{each.model} [{each.system}]" for each in shown]
    grouped_bars(figure, names, heights, "times as fast as eager PyTorch")


TABLE = Table(
    name="systems",
    title="Other compilers' models: latency per token or node, beside their figures",
    about="How many times as fast as eager PyTorch, and microseconds for each token or node. The "
    "published figures are from other machines, other versions of PyTorch and models of other "
    "sizes: they say what to expect, not more.",
    left_out=WHO_HAS_WHAT,
    beside=(ORACLE, COMPILE),
    published=(),
    cells=cells,
    show=show,
    plot=plot,
)
