"""Trees in batches of growing size: eager and dycl one by one, other systems many at once."""

from matplotlib.figure import Figure

from dycl.contenders import EAGER
from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import DEFAULT, Cell, Measured
from dycl.reproduce.measuring.batching import SIZES
from dycl.reproduce.tables.table import Outcomes, Request, Table, cell_text, in_order
from dycl.reproduce.text import as_markdown

COUNT, SECONDS = max(SIZES), 180.0


def cells(request: Request) -> tuple[Cell, ...]:
    """Return each system on each model that another one has, too."""
    chosen = {entry.name for entry in request.catalog.choose(request.models)}
    found = []
    for model in dict.fromkeys(other.model for other in request.catalog.batched):
        others = [each.system for each in request.catalog.batched if each.model == model]
        if model in chosen:
            for system in (EAGER, *(request.backends or (DEFAULT,)), *others):
                found.append(request.cell("batching", model, system, COUNT, SECONDS))
    return tuple(found)


def show(catalog: Catalog, outcomes: Outcomes) -> str:
    """Return milliseconds per input by system and batch size, one table for each model."""
    parts = []
    for name, row in in_order(catalog, outcomes).items():
        rows = []
        for system, outcome in row.items():
            reason = cell_text(outcome, lambda found: "")
            times = outcome.found["milliseconds_per_input"] if isinstance(outcome, Measured) else {}
            cells = [times.get(str(size)) for size in SIZES]
            label = f"{system}: {reason}" if reason else system
            rows.append([label, *("-" if cell is None else f"{cell:.3f}" for cell in cells)])
        parts.append(f"{name}, milliseconds per input:")
        parts.append(as_markdown(["batch", *map(str, SIZES)], rows))
    known = {entry.name for entry in catalog.entries}
    missing = dict.fromkeys(each.model for each in catalog.batched if each.model not in known)
    parts += [f"{name}: the catalog has no such model." for name in missing]
    return "\n\n".join(parts)


def plot(catalog: Catalog, outcomes: Outcomes, figure: Figure) -> None:
    """Draw milliseconds per input over the batch size."""
    models = in_order(catalog, outcomes)
    figure.set_size_inches(5.5 * max(len(models), 1), 4.5)
    places = figure.subplots(1, len(models), squeeze=False)[0]
    for axes, (name, row) in zip(places, models.items(), strict=True):
        for system, outcome in row.items():
            if isinstance(outcome, Measured):
                times = outcome.found["milliseconds_per_input"]
                axes.plot([int(size) for size in times], list(times.values()), "o-", label=system)
        axes.set(
            title=name, xlabel="batch", ylabel="milliseconds per input", xscale="log", yscale="log"
        )
        axes.set_xticks(SIZES, [str(size) for size in SIZES])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(fontsize="small")


TABLE = Table(
    name="batching",
    title="Trees in batches: beside DyNet with auto-batching",
    about="Milliseconds per input, one thread, inference only. Eager PyTorch and dycl take the "
    "inputs of a batch one by one; DyNet with auto-batching finds what can run together. All "
    "compute the same function with the same weights: outputs are compared first. Published by "
    "Cavs (Xu et al., USENIX ATC 2018) are curves for training on a GPU, so no single figure "
    "stands here.",
    published=(),
    jobs=2,
    cells=cells,
    show=show,
    plot=plot,
)
