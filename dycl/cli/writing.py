"""Write a file whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from dycl.errors import UserError


def write_text(file: Path, text: str) -> None:
    """Write beside ``file`` and move into place."""
    if not file.parent.is_dir():
        raise UserError(f"{file.parent} is not a directory; cannot write {file.name} there")
    handle, beside = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
