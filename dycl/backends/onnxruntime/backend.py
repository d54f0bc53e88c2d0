"""Compiles sub-DNNs to ONNX files that ONNX Runtime loads."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dycl.backends.interface import Artifact, Availability
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn

PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
_EXTRA = {"cpu": "onnxruntime", "cuda": "gpu"}
_PACKAGES = ("torch", "onnx", "onnxscript", "onnxruntime", "onnxruntime-gpu")


class OnnxRuntimeBackend:
    """Runs sub-DNNs with ONNX Runtime, on the CPU or with CUDA."""

    name = "onnxruntime"

    def __init__(self, *, device: str = "cpu", threads: int = 1, jobs: int | None = None) -> None:
        """Compile for ``device``; sub-DNNs will use ``threads`` threads each.

        All are exported in one call; ``jobs`` of them are checked at a time.
        """
        self.device = device
        self.threads = threads
        self.jobs = jobs

    def available(self) -> Availability:
        """Return whether onnxruntime is installed and supports the device."""
        devices: tuple[str, ...] = ()
        if self.device not in PROVIDERS:
            reason = f"device {self.device!r} is unknown; known are {', '.join(PROVIDERS)}"
            return Availability(available=False, reason=reason)
        try:
            import onnxruntime
        except ImportError:
            reason = "the package onnxruntime is not installed"
        else:
            present = onnxruntime.get_available_providers()
            devices = tuple(name for name, provider in PROVIDERS.items() if provider in present)
            reason = f"the installed onnxruntime does not support device {self.device!r}"
        if self.device in devices:
            return Availability(available=True, versions=_versions(), devices=devices)
        return Availability(
            available=False,
            devices=devices,
            reason=reason,
            help=f"pip install 'dycl[{_EXTRA[self.device]}]'",
        )

    def compile(self, subdnn: CapturedSubDnn, directory: Path) -> Artifact:
        """Compile one sub-DNN."""
        return self.compile_all([subdnn], directory, None)[0]

    def compile_all(
        self, subdnns: Sequence[CapturedSubDnn], directory: Path, cache: Cache | None
    ) -> tuple[Artifact, ...]:
        """Compile many: one export for all structures that are not in the cache."""
        # Only here: these need the ONNX packages, which asking for availability must not.
        from dycl.backends.onnxruntime.checking import check_all
        from dycl.backends.onnxruntime.skeletons import Skeletons
        from dycl.backends.onnxruntime.writing import write_models

        skeletons = Skeletons(cache, self._key_parts())
        models = skeletons.find(subdnns)
        artifacts = write_models(subdnns, models, directory)
        files = {artifact.subdnn: directory / artifact.file for artifact in artifacts}
        check_all(skeletons.fresh, files, self._providers(), self.jobs)
        skeletons.keep()
        return artifacts

    def runtime_source(self) -> str:
        """Return the text of ``runtime.py``."""
        return (Path(__file__).parent / "runtime.py").read_text(encoding="utf-8")

    def runtime_settings(self) -> Mapping[str, object]:
        """Return device and threads."""
        return {"device": self.device, "threads": self.threads}

    def _providers(self) -> list[str]:
        return list(dict.fromkeys([PROVIDERS[self.device], PROVIDERS["cpu"]]))

    def _key_parts(self) -> Mapping[str, object]:
        return {"backend": self.name, "device": self.device, "versions": dict(_versions())}


def _versions() -> Mapping[str, str]:
    found = {}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
