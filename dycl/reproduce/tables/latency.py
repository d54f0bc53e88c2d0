"""Eager PyTorch, torch.compile, packages by backend, and the oracle; one input at a time."""

import statistics
from collections.abc import Mapping

from matplotlib.figure import Figure

from dycl.benchmark import geometric_mean
from dycl.contenders import COMPILE, ORACLE
from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import DEFAULT, Cell, Measured, Outcome
from dycl.reproduce.published import SPEED
from dycl.reproduce.tables.bars import grouped_bars
from dycl.reproduce.tables.defaults import (
    ONE_ONNX,
    WHO_HAS_WHAT,
    models_for,
    other_backends,
)
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

COUNT, SECONDS = 6, 180.0


def cells(request: Request) -> tuple[Cell, ...]:
    """Return each contender on each model; of heavy models the default and the oracle."""
    others = other_backends()
    return tuple(
        request.cell("latency", entry.name, contender, COUNT, SECONDS)
        for contender in request.backends or (DEFAULT, ORACLE, *others, COMPILE, ONE_ONNX)
        for entry in models_for(request, contender, always=(DEFAULT, ORACLE))
    )


def show(catalog: Catalog, outcomes: Outcomes) -> str:
    """Return the table with geometric means."""
    contenders = backends_of(outcomes)
    rows = [
        [name, eager_milliseconds(row), *(cell_text(row.get(c), ratio_text) for c in contenders)]
        for name, row in in_order(catalog, outcomes).items()
    ]
    rows.append(["geometric mean", "", *(_mean(c, outcomes) for c in contenders)])
    if DEFAULT in contenders and len(contenders) > 1:
        rows.append([f"{DEFAULT}, same models", "", *(_same(c, outcomes) for c in contenders)])
    head = ["model", "eager, milliseconds", *contenders]
    return as_markdown(head, rows) + _beside_the_package(catalog, outcomes)


def _beside_the_package(catalog: Catalog, outcomes: Outcomes) -> str:
    """Return what others are beside the default backend's package, in turns with it."""
    rows = []
    for contender in (ORACLE, COMPILE):
        found = {
            each.cell.model: ratio
            for each in measured(outcomes)
            # outcomes of older sources, which --older takes, may be without
            if each.cell.backend == contender
            and (ratio := each.found.get("times_as_fast_as_package"))
        }
        pictures = {name: ratio for name, ratio in found.items() if catalog.entry(name).pictures}
        kinds = {"every model": found, "networks for pictures": pictures}
        rows += [[contender, kind, *_spread(ratios)] for kind, ratios in kinds.items() if ratios]
    if not rows:
        return ""
    title = f"How many times as fast as the package for {DEFAULT}, in turns with it in one process:"
    head = ["", "models", "geometric mean", "least", "most"]
    return f"\n\n{title}\n\n{as_markdown(head, rows)}"


def _spread(ratios: Mapping[str, float]) -> list[str]:
    least, most = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    extremes = [f"{ratios[name]:.2f}x, {name}" for name in (least, most)]
    return [f"{geometric_mean(ratios.values()):.2f}x ({len(ratios)})", *extremes]


def eager_milliseconds(row: dict[str, Outcome]) -> str:
    """Return eager PyTorch's time: the median of what it took beside each contender."""
    times = [each.found["eager"]["milliseconds"] for each in measured(tuple(row.values()))]
    return f"{statistics.median(times):.3f}" if times else "-"


def ratio_text(outcome: Measured) -> str:
    """Return how many times as fast as eager, and the milliseconds."""
    found = outcome.found
    return f"{found['times_as_fast']:.2f}x ({found['contender']['milliseconds']:.3f})"


def _mean(contender: str, outcomes: Outcomes) -> str:
    ratios = list(_ratios(contender, outcomes).values())
    if not ratios:
        return "-"
    return (
        f"{geometric_mean(ratios):.2f}x ({min(ratios):.2f}-{max(ratios):.2f}, {len(ratios)} models)"
    )


def _same(contender: str, outcomes: Outcomes) -> str:
    """Return the default backend's mean over the models that a contender has a result for."""
    others, own = _ratios(contender, outcomes), _ratios(DEFAULT, outcomes)
    ratios = [ratio for model, ratio in own.items() if model in others]
    return f"{geometric_mean(ratios):.2f}x ({len(ratios)} models)" if ratios else "-"


def _ratios(contender: str, outcomes: Outcomes) -> dict[str, float]:
    """Return how many times as fast as eager a contender is, by model."""
    return {
        each.cell.model: each.found["times_as_fast"]
        for each in measured(outcomes)
        if each.cell.backend == contender
    }


def plot(catalog: Catalog, outcomes: Outcomes, figure: Figure) -> None:
    """Draw a group of bars for each model, a bar for each contender."""
    rows = in_order(catalog, outcomes)
    heights = {
        contender: [
            found.found["times_as_fast"]
            if isinstance(found := row.get(contender), Measured)
            else None
            for row in rows.values()
        ]
        for contender in backends_of(outcomes)
    }
    grouped_bars(figure, list(rows), heights, "times as fast as eager PyTorch")


TABLE = Table(
    name="latency",
    title="Latency: one input at a time, beside eager PyTorch",
    about="Each cell: how many times as fast as eager PyTorch (milliseconds, geometric mean over "
    "the inputs). Each contender takes short turns with eager in shuffled order, in a process of "
    "their own: ratios mean more than milliseconds. The *oracle* is a static ONNX graph of each "
    "input's own path: what the path would cost if it were known before; as words that a decoder "
    "chose are constants there, it does less than any host can. *torch.compile* is in its "
    f"default mode and warm, without heavy models. *{ONE_ONNX}* has decisions in ONNX "
    "files, with If and Loop, as far as they can be: one file for all where possible. Means are "
    "over the models that a contender has a result for; the last row has "
    f"{DEFAULT}'s over the same models.",
    left_out=WHO_HAS_WHAT,
    beside=(ORACLE, COMPILE),
    published=(SPEED,),
    cells=cells,
    show=show,
    plot=plot,
)
