"""The processes of cells, as this one sees them: begun, awaited, ended."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NoReturn

from dycl.errors import UserError

_THREADS = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


class Interrupted(Exception):
    """The run was ended: what its processes do from now on is no outcome."""


class TooLong(Exception):
    """A process was ended as its time was up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a process ended."""

    code: int
    """Negative: the signal that ended it."""
    errors: str
    """What it wrote to stderr."""


class Processes:
    """Forks of one process that has the imports of a catalog; used by several threads."""

    def __init__(self, catalog: Path) -> None:
        """Start nothing yet: a run may know all outcomes from before."""
        self._catalog = catalog
        self._guard = threading.Lock()
        self._server: _Server | None = None
        self._groups: set[int] = set()
        self._ended = False

    def __enter__(self) -> "Processes":
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all."""
        self.end()

    def do(self, job: Mapping[str, Any], seconds: float) -> Ended:
        """Do a job in a process of its own; raise ``TooLong`` where it takes longer than allowed.

        The time begins with the process. Raises ``Interrupted`` where ``end`` was called.
        """
        with tempfile.NamedTemporaryFile("r", errors="replace") as errors:
            code = self._code(json.dumps({**job, "errors": errors.name}), seconds)
            self.require_running()
            return Ended(code=code, errors=errors.read())

    def _code(self, job: str, seconds: float) -> int:
        server = self._running_server()
        with server.connection() as connection, connection.makefile("r") as answers:
            with suppress(ConnectionError):
                connection.sendall(f"{job}\n".encode())
            if not (group := _line(answers)):
                self.require_running()
                server.say_why()
            with self._known(int(group)):
                connection.settimeout(seconds)
                try:
                    # nothing: even the process that would say so was killed
                    return int(_line(answers) or -signal.SIGKILL)
                except TimeoutError as error:
                    raise TooLong from error

    @contextmanager
    def _known(self, group: int) -> Iterator[None]:
        """Let ``end`` know a group of processes; none of it is left behind."""
        with self._guard:
            self._groups.add(group)
            if self._ended:
                _kill(group)
        try:
            yield
        finally:
            with self._guard:
                self._groups.discard(group)
            _kill(group)

    def _running_server(self) -> "_Server":
        with self._guard:
            self.require_running()
            self._server = self._server or _Server(self._catalog)
            return self._server

    def require_running(self) -> None:
        """Raise ``Interrupted`` where all was ended."""
        if self._ended:
            raise Interrupted

    def end(self) -> None:
        """End all processes, and what they started: compilers, the compilation of an overhead."""
        with self._guard:
            self._ended = True
            for group in self._groups:
                _kill(group)
            if self._server is not None:
                self._server.end()
                self._server = None


class _Server:
    """``forking`` in a process of its own."""

    def __init__(self, catalog: Path) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._errors = Path(self._folder.name, "errors")
        self._control, theirs = socket.socketpair()
        command = [sys.executable, "-m", "dycl.reproduce.forking"]
        with theirs, self._errors.open("w", encoding="utf-8") as errors:
            self._process = subprocess.Popen(
                [*command, str(catalog), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=_environment(),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )

    def connection(self) -> socket.socket:
        """Return a connection to a new process, which waits for its job."""
        ours, theirs = socket.socketpair()
        with theirs, suppress(OSError):  # where it has ended, the connection is closed
            socket.send_fds(self._control, [b"."], [theirs.fileno()])
        return ours

    def say_why(self) -> NoReturn:
        """Raise UserError: no process can be started any more."""
        code = self._process.wait()
        text = self._errors.read_text(encoding="utf-8", errors="replace").strip()
        last = text.splitlines()[-1] if text else f"it ended with {code}"
        raise UserError(
            f"no cell can be started: {last}",
            detail=text,
            help="the same command goes on with the cells that are missing",
        )

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._control.close()
        self._folder.cleanup()


def _line(answers: IO[str]) -> str:
    """Return the next line; nothing where the other side has ended."""
    try:
        return answers.readline()
    except ConnectionError:
        return ""


def _environment() -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **_THREADS, "PYTHONPATH": os.pathsep.join(paths)}


def _kill(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
