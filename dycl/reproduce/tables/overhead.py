"""What compilation costs, by phase, and how it grows with the network."""

from matplotlib.figure import Figure

from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import DEFAULT, Cell, Measured, Outcome
from dycl.reproduce.tables.table import Outcomes, Request, Table, cell_text, in_order
from dycl.reproduce.text import as_markdown

COUNT, SECONDS = 1, 240.0


def cells(request: Request) -> tuple[Cell, ...]:
    """Return one network of each family, and one in several sizes."""
    entries = [*request.examples(), *(() if request.models else request.catalog.growth)]
    names = dict.fromkeys(entry.name for entry in entries)
    return tuple(
        request.cell("overhead", name, backend, COUNT, SECONDS)
        for backend in request.backends or (DEFAULT,)
        for name in names
    )


def show(catalog: Catalog, outcomes: Outcomes) -> str:
    """Return one row for each model and backend."""
    rows = [
        (name, outcome)
        for name, row in in_order(catalog, outcomes).items()
        for outcome in row.values()
    ]
    phases = _phases(outcomes)
    head = ["model", "backend", "sub-DNNs", "structures", "cold", "imports", *phases, "warm"]
    head += ["megabytes", "package / weights"]
    return as_markdown(head, [_row(name, outcome, phases) for name, outcome in rows])


def _phases(outcomes: Outcomes) -> list[str]:
    found = [each.found["cold"]["stages"] for each in outcomes if isinstance(each, Measured)]
    return list(dict.fromkeys(phase for stages in found for phase in stages))


def _row(name: str, outcome: Outcome, phases: list[str]) -> list[str]:
    backend = outcome.cell.backend
    if not isinstance(outcome, Measured):
        reason = cell_text(outcome, lambda found: "")
        return [name, backend, reason, *["-"] * (len(phases) + 6)]
    cold, warm = outcome.found["cold"], outcome.found["warm"]
    return [
        name,
        backend,
        str(cold["subdnns"]),
        str(cold["structures"]),
        f"{cold['seconds']['compile']:.1f}",
        f"{cold['seconds']['import']:.1f}",
        *(f"{cold['stages'].get(phase, 0):.1f}" for phase in phases),
        f"{warm['seconds']['compile']:.1f}",
        f"{cold['bytes'] / 1e6:.2f}",
        f"{cold['bytes'] / max(cold['weights'], 1):.2f}",
    ]


def plot(catalog: Catalog, outcomes: Outcomes, figure: Figure) -> None:
    """Draw seconds by phase for each model, and seconds over sub-DNNs."""
    rows = {name: next(iter(row.values())) for name, row in in_order(catalog, outcomes).items()}
    found = {name: each.found for name, each in rows.items() if isinstance(each, Measured)}
    figure.set_size_inches(11, 4.5)
    bars, growth = figure.subplots(1, 2, width_ratios=(3, 2))
    left = [0.0] * len(found)
    for phase in _phases(outcomes):
        seconds = [each["cold"]["stages"].get(phase, 0.0) for each in found.values()]
        bars.barh(list(found), seconds, left=left, label=phase)
        left = [sum(pair) for pair in zip(left, seconds, strict=True)]
    bars.invert_yaxis()
    bars.set(xlabel="seconds with an empty cache")
    bars.legend(fontsize="small")
    for temperature, marker in (("cold", "o"), ("warm", "^")):
        points = sorted(
            (each[temperature]["subdnns"], each[temperature]["seconds"]["compile"])
            for each in found.values()
        )
        growth.plot(*zip(*points, strict=True) if points else ([], []), marker, label=temperature)
    growth.set(xlabel="sub-DNNs", ylabel="seconds", xlim=(0, None), ylim=(0, None))
    growth.legend()


TABLE = Table(
    name="overhead",
    title="Overhead: seconds of compilation by phase, and bytes",
    about="Seconds, each compilation in a process of its own: with an empty cache (cold, its "
    "phases after it) and with what that left (warm). *imports* come on top.",
    published=(),
    is_alone=True,
    cells=cells,
    show=show,
    plot=plot,
)
