"""Models whose processes end in ways of their own, when they are built."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from torch import nn

from dycl.reproduce.forking import threads
from tests.dycl.reproduce.tiny.catalog import Entry

CALLS: list[str] = []


def build_telling() -> nn.Module:
    """Tell what it sees."""
    CALLS.append("called")
    print("a message", file=sys.stderr)
    before = sorted({"torch", "zipapp"} & sys.modules.keys())
    raise ValueError(f"call {len(CALLS)}, {threads()} thread, {' '.join(before)}")


def build_leaving() -> nn.Module:
    """Leave a process behind; its id is where this one runs."""
    left = subprocess.Popen(["sleep", "600"])
    Path(os.environ["LEFT"]).write_text(str(left.pid))
    raise ValueError


def build_waiting() -> nn.Module:
    """Wait for such a process."""
    try:
        build_leaving()
    except ValueError:
        time.sleep(600)
    raise AssertionError


def build_exiting() -> nn.Module:
    sys.exit("no more")


def build_killed() -> nn.Module:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def build_killed_with_all() -> nn.Module:
    """End the process that would say how this one ended, too."""
    os.killpg(0, signal.SIGKILL)
    raise AssertionError


CATALOG = (
    Entry("Telling", build_telling),
    Entry("Leaving", build_leaving),
    Entry("Waiting", build_waiting),
    Entry("Exiting", build_exiting),
    Entry("Killed", build_killed),
    Entry("Killed with all", build_killed_with_all),
)

IMPORTED = ("zipapp", "not_installed_anywhere")
