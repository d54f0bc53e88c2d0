"""What is said of a case that was run in some way."""

import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rewriter.diagnostics import CompileError

Status = Literal["agrees", "refused", "differs", "crashed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How one way of running a case compares with eager PyTorch."""

    status: Status
    detail: str = ""
    trace: str = field(default="", repr=False)
    refusal: CompileError | None = None


def refusal(error: CompileError) -> Verdict:
    """Return the verdict on a program that was refused."""
    first = error.diagnostics[0].render().splitlines()[0] if error.diagnostics else str(error)
    return Verdict(status="refused", detail=first, refusal=error)


def crash(error: BaseException) -> Verdict:
    """Return the verdict where an error came that nobody should see."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    text = (str(error).splitlines() or [""])[0][:160]
    trace = "".join(traceback.format_exception(error))
    return Verdict(
        status="crashed", detail=f"{type(error).__name__}: {text} ({place})", trace=trace
    )
