"""Tells whether machine code that was compiled on another machine runs on this one."""

import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_INSTRUCTIONS = re.compile(
    r"sse|ssse|avx|fma|f16c|bmi|abm|popcnt|movbe|adx|aes|vaes|sha|gfni|v?pclmul|amx|clwb|clflushopt"
    r"|asimd|fp$|fphp|sve|sme|dotprod|fcma|i8mm|bf16|atomics|crc32|pmull|lrcpc|jscvt"
)
"""What the system calls features that are sets of instructions, x86 and ARM."""


def this_machine() -> dict[str, object]:
    """Return what machine code that was compiled for this very machine may rely on."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "features": sorted(_features()),
    }


def reason_against(required: Mapping[str, Any] | None) -> str | None:
    """Return why what was compiled for a machine does not run on this one, None if it does."""
    if required is None:
        return None
    here = this_machine()
    for what in ("system", "architecture"):
        if required[what] != here[what]:
            return f"compiled for {required[what]}, and this machine is {here[what]}"
    missing = sorted(set(required["features"]) - _features())
    if missing:
        return f"compiled for a CPU with {', '.join(missing)}, which this one does not have"
    return None


def _features() -> set[str]:
    """Return the sets of instructions of this CPU, none where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return set()
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return {feature for feature in value.split() if _INSTRUCTIONS.match(feature)}
    return set()
