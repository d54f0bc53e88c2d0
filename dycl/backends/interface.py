"""What a backend is, and what it gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from dycl.cache import Cache
from dycl.capture import CapturedSubDnn


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Whether a backend can be used here."""

    available: bool
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of the packages that the results depend on."""
    devices: tuple[str, ...] = ()
    reason: str = ""
    """Why it is not available."""
    help: str = ""
    """What to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One compiled sub-DNN. Sub-DNNs that are equal with their weights share the file."""

    subdnn: str
    """Name of the sub-DNN it was compiled for."""
    file: str
    """Relative to the directory it was compiled into."""
    uses: tuple[str, ...] = ()
    """Further files it needs, such as one with weights."""


class Backend(Protocol):
    """A compiler of sub-DNNs.

    A backend is created by calling its entry point with ``device``, ``threads`` and ``jobs``.
    """

    name: str

    def available(self) -> Availability:
        """Return whether it can be used here, with versions and devices, or why not."""
        ...

    def compile(self, subdnn: CapturedSubDnn, directory: Path) -> Artifact:
        """Compile one sub-DNN into ``directory``. Raise CompileError where it cannot."""
        ...

    def compile_all(
        self, subdnns: Sequence[CapturedSubDnn], directory: Path, cache: Cache | None
    ) -> tuple[Artifact, ...]:
        """Compile many, in order, sharing work; ``cache`` keeps results between runs."""
        ...

    def runtime_source(self) -> str:
        """Return the text of ``_runtime.py``, the loader in a host package."""
        ...

    def runtime_settings(self) -> Mapping[str, object]:
        """Return what ``_runtime.py`` finds under "runtime" in the manifest."""
        ...
