"""Compiles all sub-DNNs of a package, with one backend or with the fastest of several."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from codegen_host.manifest import BackendRecord, CompiledFile, CompiledSubDnns
from dycl.backends.choosing import Choice, choose
from dycl.backends.compiling import compile_checked, identity
from dycl.backends.interface import Backend, TunableBackend, Workplace
from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn


def compile_package(
    backends: Sequence[Backend],
    subdnns: Sequence[CapturedSubDnn],
    directory: Path,
    cache: Cache | None,
    jobs: int | None,
) -> CompiledSubDnns:
    """Compile sub-DNNs into ``directory``; of several backends the fastest takes each.

    Choosing compiles everything that is chosen a second time, into the package: so it always
    works with a cache, one that is thrown away if need be.
    """
    temporary = cache is None and len(backends) > 1
    with tempfile.TemporaryDirectory() if temporary else nullcontext() as scratch:
        if scratch is not None:
            cache = Cache(Path(scratch))
        choices: Mapping[str, Choice] = {}
        if len(backends) > 1:
            assert cache is not None
            choices = choose(backends, subdnns, cache, jobs)
        return _compile(backends, subdnns, choices, directory, cache, jobs)


def _compile(
    backends: Sequence[Backend],
    subdnns: Sequence[CapturedSubDnn],
    choices: Mapping[str, Choice],
    directory: Path,
    cache: Cache | None,
    jobs: int | None,
) -> CompiledSubDnns:
    files: dict[str, CompiledFile] = {}
    used: list[Backend] = []
    with WeightsFile(directory) as weights:
        workplace = Workplace(directory=directory, weights=weights, cache=cache)
        for backend in backends:
            own = [s for s in subdnns if not choices or choices[identity(s)].backend is backend]
            if not own and choices:
                continue
            used.append(backend)
            artifacts = compile_checked(backend, own, workplace, jobs)
            for subdnn, artifact in zip(own, artifacts, strict=True):
                choice = choices.get(identity(subdnn))
                files[subdnn.name] = CompiledFile(
                    file=artifact.file,
                    uses=artifact.uses,
                    backend=backend.name,
                    settings=artifact.settings,
                    measured=None if choice is None else choice.as_json(),
                )
    return CompiledSubDnns(files=files, backends=tuple(record_of(b) for b in used))


def record_of(backend: Backend) -> BackendRecord:
    """Return what a package keeps of a backend."""
    return BackendRecord(
        name=backend.name,
        versions=backend.available().versions,
        packages=backend.runtime_packages,
        settings=backend.runtime_settings(),
        machine=backend.machine(),
        loader=backend.runtime_source(),
        tuning=backend.tuning() if isinstance(backend, TunableBackend) else None,
    )
