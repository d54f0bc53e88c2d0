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


def takers(refusing: Backend, subdnn: CapturedSubDnn) -> tuple[Backend, ...]:
    """Return the usable backends that compile ``subdnn`` and compute it rightly.

    Those whose packages need PyTorch at run time are asked where no other takes it: it is no
    small thing to add.
    """
    options = BackendOptions(device=getattr(refusing, "device", "cpu"))
    others = [create_backend(name, options) for name in backend_names() if name != refusing.name]
    usable = [backend for backend in others if backend.available().available]
    for heavy in (False, True):
        asked = [backend for backend in usable if _needs_pytorch(backend) is heavy]
        found = tuple(one for one in asked if failure_alone(one, subdnn) is None)
        if found:
            return found
    return ()


def _needs_pytorch(backend: Backend) -> bool:
    return "torch" in backend.runtime_packages


def _choice(backends: tuple[Backend, ...]) -> str:
    if not backends:
        return "as no other backend that is installed here takes it"
    names = ", ".join(f"--backend {backend.name}" for backend in backends)
    price = " (needs PyTorch at run time)" if _needs_pytorch(backends[0]) else ""
    return f"or choose a backend that takes it: {names}{price}"


def _reason(error: BaseException) -> str:
    """Return the first line of the innermost cause: exporters wrap it in advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
