"""Runs compiled sub-DNNs where each tensor has a block of memory of its own, and a guard behind.

    python guarded_memory.py LOADER FOLDER CALLS [--overrun]

A program by itself: glibc looks at the guards when memory is freed, and ends the process where
one was written over. ``environment`` says how it is asked to.
"""

import ctypes
import importlib.util
import os
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

CHECKING = "libc_malloc_debug.so.0"
_NAIVE = 1
"""TVM's number for the allocator that asks for each tensor by itself, and keeps nothing."""


def environment() -> Mapping[str, str]:
    """Return the environment in which guards are looked at."""
    return {**os.environ, "LD_PRELOAD": CHECKING, "GLIBC_TUNABLES": "glibc.malloc.check=3"}


def can_check() -> bool:
    """Return whether this system has such a glibc."""
    try:
        ctypes.CDLL(CHECKING)
    except OSError:
        return False
    return True


def _load(file: str) -> Any:
    spec = importlib.util.spec_from_file_location("loader", file)
    assert spec is not None and spec.loader is not None
    loader: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    loader._POOLED = _NAIVE
    return loader


def main(file: str, directory: str, recorded: str, *flags: str) -> None:
    """Make recorded calls, print how many did not raise; ``--overrun``: damage each result."""
    settings, entries, calls = pickle.loads(Path(recorded).read_bytes())
    finished = 0
    subdnns = _load(file).load_subdnns(Path(directory), settings, entries)
    for name, arrays in calls:
        try:
            results = subdnns[name](*arrays)
        except (RuntimeError, IndexError):  # PyTorch raises, too
            continue
        for result in results if isinstance(results, list) else [results]:
            if "--overrun" in flags and isinstance(result, np.ndarray):
                ctypes.memset(result.ctypes.data + result.nbytes, 1, 1)
        del results
        finished += 1
    print(finished)


if __name__ == "__main__":
    main(*sys.argv[1:])
