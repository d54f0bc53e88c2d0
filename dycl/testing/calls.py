"""Compiles sub-DNNs without a package around them, to test backends with."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dycl.backends import Artifact, Backend, Workplace
from dycl.backends.compiling import compile_checked
from dycl.backends.running import load_artifact
from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn


def compile_alone(
    backend: Backend,
    subdnns: Sequence[CapturedSubDnn],
    directory: Path,
    cache: Cache | None = None,
) -> tuple[Artifact, ...]:
    """Compile and check sub-DNNs as the artifacts of a package."""
    with WeightsFile(directory) as weights:
        workplace = Workplace(directory=directory, weights=weights, cache=cache)
        return compile_checked(backend, subdnns, workplace)


def calls_of(
    backend: Backend, subdnns: Sequence[CapturedSubDnn], directory: Path
) -> dict[str, Callable[..., Any]]:
    """Return sub-DNNs as the loader of a host package would run them, by name."""
    artifacts = compile_alone(backend, subdnns, directory)
    return {
        subdnn.name: load_artifact(backend, subdnn, artifact, directory)
        for subdnn, artifact in zip(subdnns, artifacts, strict=True)
    }
