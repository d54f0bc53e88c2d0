"""Trees in batches of growing size: eager and dycl one by one, other systems many at once."""

import math
from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from dycl.contenders import EAGER
from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import DEFAULT, Cell, Measured
from dycl.reproduce.measuring.batching import SIZES
from dycl.reproduce.tables.table import Outcomes, Request, Table, cell_text, in_order
from dycl.reproduce.text import as_markdown

COUNT, SECONDS = max(SIZES), 240.0

_TOGETHER = f"{DEFAULT}:many_inputs=yes"

_PANELS = 2
"""Plots side by side."""


def cells(request: Request) -> tuple[Cell, ...]:
    """Return each system on each model that another one has, too."""
    chosen = {entry.name for entry in request.catalog.choose(request.models)}
    found = []
    for model in dict.fromkeys(other.model for other in request.catalog.batched):
        others = [each.system for each in request.catalog.batched if each.model == model]
        if model in chosen:
            for system in (EAGER, *(request.backends or (DEFAULT, _TOGETHER)), *others):
                found.append(request.cell("batching", model, system, COUNT, SECONDS))
    return tuple(found)


def show(catalog: Catalog, outcomes: Outcomes) -> str:
    """Return milliseconds per input by system and batch size, one table for each model."""
    parts = []
    for name, row in in_order(catalog, outcomes).items():
        rows = []
        for system, outcome in row.items():
            reason = cell_text(outcome, lambda found: "")
            found = outcome.found if isinstance(outcome, Measured) else {}
            label = f"{system}: {reason}" if reason else system
            rows.append([label, *(_cell(system, found, str(size)) for size in SIZES)])
        parts.append(f"{name}, milliseconds per input:")
        parts.append(as_markdown(["batch", *map(str, SIZES)], rows))
    known = {entry.name for entry in catalog.entries}
    missing = dict.fromkeys(each.model for each in catalog.batched if each.model not in known)
    parts += [f"{name}: the catalog has no such model." for name in missing]
    return "\n\n".join(parts)


def _cell(system: str, found: Mapping[str, Any], size: str) -> str:
    """Return the milliseconds, and how many times as fast as eager where both took turns."""
    if (time := found.get("milliseconds_per_input", {}).get(size)) is None:
        return "-"
    # outcomes of older sources were measured by themselves
    ratio = None if system == EAGER else found.get("times_as_fast", {}).get(size)
    return f"{time:.3f}" if ratio is None else f"{time:.3f} ({ratio:.2f}x)"


def plot(catalog: Catalog, outcomes: Outcomes, figure: Figure) -> None:
    """Draw milliseconds per input over the batch size."""
    models = in_order(catalog, outcomes)
    rows = max(1, math.ceil(len(models) / _PANELS))
    figure.set_size_inches(5.0 * _PANELS, 3.6 * rows + 0.5)
    places = figure.subplots(rows, _PANELS, squeeze=False).ravel()
    systems = list(dict.fromkeys(system for row in models.values() for system in row))
    for axes, (name, row) in zip(places, models.items(), strict=False):
        for system, outcome in row.items():
            if isinstance(outcome, Measured):
                times = outcome.found["milliseconds_per_input"]
                sizes, color = [int(size) for size in times], f"C{systems.index(system)}"
                axes.plot(sizes, list(times.values()), "o-", color=color, label=system)
        axes.set(
            title=name, xlabel="batch", ylabel="milliseconds per input", xscale="log", yscale="log"
        )
        axes.set_xticks(SIZES, [str(size) for size in SIZES])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_locator(NullLocator())
        axes.grid(alpha=0.3)
    for axes in places[len(models) :]:
        axes.set_axis_off()
    lines = {str(line.get_label()): line for axes in places for line in axes.lines}
    if lines:
        figure.legend(
            list(lines.values()), list(lines), loc="outside upper center", ncols=len(lines)
        )


TABLE = Table(
    name="batching",
    title="Trees in batches: beside DyNet with auto-batching",
    about="Milliseconds per input (times as fast as eager PyTorch, in turns with it through all "
    "inputs), one thread, inference only. Eager PyTorch and dycl take the inputs of a batch one "
    "by one, and dycl puts together what one input repeats where the weights are large; with "
    "many_inputs=yes it takes the whole batch (docs/many_inputs.md). DyNet with auto-batching "
    "finds what can run together. All compute the same function "
    "with the same weights: outputs are compared first. Published by "
    "Cavs (Xu et al., USENIX ATC 2018) are curves for training on a GPU, so no single figure "
    "stands here.",
    published=(),
    cells=cells,
    show=show,
    plot=plot,
)
