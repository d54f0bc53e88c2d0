"""Compiles sub-DNNs to ONNX files that ONNX Runtime loads."""

import ctypes
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dycl.backends.interface import Artifact, Availability, BackendOptions, Workplace
from dycl.backends.kept_packages import compiled_or_kept
from dycl.backends.onnx_graphs.packages import PACKAGES, SKELETONS
from dycl.backends.options import require_known
from dycl.backends.requirements import Requirement, availability, versions_of
from dycl.capture import CapturedSubDnn

if TYPE_CHECKING:
    from dycl.backends.onnxruntime.borders import Border

PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
_IMPORT = re.compile(r"^from dycl\.[\w.]+\.(\w+) import \([^)]*\)\n", re.MULTILINE)
"""The lines of ``runtime.py`` that a package cannot have: it is one file there."""

_LAYOUT = "block_layout"
"""The option that says whether there are fast graphs: ``auto`` or ``off``."""

_VERSION = 2
"""Counted up when what is made of exported graphs changes."""

_DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
"""Of GPUs: what is there wherever CUDA can be used."""

_DEVICE_VERSION = 3
"""Counted up when what is made of them for other devices than the CPU does."""

_EXTRA = {"cpu": "onnxruntime", "cuda": "gpu"}
_RUNTIMES = ("onnxruntime", "onnxruntime-gpu")
_PACKAGES = (*PACKAGES, *_RUNTIMES)
_EXPORT = (
    Requirement(package="onnx", minimum="1.18"),
    Requirement(package="onnxscript", minimum="0.5"),
)


class OnnxRuntimeBackend:
    """Runs sub-DNNs with ONNX Runtime, on the CPU or with CUDA."""

    name = "onnxruntime"
    title = "ONNX Runtime"
    runtime_packages: tuple[str, ...]

    def __init__(self, options: BackendOptions | None = None) -> None:
        """Compile for ``options.device``. All sub-DNNs are exported in one call."""
        options = options or BackendOptions()
        self.device = options.device
        self.threads = options.threads
        self.runtime_packages = ("onnxruntime-gpu" if self.device == "cuda" else "onnxruntime",)
        require_known(options, self.name, (_LAYOUT,))
        self._is_alone = False
        self._has_layouts = options.extra.get(_LAYOUT, "auto") != "off" and self.device == "cpu"

    def available(self) -> Availability:
        """Return whether onnxruntime is installed and supports the device."""
        if self.device not in PROVIDERS:
            reason = f"device {self.device!r} is unknown; known are {', '.join(PROVIDERS)}"
            return Availability(available=False, reason=reason)
        advice = f"pip install 'dycl[{_EXTRA[self.device]}]'"
        try:
            import onnxruntime
        except ImportError:
            reason = "the package onnxruntime is not installed"
            return Availability(available=False, reason=reason, help=advice)
        present = onnxruntime.get_available_providers()
        devices = tuple(name for name, provider in PROVIDERS.items() if provider in present)
        if self.device not in devices:
            reason = f"the installed onnxruntime does not support device {self.device!r}"
            advice = f"pip uninstall onnxruntime && {advice}: they share one import name"
            return Availability(available=False, devices=devices, reason=reason, help=advice)
        names = [name for name in _RUNTIMES if name in versions_of(_RUNTIMES)]
        runtimes = (Requirement(package=n, minimum="1.20", tested="1.31") for n in names[:1])
        found = availability((*runtimes, *_EXPORT), help=advice, devices=devices)
        return replace(found, versions=versions_of(_PACKAGES))

    def key_parts(self) -> Mapping[str, object]:
        """Return device and versions; for a GPU whether there is one, on which is checked."""
        about: dict[str, object] = {}
        if self.device != "cpu":
            about = {"device_graphs": _DEVICE_VERSION, "checked_on_device": _is_usable(self.device)}
        return {
            **about,
            "backend": self.name,
            "device": self.device,
            _LAYOUT: self._has_layouts,
            "graphs": [SKELETONS, _VERSION],
            "versions": dict(versions_of(_PACKAGES)),
        }

    def compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> tuple[Artifact, ...]:
        """Compile many: one export for all structures that are not in the cache."""
        # Only here: these need ONNX Runtime, which asking for availability must not.
        from dycl.backends.onnxruntime.borders import block_borders, staying
        from dycl.backends.onnxruntime.runtime import block_size

        if self.device != "cpu":
            stays = staying(subdnns)

            def compile_for_device() -> tuple[Artifact, ...]:
                return _compiled_for_device(subdnns, workplace, stays)

            parts: dict[str, object] = {**self.key_parts(), "stays": stays}
            return compiled_or_kept(subdnns, workplace, parts, compile_for_device)
        block = block_size() if self._has_layouts else None
        borders = () if block is None else block_borders(subdnns, block)

        def compile() -> tuple[Artifact, ...]:
            return _compiled(subdnns, workplace, borders, block)

        parts = {**self.key_parts(), "block": block, "borders": borders}
        return compiled_or_kept(subdnns, workplace, parts, compile)

    def runtime_source(self) -> str:
        """Return the text of ``runtime.py``, with what it imports from here in its place.

        For another device than the CPU it is that of ``device_runtime.py``.
        """
        here = Path(__file__).parent
        found: set[str] = set()

        def text(file: str) -> str:
            return _IMPORT.sub(embedded, (here / file).read_text(encoding="utf-8"))

        def embedded(line: re.Match[str]) -> str:
            name = line[1]
            if name in found:
                return ""
            found.add(name)
            summary, _, code = text(f"{name}.py").partition("\n")
            return "# " + summary.strip('"') + f"\n{code}\n\n"

        return text("runtime.py" if self.device == "cpu" else "device_runtime.py")

    def runtime_settings(self) -> Mapping[str, object]:
        """Return device and threads."""
        settings = {"device": self.device, "threads": self.threads}
        return {**settings, "alone": True} if self._is_alone else settings

    def for_single_subdnns(self) -> "OnnxRuntimeBackend":
        """Return what loads artifacts so that each runs alone: on the CPU if there is no device.

        A package for a GPU can be compiled where there is none.
        """
        if self.device == "cpu":
            return self
        usable = _is_usable(self.device)
        device = self.device if usable else "cpu"
        backend = OnnxRuntimeBackend(BackendOptions(device=device, threads=self.threads))
        backend._is_alone = usable
        return backend

    def machine(self) -> None:
        """ONNX files run on any machine that ONNX Runtime runs on."""
        return None


@cache
def _is_usable(device: str) -> bool:
    """Return whether there is a GPU that sessions run on."""
    try:
        ctypes.CDLL(_DRIVER)
    except OSError:  # ONNX Runtime would tell at length
        return False
    from dycl.backends.onnxruntime.device_runtime import is_usable
    from dycl.backends.onnxruntime.optimising import smallest_model

    return is_usable(device, smallest_model())


def _compiled(
    subdnns: Sequence[CapturedSubDnn],
    workplace: Workplace,
    borders: "tuple[Border, ...]",
    block: int | None,
) -> tuple[Artifact, ...]:
    """Export and write sub-DNNs: in two ways where images are laid out in blocks."""
    # Only here: these need the ONNX packages, which take a while to import.
    from dycl.backends.onnx_graphs.older_operators import with_fast_averages
    from dycl.backends.onnx_graphs.read_bits import require_given_bits, with_bits_read
    from dycl.backends.onnx_graphs.skeletons import Skeletons
    from dycl.backends.onnxruntime.block_layout import write_layouts
    from dycl.backends.onnxruntime.sharing import write_shared
    from dycl.backends.onnxruntime.told_places import without_told_places

    skeletons = Skeletons(workplace.cache).find(subdnns)
    for each in zip(subdnns, skeletons, strict=True):
        require_given_bits(*each)
    made = {
        id(skeleton): without_told_places(
            with_fast_averages(with_bits_read(skeleton)), len(subdnn.inputs)
        )
        for subdnn, skeleton in zip(subdnns, skeletons, strict=True)
    }
    models = [made[id(skeleton)][0] for skeleton in skeletons]
    if block is not None:
        artifacts = write_layouts(subdnns, models, workplace, borders, block)
    else:
        artifacts = write_shared(subdnns, models, workplace)
    told = [made[id(skeleton)][1] for skeleton in skeletons]
    return tuple(map(_with_told_places, artifacts, told))


def _compiled_for_device(
    subdnns: Sequence[CapturedSubDnn], workplace: Workplace, stays: Mapping[str, Sequence[int]]
) -> tuple[Artifact, ...]:
    """Export and write sub-DNNs for a GPU."""
    from dycl.backends.onnx_graphs.read_bits import require_given_bits, with_bits_read
    from dycl.backends.onnx_graphs.skeletons import Skeletons
    from dycl.backends.onnxruntime.device_writing import write_for_device

    skeletons = [*map(with_bits_read, Skeletons(workplace.cache).find(subdnns))]
    for each in zip(subdnns, skeletons, strict=True):
        require_given_bits(*each)
    return write_for_device(subdnns, skeletons, workplace, stays)


def _with_told_places(artifact: Artifact, told: tuple[int, ...]) -> Artifact:
    """Return an artifact that tells the loader which inputs are indices that it looks at."""
    if not told:
        return artifact
    return replace(artifact, settings={**artifact.settings, "told": list(told)})
