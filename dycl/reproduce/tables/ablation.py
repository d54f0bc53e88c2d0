"""What each pass brings, one network of each family."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from matplotlib.figure import Figure

from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import DEFAULT, Cell, Measured
from dycl.reproduce.measuring.ablation import ALL, NONE
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

Variants: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What was measured, by the name of the pass that a package is without."""


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
    head = ["", *results]
    latency = [
        [_label(name), *(_latency(found, name) for found in results.values())] for name in without
    ]
    sizes = [
        [_label(name), *(_size(found.get(name)) for found in results.values())] for name in without
    ]
    states = [
        [model, backend, cell_text(outcome, lambda found: f"measured in {found.took:.0f} s")]
        for model, row in in_order(catalog, outcomes).items()
        for backend, outcome in row.items()
    ]
    parts = [
        "Latency in times of that with all passes, and sub-DNNs called per input:",
        as_markdown(head, latency),
        _noise(results),
        "Sub-DNNs (different structures among them), megabytes of the package:",
        as_markdown(head, sizes),
        "The models:",
        as_markdown(["model", "backend", "outcome"], states),
    ]
    return "\n\n".join(part for part in parts if part)


def _results(catalog: Catalog, outcomes: Outcomes) -> dict[str, Variants]:
    """Return variants by model; the backend is named where there are several."""
    several = len({outcome.cell.backend for outcome in outcomes}) > 1
    return {
        f"{name} ({backend})" if several else name: outcome.found["variants"]
        for name, row in in_order(catalog, outcomes).items()
        for backend, outcome in row.items()
        if isinstance(outcome, Measured)
    }


def _label(name: str) -> str:
    return name if name in (ALL, NONE) else f"without {name}"


def _latency(found: Variants, name: str) -> str:
    if (variant := found.get(name)) is None:
        return "-"
    latency = "same package" if _is_same(found, name) else f"{variant['ratio']:.2f}x"
    return f"{latency}, {variant['calls']:.1f} calls"


def _is_same(found: Variants, name: str) -> bool:
    """Return whether a pass has done nothing: the package is that with all passes, in all files."""
    package = found[name].get("package")
    return name != ALL and package is not None and package == found[ALL]["package"]


def _noise(results: Mapping[str, Variants]) -> str:
    """Say what ratios are measured between packages that are the same."""
    ratios = [
        variant["ratio"]
        for found in results.values()
        for name, variant in found.items()
        if _is_same(found, name)
    ]
    if not ratios:
        return ""
    return (
        f"Noise: the {len(ratios)} packages that are the same in all files as with all passes took "
        f"{min(ratios):.2f} to {max(ratios):.2f} times as long."
    )


def _size(variant: Mapping[str, Any] | None) -> str:
    if variant is None:
        return "-"
    return f"{variant['subdnns']} ({variant['structures']}), {variant['bytes'] / 1e6:.2f}"


def plot(catalog: Catalog, outcomes: Outcomes, figure: Figure) -> None:
    """Draw a group of bars for each pass, a bar for each model."""
    results = _results(catalog, outcomes)
    names = dict.fromkeys(name for found in results.values() for name in found)
    passes = [name for name in names if name != ALL]
    heights = {
        model: [
            found[name]["ratio"] if name in found and not _is_same(found, name) else None
            for name in passes
        ]
        for model, found in results.items()
    }
    label = "latency without it / with all"
    grouped_bars(figure, passes, heights, label, is_logarithmic=False)


TABLE = Table(
    name="ablation",
    title="Ablation: packages without one pass after the other, and without any",
    about="All variants of a model take short turns on the same inputs in one process. One network "
    "of each family. *same package*: there is nothing for the pass to do, or others do it as well.",
    published=(),
    cells=cells,
    show=show,
    plot=plot,
)
