"""Processes of cells: forked from one that has the imports, each with an end of its own."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from dycl.errors import UserError
from dycl.reproduce.processes import Ended, Interrupted, Processes, TooLong
from tests.dycl.reproduce.conftest import CELL

ENDINGS = Path(__file__).parent / "tiny" / "endings.py"

Do = Callable[..., Ended]


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return where models write the process that they leave behind."""
    with pytest.MonkeyPatch.context() as patch:
        file = tmp_path_factory.mktemp("left") / "process"
        patch.setenv("LEFT", str(file))
        yield file


@pytest.fixture(scope="module")
def processes(left: Path) -> Iterator[Processes]:
    with Processes(ENDINGS) as started:
        yield started


def job(model: str, folder: Path, catalog: Path = ENDINGS) -> dict[str, Any]:
    cell = asdict(replace(CELL, model=model))
    files = {name: str(folder / name) for name in ("package", "output")}
    return {"catalog": str(catalog), "cell": cell, **files}


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def soon(condition: Callable[[], bool]) -> bool:
    """Return whether something holds within some seconds."""
    until = time.monotonic() + 120
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def test_each_job_begins_with_the_imports_and_nothing_of_the_job_before(
    processes: Processes, tmp_path: Path
) -> None:
    for _ in range(2):
        ended = processes.do(job("Telling", tmp_path), 60)
        assert ended == Ended(code=0, errors="a message\n")
        outcome = json.loads((tmp_path / "output").read_text())
        assert outcome["reason"] == "ValueError: call 1, 1 thread, torch zipapp"


def test_what_ends_a_process_is_told(processes: Processes, tmp_path: Path) -> None:
    exiting = processes.do(job("Exiting", tmp_path), 60)
    assert exiting.code == 1
    assert exiting.errors.splitlines()[-1] == "SystemExit: no more"
    for model in ("Killed", "Killed with all"):
        assert processes.do(job(model, tmp_path), 60) == Ended(code=-signal.SIGKILL, errors="")


def test_nothing_of_a_job_is_left(processes: Processes, left: Path, tmp_path: Path) -> None:
    assert processes.do(job("Leaving", tmp_path), 60).code == 0
    assert soon(lambda: not is_running(int(left.read_text())))
    left.unlink()
    with pytest.raises(TooLong):
        processes.do(job("Waiting", tmp_path), 10)
    assert soon(lambda: not is_running(int(left.read_text())))


def test_the_end_of_all_ends_what_runs_and_lets_nothing_begin(left: Path, tmp_path: Path) -> None:
    left.unlink(missing_ok=True)
    processes = Processes(ENDINGS)
    seen: list[BaseException] = []

    def wait() -> None:
        try:
            processes.do(job("Waiting", tmp_path), 600)
        except Interrupted as error:
            seen.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert soon(lambda: left.exists() and left.read_text() != "")
    processes.end()
    waiting.join(120)
    assert len(seen) == 1
    assert soon(lambda: not is_running(int(left.read_text())))
    with pytest.raises(Interrupted):
        processes.do(job("Telling", tmp_path), 60)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("1 / 0", "division by zero"),
        (
            "import threading\n"
            "threading.Thread(target=threading.Event().wait, daemon=True).start()\nCATALOG = ()",
            "threads run once",
        ),
    ],
)
def test_a_catalog_that_no_process_can_be_forked_with_ends_the_run(
    code: str, message: str, tmp_path: Path
) -> None:
    catalog = tmp_path / "catalog.py"
    catalog.write_text(f"{code}\n")
    with Processes(catalog) as processes, pytest.raises(UserError, match="no cell can be started"):
        try:
            processes.do(job("Telling", tmp_path, catalog), 60)
        except UserError as error:
            assert message in error.render()
            raise


def test_where_the_process_they_are_forked_from_is_gone_the_run_ends(
    left: Path, tmp_path: Path
) -> None:
    with Processes(ENDINGS) as processes:
        assert processes.do(job("Telling", tmp_path), 60).code == 0
        assert processes._server is not None
        os.kill(processes._server._process.pid, signal.SIGKILL)
        with pytest.raises(UserError, match="no cell can be started: it ended with -9"):
            processes.do(job("Telling", tmp_path), 60)
