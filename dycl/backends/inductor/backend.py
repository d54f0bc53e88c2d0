"""Compiles sub-DNNs to native code with torch.compile's compiler, ahead of time."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from codegen_host.embedded._machine import this_machine
from dycl.backends.interface import Artifact, Availability, BackendOptions, Workplace
from dycl.backends.options import require_known
from dycl.backends.requirements import Requirement, availability, versions_of
from dycl.capture import CapturedSubDnn

REQUIREMENTS = (Requirement(package="torch", minimum="2.13", tested="2.13"),)
_VERSION = 9
"""Counted up when archives are made otherwise."""


class InductorBackend:
    """Runs sub-DNNs with code of torch inductor, for CPUs like this one."""

    name = "inductor"
    title = "torch inductor"
    runtime_packages: tuple[str, ...] = ("torch",)

    def __init__(self, options: BackendOptions | None = None) -> None:
        """Compile for the CPU of this machine."""
        options = options or BackendOptions()
        require_known(options, self.name)
        self.device = options.device
        self.threads = options.threads
        self.jobs = options.jobs

    def available(self) -> Availability:
        """Return whether there are PyTorch and a C++ compiler."""
        if self.device != "cpu":
            reason = f"it compiles for the CPU here, not for {self.device!r}"
            return Availability(available=False, devices=("cpu",), reason=reason)
        if not any(map(shutil.which, ("g++", "clang++"))):
            reason = "there is no C++ compiler"
            return Availability(available=False, reason=reason, help="install g++ or clang++")
        notes = ("its packages need torch at run time, of the version they were compiled with",)
        return availability(
            REQUIREMENTS, help="pip install 'dycl[inductor]'", devices=("cpu",), notes=notes
        )

    def key_parts(self) -> Mapping[str, object]:
        """Return the version, the machine, and for how many threads code is made."""
        return {
            "backend": self.name,
            "versions": dict(versions_of(["torch"])),
            "machine": this_machine(),
            "threads": self.threads,
            "archives": _VERSION,
        }

    def compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> tuple[Artifact, ...]:
        """Compile one archive for each structure."""
        # Only here: the compiler takes seconds to import.
        from dycl.backends.inductor.compiling import compile_archives

        return compile_archives(subdnns, workplace, self.key_parts(), self.threads, self.jobs)

    def runtime_source(self) -> str:
        """Return the text of ``runtime.py``."""
        return (Path(__file__).parent / "runtime.py").read_text(encoding="utf-8")

    def runtime_settings(self) -> Mapping[str, object]:
        """Return the version of PyTorch, which the loader must find again."""
        return {"torch": versions_of(["torch"])["torch"]}

    def machine(self) -> Mapping[str, object]:
        """Return this machine: code is made for all that its CPU can do."""
        return this_machine()
