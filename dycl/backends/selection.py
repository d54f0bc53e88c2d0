"""From what the user asked for to backends that can be used."""

from collections.abc import Sequence

from codegen_host.embedded._machine import reason_against
from dycl.backends.interface import Backend, BackendOptions, TunableBackend
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
        _require_runnable(_require_usable(backend))
        return (backend,)
    family, colon, names = backend.partition(":")
    if family == AUTO:
        _require_named(options)
    selected = (
        _candidates(names if colon else None, options)
        if family == AUTO
        else (_require_usable(_create(backend, options)),)
    )
    _require_used(options, [one.name for one in selected])
    for one in selected:
        _require_runnable(one)
    return selected


def _require_runnable(backend: Backend) -> None:
    """Raise UserError where this machine could not run the code: it is tried before it is used."""
    reason = reason_against(backend.machine())
    if reason is not None:
        raise UserError(
            f"what backend {backend.name} makes could not be checked here: {reason}",
            help="compile on a machine that can run it, or for one that this machine is like",
        )


def _candidates(names: str | None, options: CompileOptions) -> tuple[Backend, ...]:
    if names is not None:
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


def _require_named(options: CompileOptions) -> None:
    """Raise UserError where nobody can know which of several backends an option is for."""
    for option, value in options.backend_options:
        if "." not in option:
            raise UserError(
                f"which backend is the option {option!r} for?",
                help=f"with {AUTO}, name it: --backend-option NAME.{option}={value}",
            )


def _require_used(options: CompileOptions, names: Sequence[str]) -> None:
    """Raise UserError where an option is for a backend that does not compile here."""
    for option, _ in options.backend_options:
        backend, dot, _ = option.rpartition(".")
        if dot and backend not in names:
            raise UserError(
                f"the option {option!r} is for {backend}, which is not used",
                help=f"used is: {', '.join(names)}",
            )


def require_tunable(backends: Sequence[Backend]) -> None:
    """Raise UserError where no backend can be tuned."""
    if not any(isinstance(backend, TunableBackend) for backend in backends):
        names = ", ".join(backend.name for backend in backends)
        raise UserError(
            f"backend {names} cannot be tuned", help="leave out --tune, or choose --backend tvm"
        )


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
