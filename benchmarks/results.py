"""What benchmarks share: results in files that an interrupted run goes on from, and tables."""

import json
import math
import os
import platform
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

BUILD = Path(__file__).parents[1] / "build" / "benchmarks"


class Results:
    """One JSON file per model, in a folder. A file is there whole, or not at all."""

    def __init__(self, name: str) -> None:
        self._directory = BUILD / name
        self._directory.mkdir(parents=True, exist_ok=True)

    def read(self, model: str) -> dict[str, Any] | None:
        """Return what was found of a model, None where nothing was."""
        try:
            found: dict[str, Any] = json.loads(self._file(model).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found

    def write(self, model: str, found: Mapping[str, Any]) -> None:
        """Keep what was found of a model."""
        beside = self._file(model).with_suffix(".writing")
        beside.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        os.replace(beside, self._file(model))

    def _file(self, model: str) -> Path:
        return self._directory / (re.sub(r"\W+", "_", model).strip("_").lower() + ".json")


def machine() -> dict[str, object]:
    """Return where numbers were measured."""
    processor = platform.processor()
    information = Path("/proc/cpuinfo")
    if information.exists():
        match = re.search(r"model name\s*: (.*)", information.read_text(encoding="utf-8"))
        processor = match[1] if match else processor
    return {"processor": processor, "cores": os.cpu_count(), "python": platform.python_version()}


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of ratios."""
    return math.exp(statistics.fmean(math.log(value) for value in values))


def as_markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
