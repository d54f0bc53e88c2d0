"""From what the user asked for to backends that can be used."""

from dycl.backends.interface import Backend, BackendOptions
from dycl.backends.registry import backend_names, create_backend
from dycl.errors import UserError
from dycl.options import CompileOptions

AUTO = "auto"


def select_backends(backend: str | Backend, options: CompileOptions) -> tuple[Backend, ...]:
    """Return the backends that are to compile; of several, the fastest takes each sub-DNN.

    ``auto`` stands for all that can be used here and need no PyTorch at run time,
    ``auto:NAME,NAME`` for these. Raises UserError where one that was named cannot be used.
    """
    if not isinstance(backend, str):
        return (_require_usable(backend),)
    family, colon, names = backend.partition(":")
    if family != AUTO:
        return (_require_usable(_create(backend, options)),)
    if colon:
        wanted = dict.fromkeys(name.strip() for name in names.split(","))
        return tuple(_require_usable(_create(name, options)) for name in wanted)
    found = [_create(name, options) for name in backend_names()]
    usable = tuple(
        candidate
        for candidate in found
        if "torch" not in candidate.runtime_packages and candidate.available().available
    )
    if not usable:
        raise UserError("no backend can be used here", help="`dycl backends` says why")
    return usable


def _create(name: str, options: CompileOptions) -> Backend:
    return create_backend(
        name,
        BackendOptions(
            device=options.device,
            threads=options.threads,
            jobs=options.jobs,
            extra=_own_options(name, options),
        ),
    )


def _own_options(name: str, options: CompileOptions) -> dict[str, str]:
    """Return the options for one backend; ``tvm.processor`` is for tvm alone."""
    found = {}
    for option, value in options.backend_options:
        backend, dot, own = option.rpartition(".")
        if not dot or backend == name:
            found[own] = value
    return found


def _require_usable(backend: Backend) -> Backend:
    availability = backend.available()
    if not availability.available:
        raise UserError(
            f"backend {backend.name} cannot be used: {availability.reason}",
            help=availability.help,
        )
    return backend
