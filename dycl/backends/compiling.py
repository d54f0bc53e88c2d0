"""Compiles sub-DNNs with one backend, and checks what it made beside PyTorch."""

from collections.abc import Sequence

from dycl.backends.checking import Failure, check_all
from dycl.backends.diagnosing import diagnose, failure_alone
from dycl.backends.interface import Artifact, Backend, Workplace
from dycl.cache import Cache, cache_key
from dycl.capture import CapturedSubDnn
from rewriter.diagnostics import CompileError, Diagnostic


def compile_checked(
    backend: Backend,
    subdnns: Sequence[CapturedSubDnn],
    workplace: Workplace,
    jobs: int | None = None,
) -> tuple[Artifact, ...]:
    """Return an artifact per sub-DNN, or raise CompileError with a diagnostic per failure."""
    results = compile_each(backend, subdnns, workplace, jobs)
    problems: dict[str, Diagnostic] = {}
    artifacts: list[Artifact] = []
    for subdnn, result in zip(subdnns, results, strict=True):
        match result:
            case Artifact():
                artifacts.append(result)
            case Failure():
                if identity(subdnn) not in problems:
                    problems[identity(subdnn)] = diagnose(backend, subdnn, result)
    if problems:
        raise CompileError(tuple(problems.values()))
    return tuple(artifacts)


def compile_each(
    backend: Backend,
    subdnns: Sequence[CapturedSubDnn],
    workplace: Workplace,
    jobs: int | None = None,
) -> list[Artifact | Failure]:
    """Compile what can be compiled; one sub-DNN per structure is checked beside PyTorch.

    What was checked once with the same versions is not checked again: ``workplace.cache``
    remembers.
    """
    compiled = _compile(backend, subdnns, workplace)
    workplace.weights.flush()
    fresh = []
    for subdnn in unchecked(backend, subdnns, workplace.cache):
        match compiled[subdnn.name]:
            case Artifact() as artifact:
                fresh.append((subdnn, artifact))
            case Failure():
                pass
    failures = check_all(backend, fresh, workplace.directory, jobs)
    wrong = {
        identity(subdnn): failure
        for (subdnn, _), failure in zip(fresh, failures, strict=True)
        if failure is not None
    }
    _remember(backend, [s for s, _ in fresh if identity(s) not in wrong], workplace.cache)
    return [wrong.get(identity(subdnn), compiled[subdnn.name]) for subdnn in subdnns]


def identity(subdnn: CapturedSubDnn) -> str:
    """Return what sub-DNNs that do the same, on weights of their own, have in common."""
    return subdnn.structure if subdnn.shareable else subdnn.name


def unchecked(
    backend: Backend, subdnns: Sequence[CapturedSubDnn], cache: Cache | None
) -> tuple[CapturedSubDnn, ...]:
    """Return one sub-DNN for each structure that was never checked with this backend."""
    found: dict[str, CapturedSubDnn] = {}
    for subdnn in subdnns:
        if identity(subdnn) in found:
            continue
        known = cache is not None and subdnn.shareable and cache.has(_mark(backend, subdnn))
        if not known:
            found[identity(subdnn)] = subdnn
    return tuple(found.values())


def _compile(
    backend: Backend, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
) -> dict[str, Artifact | Failure]:
    try:
        return {artifact.subdnn: artifact for artifact in backend.compile(subdnns, workplace)}
    except Exception:
        failures = _failures_alone(backend, subdnns, workplace.cache)
        if not failures:
            raise  # each can be compiled, only not together: that is not the user's fault
    rest = [subdnn for subdnn in subdnns if identity(subdnn) not in failures]
    found: dict[str, Artifact | Failure] = {
        subdnn.name: failures[identity(subdnn)]
        for subdnn in subdnns
        if identity(subdnn) in failures
    }
    if rest:
        found |= {artifact.subdnn: artifact for artifact in backend.compile(rest, workplace)}
    return found


def _failures_alone(
    backend: Backend, subdnns: Sequence[CapturedSubDnn], cache: Cache | None
) -> dict[str, Failure]:
    """Return the structures that cannot be compiled by themselves, and why."""
    found: dict[str, Failure | None] = {}
    for subdnn in subdnns:
        if identity(subdnn) not in found:
            found[identity(subdnn)] = failure_alone(backend, subdnn, check=False, cache=cache)
    return {key: failure for key, failure in found.items() if failure is not None}


def _mark(backend: Backend, subdnn: CapturedSubDnn) -> str:
    return cache_key(
        {
            "backend": backend.name,
            **backend.key_parts(),
            "checked": subdnn.structure,
        }
    )


def _remember(backend: Backend, subdnns: Sequence[CapturedSubDnn], cache: Cache | None) -> None:
    if cache is None or not subdnns:
        return
    for subdnn in subdnns:
        if subdnn.shareable:
            cache.put(_mark(backend, subdnn), b"checked")
    cache.make_room_if_due()
