"""What a backend is, and what it gives. ``docs/backends.md`` shows how to write one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendOptions:
    """How a backend is to compile; the one argument with which it is created."""

    device: str = "cpu"
    threads: int = 1
    """Threads of each sub-DNN at run time."""
    jobs: int | None = None
    """Sub-DNNs that may be compiled or checked at a time; None: as many as it likes."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Options of this backend alone, as the user wrote them."""


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
    notes: tuple[str, ...] = ()
    """What the user should know although it is available, such as an untested version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """Where the artifacts of one package go. All backends of the package share it."""

    directory: Path
    weights: WeightsFile
    """The file for weights, in ``directory``: equal contents are stored once."""
    cache: Cache | None
    """Keeps results between runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One compiled sub-DNN. Several sub-DNNs may share a file."""

    subdnn: str
    """Name of the sub-DNN it was compiled for."""
    file: str
    """Relative to the directory it was compiled into."""
    uses: tuple[str, ...] = ()
    """Further files it needs, such as the one with weights."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """What the loader must know about this sub-DNN: its function in a shared file, where its
    weights stand. JSON values; under "runtime" in its entry of the manifest."""


TuningProgress: TypeAlias = Callable[[int, int, str], object]
"""Is told how much is done, of how much, and what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningRequest:
    """How long to look for faster code, and where that counts."""

    trials: int
    """Variants to measure, over all sub-DNNs together."""
    runs: Mapping[str, float]
    """How often a call of the model runs each sub-DNN, by name."""
    cache: Cache | None
    """Keeps what was measured, for later compilations too."""
    progress: TuningProgress


class Backend(Protocol):
    """A compiler of sub-DNNs. It is created by calling its entry point with ``BackendOptions``.

    ``compile`` need not find the user's line when something fails, nor check its results
    against PyTorch: whoever calls it does both, the same way for all backends.
    """

    name: str
    """Of its entry point: lower-case letters, digits and underscores."""
    title: str
    """Its name for people (``ONNX Runtime``)."""
    runtime_packages: tuple[str, ...]
    """What a host package needs at run time, besides numpy: names for pip."""

    def available(self) -> Availability:
        """Return whether it can be used here, with versions and devices, or why not."""
        ...

    def key_parts(self) -> Mapping[str, object]:
        """Return what results depend on besides the sub-DNN, as JSON values: a cache key."""
        ...

    def compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> tuple[Artifact, ...]:
        """Compile sub-DNNs, sharing work; return an artifact for each, in order.

        Raise what you like where one cannot be compiled: each is then tried alone. The first
        line of the error should name the operator.
        """
        ...

    def runtime_source(self) -> str:
        """Return the text of the loader in a host package, ``_runtime_NAME.py``.

        It defines ``load_subdnns(directory, settings, entries)``: the package's directory,
        ``runtime_settings()``, and the manifest's entries of this backend's sub-DNNs. It
        returns a callable for each, by its id: arrays in, a list of arrays out, or the array
        itself where there is but one output. ``IS_MACHINE_CODE = True`` in it says that a
        manifest without a machine is damaged.
        """
        ...

    def runtime_settings(self) -> Mapping[str, object]:
        """Return what the loader gets as ``settings``: JSON values."""
        ...

    def machine(self) -> Mapping[str, object] | None:
        """Return what artifacts need of a machine, None where they run on any.

        ``codegen_host.embedded._machine.this_machine()`` describes the one this runs on. It
        is compared before the loader is imported, so that no illegal instruction is met.
        """
        ...


@runtime_checkable
class TunableBackend(Backend, Protocol):
    """A backend that can make code faster by measuring it."""

    def tune(self, subdnns: Sequence[CapturedSubDnn], request: TuningRequest) -> None:
        """Look for faster code; whatever is compiled afterwards uses what was found.

        ``key_parts()`` depends on it from then on. What was measured must outlive an
        interruption. Sub-DNNs that cannot be compiled are passed over.
        """
        ...

    def tuning(self) -> Mapping[str, object] | None:
        """Return what the manifest keeps about tuning, None where there was none.

        ``summary`` in it is a sentence for people.
        """
        ...


@runtime_checkable
class DeviceBackend(Backend, Protocol):
    """A backend for devices that the machine that compiles may lack."""

    def for_single_subdnns(self) -> Backend:
        """Return what loads artifacts so that each takes and gives arrays, whatever is here."""
        ...
