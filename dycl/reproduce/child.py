"""What the process of one cell does: a job as JSON, its outcome as JSON into a file.

Whatever goes wrong here, a crash or a hang included, is the row of this cell alone.
"""

import json
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dycl.cli.writing import write_text
from dycl.errors import UserError
from dycl.reproduce.catalog import load_catalog
from dycl.reproduce.cells import Cell, Failed, Measured, Outcome, as_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a cell's process is told."""

    catalog: Path
    cell: Cell
    package: Path
    output: Path


def do(given: Mapping[str, Any]) -> None:
    """Do a job that is given as JSON values; leave the outcome in its file."""
    job = Job(
        catalog=Path(given["catalog"]),
        cell=Cell(**given["cell"]),
        package=Path(given["package"]),
        output=Path(given["output"]),
    )
    write_text(job.output, json.dumps(as_json(run(job))))


def run(job: Job) -> Outcome:
    """Return what came of the cell."""
    import torch

    from dycl.reproduce.measuring import MEASUREMENTS
    from dycl.reproduce.measuring.subject import CannotMeasure, Subject
    from rewriter.diagnostics import CompileError

    begin = time.perf_counter()
    torch.set_num_threads(1)
    try:
        subject = Subject(cell=job.cell, catalog=load_catalog(job.catalog), package=job.package)
        found = MEASUREMENTS[job.cell.measurement](subject)
    except CannotMeasure as error:
        return Failed(cell=job.cell, reason=str(error))
    except CompileError as error:
        return Failed(cell=job.cell, reason=_refusal(error), detail=str(error))
    except UserError as error:
        return Failed(cell=job.cell, reason=error.message, detail=error.render())
    except Exception as error:
        return Failed(cell=job.cell, reason=_one_line(error), detail=traceback.format_exc())
    return Measured(cell=job.cell, found=found, took=time.perf_counter() - begin)


def _refusal(error: Exception) -> str:
    """Return the first diagnostic, with the line but without the folders of its file."""
    from rewriter.diagnostics import CompileError

    assert isinstance(error, CompileError)
    first = error.diagnostics[0]
    more = f", and {len(error.diagnostics) - 1} more" if len(error.diagnostics) > 1 else ""
    place = f"{Path(first.origin.file).name}:{first.origin.line}: " if first.origin else ""
    return f"refused: {place}{first.code}: {first.message}{more}"


def _one_line(error: Exception) -> str:
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {text}"
