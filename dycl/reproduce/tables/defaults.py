"""Which models a table takes on which backend where nobody says: an hour must do for all tables."""

from collections.abc import Collection

from dycl.backends.registry import backend_names
from dycl.contenders import COMPILE
from dycl.reproduce.catalog import Entry
from dycl.reproduce.cells import DEFAULT, Cell
from dycl.reproduce.tables.table import Request

ONE_ONNX = f"{DEFAULT}:host_mode=ifs"
"""Decisions in ONNX files, as far as they can be: the whole model in one where possible."""

SLOW = ("inductor",)
"""Runs a C++ compiler for a while for each model."""

WHO_HAS_WHAT = (
    f"Heavy models are on {DEFAULT} alone; {' and '.join(SLOW)} has one light model of each "
    "family. `--all` runs the rest."
)


STAGES = range(3)
"""In which order cells are run, over all tables."""


def stage_of(cell: Cell) -> int:
    """Return when a cell is due: what a table cannot do without, more backends, slow ones."""
    backend = cell.backend.partition(":")[0]
    if backend in SLOW:
        return 2
    return int(backend in (*other_backends(), COMPILE) or cell.backend == ONE_ONNX)


def other_backends() -> tuple[str, ...]:
    """Return every backend but the default one, those that take long last."""
    others = [name for name in backend_names() if name != DEFAULT]
    return tuple(sorted(others, key=lambda name: name in SLOW))


def models_for(request: Request, backend: str, always: Collection[str]) -> tuple[Entry, ...]:
    """Return the models that a table takes on a backend; ``always`` has every model."""
    if request.backends:
        return request.catalog.choose(request.models)
    if backend in SLOW:
        return request.examples()
    return tuple(
        entry
        for entry in request.catalog.choose(request.models)
        if backend in always or request.every or not entry.heavy
    )
