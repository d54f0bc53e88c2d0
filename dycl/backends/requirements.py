"""Which packages a backend needs, which versions of them were tested, and what is installed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata

from packaging.version import Version

from dycl.backends.interface import Availability


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A package that a backend needs."""

    package: str
    minimum: str
    tested: str | None = None
    """The newest release (as far as it is written out) that was tested; None: any will do."""


@cache
def version(package: str) -> str | None:
    """Return the version of a package, None where it is not installed; asking takes a while."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions_of(packages: Sequence[str]) -> Mapping[str, str]:
    """Return the versions of those packages that are installed."""
    found = {package: version(package) for package in packages}
    return {package: installed for package, installed in found.items() if installed is not None}


def availability(
    requirements: Sequence[Requirement],
    *,
    help: str,
    devices: tuple[str, ...],
    notes: tuple[str, ...] = (),
) -> Availability:
    """Return whether all packages are there and new enough, and which are newer than tested."""
    versions = versions_of([requirement.package for requirement in requirements])
    untested = []
    for requirement in requirements:
        installed = versions.get(requirement.package)
        if installed is None:
            reason = f"the package {requirement.package} is not installed"
            return Availability(available=False, versions=versions, reason=reason, help=help)
        if Version(installed) < Version(requirement.minimum):
            reason = f"{requirement.package} {installed} is older than {requirement.minimum}"
            return Availability(available=False, versions=versions, reason=reason, help=help)
        if requirement.tested is not None and _is_newer(installed, requirement.tested):
            untested.append(
                f"{requirement.package} {installed} is untested; {requirement.tested} is"
            )
    return Availability(
        available=True, versions=versions, devices=devices, notes=(*notes, *untested)
    )


def _is_newer(installed: str, tested: str) -> bool:
    """Compare only as many numbers as ``tested`` has: 2026.4 stands for all 2026.4.x."""
    known = Version(tested).release
    return Version(installed).release[: len(known)] > known
