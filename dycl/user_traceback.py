"""Show an exception of the user's code as theirs: without the frames of dycl and libraries."""

import sysconfig
import traceback
from pathlib import Path

_PROJECT = Path(__file__).resolve().parent.parent
_HIDDEN = (
    *(_PROJECT / room for room in ("rewriter", "hcfg", "codegen_host", "dycl")),
    *(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")),
)
"""Where frames come from that say nothing about the user's mistake."""


def render_user_traceback(error: BaseException) -> str:
    """Return the traceback of ``error``, reduced to frames of the user's own files."""
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(error))
    frames = [f for f in traceback.extract_tb(error.__traceback__) if _is_users(f.filename)]
    lines = ["Traceback (most recent call last, your own frames only):\n"] if frames else []
    lines += traceback.format_list(frames)
    lines += traceback.format_exception_only(error)
    return "".join(lines)


def _is_users(filename: str) -> bool:
    if filename.startswith("<"):
        return False
    path = Path(filename).resolve()
    return not any(path.is_relative_to(root) for root in _HIDDEN)
