"""What compilation costs: seconds by phase with an empty cache and with a full one, and bytes.

Each compilation is a process of its own, as for a person at the command line.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from dycl.reproduce.measuring.subject import CannotMeasure, Subject


def measure(subject: Subject) -> dict[str, Any]:
    """Compile with an empty cache, then with what that left."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        cold = _compile(subject, Path(directory), "cold")
        warm = _compile(subject, Path(directory), "warm")
    return {"cold": cold, "warm": warm}


def _compile(subject: Subject, directory: Path, name: str) -> dict[str, Any]:
    cell = subject.cell
    command = [sys.executable, "-m", "dycl.reproduce.compiling_once"]
    command += [str(subject.catalog.file), cell.model, cell.backend, str(directory / name)]
    environment = {**os.environ, "DYCL_CACHE_DIR": str(directory / "cache")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise CannotMeasure(lines[-1] if lines else f"exit status {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
