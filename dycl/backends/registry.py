"""Finds backends by the entry point group ``dycl.backends``."""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from dycl.backends.interface import Backend, BackendOptions
from dycl.errors import UserError

GROUP = "dycl.backends"

_Shipped: dict[str, str] = {
    "inductor": "dycl.backends.inductor:InductorBackend",
    "onnxruntime": "dycl.backends.onnxruntime:OnnxRuntimeBackend",
    "openvino": "dycl.backends.openvino:OpenVinoBackend",
    "tvm": "dycl.backends.tvm:TvmBackend",
}
"""Known without installed metadata, as when dycl runs from its source tree."""


def backend_names() -> tuple[str, ...]:
    """Return the names of all backends, installed with dycl or beside it."""
    return tuple(sorted({*_Shipped, *(point.name for point in entry_points(group=GROUP))}))


def create_backend(name: str, options: BackendOptions | None = None) -> Backend:
    """Return the backend called ``name``; it may still turn out not to be available."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points and name in _Shipped:
        points[name] = EntryPoint(name=name, value=_Shipped[name], group=GROUP)
    if name not in points:
        raise UserError(
            f"there is no backend called {name!r}",
            help=f"the backends here are: {', '.join(backend_names())}",
        )
    factory = cast(Callable[[BackendOptions], Backend], points[name].load())
    return factory(options or BackendOptions())
