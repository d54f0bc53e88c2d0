"""The process that the processes of cells are forked from: what all of them import, it has.

``python -m dycl.reproduce.forking CATALOG DESCRIPTOR``; the descriptor is a socket, which gives a
connection for each job and closes in the end.

    runner --- job -----------> keeper --- fork ---> cell
           <-- keeper's id ---     a process group
           <-- exit code -----

The keeper waits for its cell, so that this process, which only forks, can do so at any time.
"""

import gc
import importlib
import json
import os
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from dycl.reproduce.catalog import load_catalog

_IMPORTED = ("dycl.reproduce.measuring", "torch._inductor.compile_fx", "onnx", "onnxscript")
"""What starts no threads: forks would be without them. ONNX Runtime and OpenVINO start some."""

_TASKS = Path("/proc/self/task")

Work = Callable[[Any], None]


def main(catalog: str, descriptor: str) -> None:
    """Import, then fork for each connection."""
    from dycl.reproduce.child import do

    for name in (*_IMPORTED, *load_catalog(Path(catalog)).imported):
        with suppress(ImportError):  # some belong to backends, which need not be installed
            importlib.import_module(name)
    if (count := threads()) > 1:
        sys.exit(f"{count - 1} threads run once {catalog} is imported: no process can be forked")
    serve(socket.socket(fileno=int(descriptor)), do)


def threads() -> int:
    """Return how many threads this process has, those of libraries included."""
    return len(list(_TASKS.iterdir())) if _TASKS.exists() else threading.active_count()


def serve(control: socket.socket, work: Work) -> None:
    """Fork a keeper for each connection, until there come no more."""
    # what is here stays: a collection in a fork would copy all memory that it looks at
    gc.collect()
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        _forget_ended()
        if not message:
            return
        with socket.socket(fileno=descriptors[0]) as connection:
            if os.fork() == 0:
                control.close()
                _keep(connection, work)


def _forget_ended() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _keep(connection: socket.socket, work: Work) -> None:
    """Do one job in a fork, and say how that ended; never returns."""
    try:
        os.setsid()
        with connection.makefile("r", encoding="utf-8") as lines:
            job = json.loads(lines.readline())
        connection.sendall(f"{os.getpid()}\n".encode())
        if (cell := os.fork()) == 0:
            connection.close()
            _work(job, work)
        _, status = os.waitpid(cell, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    finally:
        os._exit(0)


def _work(job: dict[str, Any], work: Work) -> None:
    """Do a job in this process; its messages go to the file that the job names."""
    code = 1
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        errors = os.open(job["errors"], os.O_WRONLY | os.O_CREAT)
        for descriptor, file in enumerate((nothing, nothing, errors)):
            os.dup2(file, descriptor)
        work(job)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        # native libraries are known to hang or crash while they are unloaded; the work is done
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
