"""A cell is the unit of work: one table, one model, one backend. An outcome is what came of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from dycl.contenders import AGAINST

DEFAULT = "onnxruntime"
"""What ``dycl compile`` takes without ``--backend``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one process measures."""

    measurement: str
    """The file in ``dycl.reproduce.measuring``; tables may share cells."""
    model: str
    backend: str
    """A backend as on the command line, or another contender."""
    count: int
    """Inputs."""
    seconds: float
    """Time limit."""

    @property
    def is_timed(self) -> bool:
        """Return whether its process measures while no other one does."""
        return self.measurement != "correctness"

    @property
    def packaged_by(self) -> str:
        """Return the backend of its package: measured, or beside which a contender is."""
        return DEFAULT if self.backend in AGAINST else self.backend

    @property
    def title(self) -> str:
        """Return what progress calls it."""
        return f"{self.measurement}: {self.model}, {self.backend}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A cell with a result."""

    cell: Cell
    found: Mapping[str, Any]
    took: float
    """Seconds of its process."""
    commit: str = ""
    """Of the sources that it was measured with; empty outside of a repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A cell without one, and why."""

    cell: Cell
    reason: str
    """One line, for the table."""
    detail: str = field(default="", compare=False)
    """All there is to know, for the JSON."""
    commit: str = ""
    """Of the sources that failed; empty outside of a repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRun:
    """A cell that no time was left for."""

    cell: Cell


Outcome: TypeAlias = Measured | Failed | NotRun


def status(outcome: Outcome) -> str:
    """Return in a few words what came of a cell."""
    match outcome:
        case Measured():
            return f"measured in {outcome.took:.0f} s"
        case Failed():
            return f"failed: {outcome.reason}"
        case NotRun():
            return "not run: the time is up"


def as_json(outcome: Outcome) -> dict[str, Any]:
    """Return the outcome as JSON values."""
    cell = asdict(outcome.cell)
    match outcome:
        case Measured():
            rest = {"took": outcome.took, "commit": outcome.commit, "found": outcome.found}
            return {"status": "measured", **cell, **rest}
        case Failed():
            said = {"reason": outcome.reason, "detail": outcome.detail}
            return {"status": "failed", **cell, "commit": outcome.commit, **said}
        case NotRun():
            return {"status": "not run", **cell}


def from_json(content: Mapping[str, Any]) -> Outcome:
    """Return the outcome that ``as_json`` wrote."""
    cell = Cell(**{name: content[name] for name in Cell.__dataclass_fields__})
    commit = content.get("commit", "")
    match content["status"]:
        case "measured":
            return Measured(cell=cell, found=content["found"], took=content["took"], commit=commit)
        case "failed":
            reason, detail = content["reason"], content["detail"]
            return Failed(cell=cell, reason=reason, detail=detail, commit=commit)
        case _:
            return NotRun(cell=cell)
