"""What to tell the user of a sub-DNN that a backend refuses: the line, and who takes it."""

import tempfile
from pathlib import Path

from dycl.backends.blame import blame
from dycl.backends.checking import Failure, failure_of
from dycl.backends.interface import Backend, BackendOptions, Workplace
from dycl.backends.registry import backend_names, create_backend
from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn
from rewriter.advice import ADVICE
from rewriter.diagnostics import Diagnostic


def diagnose(backend: Backend, subdnn: CapturedSubDnn, failure: Failure) -> Diagnostic:
    """Say at which of the user's lines ``failure`` comes about, and which backend has none.

    The message is that of the shortest beginning that fails: it ends with this line.
    """
    check = failure.code != "DYCL411"
    found = {len(subdnn.node.statements): failure}

    def fails(part: CapturedSubDnn) -> bool:
        own = failure_alone(backend, part, check=check)
        if own is not None:
            found[len(part.node.statements)] = own
        return own is not None

    origin = blame(subdnn, fails)
    failure = found[min(found)]
    return Diagnostic(
        code=failure.code,
        message=failure.message,
        origin=origin,
        help=f"{ADVICE[failure.code]}, {_choice(takers(backend, subdnn))}",
    )


def failure_alone(
    backend: Backend, subdnn: CapturedSubDnn, *, check: bool = True, cache: Cache | None = None
) -> Failure | None:
    """Return what goes wrong when a sub-DNN is compiled (and checked) by itself."""
    with tempfile.TemporaryDirectory() as name, WeightsFile(Path(name)) as weights:
        place = Workplace(directory=Path(name), weights=weights, cache=cache)
        try:
            [artifact] = backend.compile([subdnn], place)
        except Exception as error:
            return Failure(
                code="DYCL411", message=f"{backend.title} cannot take this: {_reason(error)}"
            )
        weights.flush()
        return failure_of(backend, subdnn, artifact, place.directory) if check else None


def takers(refusing: Backend, subdnn: CapturedSubDnn) -> tuple[str, ...]:
    """Return the names of the usable backends that compile ``subdnn`` and compute it rightly.

    Those whose packages need PyTorch at run time are not asked: it is no small thing to add.
    """
    names = [name for name in backend_names() if name != refusing.name]
    options = BackendOptions(device=getattr(refusing, "device", "cpu"))
    return tuple(
        backend.name
        for backend in (create_backend(name, options) for name in names)
        if "torch" not in backend.runtime_packages
        and backend.available().available
        and failure_alone(backend, subdnn) is None
    )


def _choice(names: tuple[str, ...]) -> str:
    if not names:
        return "as no other backend that is installed here takes it"
    return f"or choose a backend that takes it: {', '.join(f'--backend {n}' for n in names)}"


def _reason(error: BaseException) -> str:
    """Return the first line of the innermost cause: exporters wrap it in advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
