"""What each pass brings, one network of each family."""

from matplotlib.figure import Figure

from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import DEFAULT, Cell, Measured
from dycl.reproduce.measuring.ablation import ALL
from dycl.reproduce.tables.bars import grouped_bars
from dycl.reproduce.tables.table import (
    Outcomes,
    Request,
    Table,
    cell_text,
    in_order,
)
from dycl.reproduce.text import as_markdown

COUNT, SECONDS = 8, 420.0


def cells(request: Request) -> tuple[Cell, ...]:
    """Return one cell for each model and backend: all variants of a package in one process."""
    return tuple(
        request.cell("ablation", entry.name, backend, COUNT, SECONDS)
        for backend in request.backends or (DEFAULT,)
        for entry in request.examples()
    )


def show(catalog: Catalog, outcomes: Outcomes) -> str:
    """Return latency and calls by pass and model, then counts and sizes."""
    results = _results(catalog, outcomes)
    without = list(dict.fromkeys(name for found in results.values() for name in found))
    head = ["without", *results]
    latency = [
        [name, *(_latency(found.get(name)) for found in results.values())] for name in without
    ]
    sizes = [[name, *(_size(found.get(name)) for found in results.values())] for name in without]
    states = [
        [model, backend, cell_text(outcome, lambda found: f"measured in {found.took:.0f} s")]
        for model, row in in_order(catalog, outcomes).items()
        for backend, outcome in row.items()
    ]
    return "\n\n".join(
        [
            "Latency in times of that with all passes, and sub-DNNs called per input:",
            as_markdown(head, latency),
            "Sub-DNNs (different structures among them), megabytes of the package:",
            as_markdown(head, sizes),
            "The models:",
            as_markdown(["model", "backend", "outcome"], states),
        ]
    )


def _results(catalog: Catalog, outcomes: Outcomes) -> dict[str, dict[str, dict[str, float]]]:
    """Return variants by model; the backend is named where there are several."""
    several = len({outcome.cell.backend for outcome in outcomes}) > 1
    return {
        f"{name} ({backend})" if several else name: outcome.found["variants"]
        for name, row in in_order(catalog, outcomes).items()
        for backend, outcome in row.items()
        if isinstance(outcome, Measured)
    }


def _latency(variant: dict[str, float] | None) -> str:
    return "-" if variant is None else f"{variant['ratio']:.2f}x, {variant['calls']:.1f} calls"


def _size(variant: dict[str, float] | None) -> str:
    if variant is None:
        return "-"
    return f"{variant['subdnns']} ({variant['structures']}), {variant['bytes'] / 1e6:.2f}"


def plot(catalog: Catalog, outcomes: Outcomes, figure: Figure) -> None:
    """Draw a group of bars for each pass, a bar for each model."""
    results = _results(catalog, outcomes)
    names = dict.fromkeys(name for found in results.values() for name in found)
    passes = [name for name in names if name != ALL]
    heights = {
        model: [found[name]["ratio"] if name in found else None for name in passes]
        for model, found in results.items()
    }
    label = "latency without it / with all"
    grouped_bars(figure, passes, heights, label, is_logarithmic=False)


TABLE = Table(
    name="ablation",
    title="Ablation: packages without one pass after the other",
    about="All variants of a model take short turns on the same inputs in one process; up to 5 % "
    "is noise. One network of each family.",
    published=(),
    jobs=2,
    cells=cells,
    show=show,
    plot=plot,
)
