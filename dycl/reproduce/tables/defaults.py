"""Which models a table takes on which backend where nobody says: an hour must do for all tables."""

from collections.abc import Collection

from dycl.backends.registry import backend_names
from dycl.reproduce.catalog import Entry
from dycl.reproduce.tables.table import Request

DEFAULT = "onnxruntime"
"""What ``dycl compile`` takes without ``--backend``."""

SLOW = ("inductor",)
"""Runs a C++ compiler for half a minute or more for each model."""

WHO_HAS_WHAT = (
    f"Heavy models are on {DEFAULT} alone; {' and '.join(SLOW)} has one light model of each "
    "family. `--all` runs the rest."
)


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
