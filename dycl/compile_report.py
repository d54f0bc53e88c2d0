"""What a compilation did, for people to read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileReport:
    """Sizes, counts and times of one compilation."""

    name: str
    path: Path
    backend: str
    branches: int
    subdnns: int
    structures: int
    """Sub-DNNs that differ in more than their weights: each was exported once."""
    artifacts: int
    """Files of compiled sub-DNNs; equal ones share one."""
    exported: int
    """Structures that were not in the cache."""
    bytes: int
    """Size of the package."""
    seconds: Mapping[str, float] = field(compare=False)
    """Time of each stage."""
    changes: tuple[str, ...] = ()
    """What the passes over the graph did."""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return a short summary."""
        size = self.bytes / 1e6
        times = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in self.seconds.items())
        lines = [
            f"compiled {self.name} into {self.path}",
            f"  {self.branches} branches, {self.subdnns} sub-DNNs "
            f"({self.structures} structures, {self.artifacts} artifacts), {size:.1f} MB, "
            f"backend {self.backend}",
            f"  {sum(self.seconds.values()):.1f} s: {times}"
            + (f"; {self.exported} exported" if self.exported else "; exports from the cache"),
        ]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)
