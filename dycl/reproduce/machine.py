"""Where numbers were measured, and with what."""

import os
import platform
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("torch", "onnxruntime", "openvino", "apache-tvm", "dynet38", "numpy", "onnx")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A processor, its memory, and the versions of what matters."""

    processor: str
    cores: int
    memory_gib: int
    system: str
    threads: int
    """Threads of each contender."""
    versions: dict[str, str]

    def __str__(self) -> str:
        """Return one line for a table."""
        versions = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return (
            f"{self.processor}, {self.cores} cores, {self.memory_gib} GiB, {self.system}, "
            f"one thread for each contender; {versions}"
        )


def this_machine() -> Machine:
    """Look around."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        system=platform.system(),
        threads=1,
        versions=versions,
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        text = information.read_text(encoding="utf-8")
        if match := re.search(r"model name\s*: (.*)", text):
            vector = "AVX-512" if "avx512f" in text else "AVX2" if "avx2" in text else ""
            return f"{match[1]} ({vector})" if vector else match[1]
    return platform.processor() or platform.machine()
