"""What is done already: a file per cell, there whole or not at all, with a digest of its causes."""

import json
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dycl.cli.writing import write_text
from dycl.reproduce.cells import Cell, Outcome, as_json, from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A folder of outcomes and of compiled packages."""

    directory: Path

    def read(self, cell: Cell, digest: str | None) -> Outcome | None:
        """Return what came of a cell; None where nothing did, or by other causes.

        Without a digest any causes will do.
        """
        try:
            content = json.loads(self._file(cell).read_text(encoding="utf-8"))
            same = digest is None or content["digest"] == digest
            return from_json(content["outcome"]) if same else None
        except (OSError, ValueError, KeyError, TypeError):
            # unreadable is as good as missing: the cell is run again
            return None

    def write(self, outcome: Outcome, digest: str) -> None:
        """Keep what came of a cell."""
        file = self._file(outcome.cell)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_text(
            file, json.dumps({"digest": digest, "outcome": as_json(outcome)}, indent=1) + "\n"
        )

    def scratch(self, cell: Cell) -> Path:
        """Return the file into which a cell's process writes."""
        file = self._file(cell).with_suffix(".found")
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            file.unlink()
        return file

    def package(self, model: str, backend: str, digest: str) -> Path:
        """Return where a model's package goes, which cells share; forget those by other causes."""
        folder = self.directory / "packages" / f"{_slug(model)}--{_slug(backend)}"
        name = _package_name(digest)
        folder.mkdir(parents=True, exist_ok=True)
        for other in folder.iterdir():
            # another cell may be writing this one, into a folder beside it
            if name not in other.name:
                _remove(other)
        return folder / name

    def _file(self, cell: Cell) -> Path:
        # two tables may measure the same on numbers of inputs of their own
        name = f"{_slug(cell.model)}--{_slug(cell.backend)}--{cell.count}.json"
        return self.directory / cell.measurement / name


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _package_name(digest: str) -> str:
    return f"host_{digest[:16]}"


def _slug(text: str) -> str:
    """Return a file name; texts that differ in punctuation only are told apart by their hash."""
    plain = re.sub(r"\W+", "_", text).strip("_").lower()
    return f"{plain}_{sha256(text.encode()).hexdigest()[:6]}"
