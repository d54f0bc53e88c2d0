"""Compiles sub-DNNs with one backend: finds the user's line of a failure, checks results."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from dycl.backends.blame import blame
from dycl.backends.checking import Failure, check_all, failure_of
from dycl.backends.interface import Artifact, Backend, Workplace
from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache, cache_key
from dycl.capture import CapturedSubDnn
from rewriter.diagnostics import CompileError, Diagnostic

_VERSION = 1
"""Counted up when the check becomes stricter."""


def compile_checked(
    backend: Backend,
    subdnns: Sequence[CapturedSubDnn],
    workplace: Workplace,
    jobs: int | None = None,
) -> tuple[Artifact, ...]:
    """Return an artifact per sub-DNN; one per structure is checked beside PyTorch.

    What was checked once with the same versions is not checked again: ``workplace.cache``
    remembers. Raises CompileError with a diagnostic per sub-DNN that fails.
    """
    artifacts = _compile(backend, subdnns, workplace)
    workplace.weights.flush()
    fresh = unchecked(backend, subdnns, workplace.cache)
    of = {artifact.subdnn: artifact for artifact in artifacts}
    failures = check_all(
        backend, [(subdnn, of[subdnn.name]) for subdnn in fresh], workplace.directory, jobs
    )
    problems = [
        _diagnostic(backend, subdnn, failure)
        for subdnn, failure in zip(fresh, failures, strict=True)
        if failure is not None
    ]
    if problems:
        raise CompileError(problems)
    _remember(backend, fresh, workplace.cache)
    return artifacts


def unchecked(
    backend: Backend, subdnns: Sequence[CapturedSubDnn], cache: Cache | None
) -> tuple[CapturedSubDnn, ...]:
    """Return one sub-DNN for each structure that was never checked with this backend."""
    found: dict[str, CapturedSubDnn] = {}
    for subdnn in subdnns:
        if not subdnn.shareable:
            found[subdnn.name] = subdnn
        elif subdnn.structure not in found and not (
            cache is not None and cache.has(_mark(backend, subdnn))
        ):
            found[subdnn.structure] = subdnn
    return tuple(found.values())


def _compile(
    backend: Backend, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
) -> tuple[Artifact, ...]:
    try:
        return backend.compile(subdnns, workplace)
    except CompileError:
        raise
    except Exception as error:
        alone = [(subdnn, failure_alone(backend, subdnn, check=False)) for subdnn in subdnns]
        problems = [_diagnostic(backend, subdnn, reason) for subdnn, reason in alone if reason]
        if not problems:
            raise  # each can be compiled, only not together: that is not the user's fault
        raise CompileError(problems) from error


def failure_alone(
    backend: Backend, subdnn: CapturedSubDnn, *, check: bool = True
) -> Failure | None:
    """Return what goes wrong when a sub-DNN is compiled (and checked) by itself."""
    with tempfile.TemporaryDirectory() as name, WeightsFile(Path(name)) as weights:
        place = Workplace(directory=Path(name), weights=weights, cache=None)
        try:
            [artifact] = backend.compile([subdnn], place)
        except Exception as error:
            return Failure(
                code="DYCL411", message=f"{backend.title} cannot take this: {_reason(error)}"
            )
        weights.flush()
        return failure_of(backend, subdnn, artifact, place.directory) if check else None


def _diagnostic(backend: Backend, subdnn: CapturedSubDnn, failure: Failure) -> Diagnostic:
    """Say at which of the user's lines ``failure`` comes about."""
    check = failure.code != "DYCL411"
    return Diagnostic(
        code=failure.code,
        message=failure.message,
        origin=blame(subdnn, lambda part: failure_alone(backend, part, check=check) is not None),
    )


def _reason(error: BaseException) -> str:
    """Return the first line of the innermost cause: exporters wrap it in advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _mark(backend: Backend, subdnn: CapturedSubDnn) -> str:
    return cache_key(
        {
            "checked": _VERSION,
            "backend": backend.name,
            **backend.key_parts(),
            "structure": subdnn.structure,
        }
    )


def _remember(backend: Backend, subdnns: Sequence[CapturedSubDnn], cache: Cache | None) -> None:
    if cache is None or not subdnns:
        return
    for subdnn in subdnns:
        if subdnn.shareable:
            cache.put(_mark(backend, subdnn), b"checked")
    cache.make_room()
