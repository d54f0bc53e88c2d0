"""Compiles sub-DNNs to machine code, all of a package into one shared library."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from dycl.backends.interface import Artifact, Availability, BackendOptions, TuningRequest, Workplace
from dycl.backends.kept_packages import compiled_or_kept
from dycl.backends.options import require_known
from dycl.capture import CapturedSubDnn

if TYPE_CHECKING:
    from dycl.backends.tvm.compiling import Lowered
    from dycl.backends.tvm.targets import Processor
    from dycl.backends.tvm.tuning_session import Session

TESTED = "0.27"
"""The version of TVM that the lowerings were tested with. Others are refused."""

_OPTIONS = ("processor",)

_VERSION = 2
"""Counted up when libraries are made otherwise."""


class TvmBackend:
    """Runs sub-DNNs with code that TVM generates for a processor."""

    name = "tvm"
    title = "TVM"
    runtime_packages: tuple[str, ...] = ("apache-tvm",)

    def __init__(self, options: BackendOptions | None = None) -> None:
        """Compile for ``options.extra["processor"]``: native, portable or a name of LLVM's."""
        options = options or BackendOptions()
        require_known(options, self.name, _OPTIONS)
        self.device = options.device
        self.threads = options.threads
        self.processor_name = options.extra.get("processor", "native")
        self._processor: Processor | None = None
        self._lowered: Lowered | None = None
        self._tuning: Session | None = None

    def available(self) -> Availability:
        """Return whether a tested version of TVM and a linker are installed."""
        found = _versions()
        reason, help_text = "", f"pip install 'apache-tvm=={TESTED}.*'"
        if "apache-tvm" not in found:
            reason = "the package apache-tvm is not installed"
        elif not found["apache-tvm"].startswith(f"{TESTED}."):
            reason = f"apache-tvm {found['apache-tvm']} is not tested; {TESTED} is"
        elif self.device != "cpu":
            reason, help_text = f"device {self.device!r} is not supported, only cpu is", ""
        elif not any(map(shutil.which, ("cc", "gcc", "clang", "g++", "clang++"))):
            reason = "there is no linker (gcc or clang) to make a library with"
            help_text = "install gcc or clang"
        if reason:
            return Availability(available=False, reason=reason, help=help_text)
        return Availability(available=True, versions=found, devices=("cpu",))

    @property
    def processor(self) -> "Processor":
        """Return what code is generated for."""
        from dycl.backends.tvm.targets import processor

        if self._processor is None:
            self._processor = processor(self.processor_name)
        return self._processor

    def key_parts(self) -> Mapping[str, object]:
        """Return processor, threads and versions."""
        tuned = {} if self._tuning is None else {"tuning": self._tuning.key}
        return {
            "processor": self.processor.name,
            "machine": self.machine(),
            "versions": dict(_versions()),
            "libraries": _VERSION,
            **tuned,
        }

    def compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> tuple[Artifact, ...]:
        """Compile one function for each structure into a common library, or take the kept one."""
        # Only here: importing TVM takes longer than asking whether it is there.
        from dycl.backends.tvm.compiling import compile_library

        tuned = (lambda _function: None) if self._tuning is None else self._tuning.function

        def compile() -> tuple[Artifact, ...]:
            return compile_library(self._lower(subdnns), workplace, self.processor, tuned)

        parts = {"backend": self.name, **self.key_parts()}
        return compiled_or_kept(subdnns, workplace, parts, compile)

    def tune(self, subdnns: Sequence[CapturedSubDnn], request: TuningRequest) -> None:
        """Look for faster loops with MetaSchedule; see ``tuning.py``."""
        from dycl.backends.tvm.tuning_session import tune_lowered

        self._tuning = tune_lowered(self._lower(subdnns), request, self.processor)

    def tuning(self) -> Mapping[str, object] | None:
        """Return trials and what became of each operator."""
        return None if self._tuning is None else self._tuning.as_json()

    def _lower(self, subdnns: Sequence[CapturedSubDnn]) -> "Lowered":
        """Lower sub-DNNs, once where they are compiled, tuned and compiled again."""
        from dycl.backends.tvm.compiling import lower

        if self._lowered is None or not self._lowered.is_of(subdnns):
            self._lowered = lower(subdnns, self.processor)
        return self._lowered

    def runtime_source(self) -> str:
        """Return the text of ``runtime.py``."""
        return (Path(__file__).parent / "runtime.py").read_text(encoding="utf-8")

    def runtime_settings(self) -> Mapping[str, object]:
        """Return threads, the processor and the version that the loader needs."""
        return {
            "threads": self.threads,
            "processor": self.processor.name,
            "tvm": _versions()["apache-tvm"],
        }

    def machine(self) -> Mapping[str, object]:
        """Return the instructions that the code uses."""
        return self.processor.machine


def _versions() -> Mapping[str, str]:
    found = {}
    for package in ("torch", "apache-tvm", "apache-tvm-ffi"):
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
