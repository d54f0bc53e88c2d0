"""Sessions of ONNX Runtime: how they are made, what they raise."""

import re
from pathlib import Path
from typing import Any

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as _state

FAILURES = (_state.Fail, _state.InvalidArgument, _state.RuntimeException)
"""What a session raises when an operator cannot compute with the values it got."""

_INDEXING = ("Gather", "GatherND", "ScatterND")
"""Operators for which PyTorch raises IndexError; for all others it raises RuntimeError."""

_TOO_MANY = "updates tensor should have shape"
"""What ScatterND says where its places are as they should be, and what is written there is not."""

SETTINGS = onnxruntime.RunOptions()
"""Of all calls: those without would make their own, which takes a microsecond."""

CPU = "CPUExecutionProvider"

_FOLDER = "session.model_external_initializers_file_folder_path"
"""The option that says where weights are, for a graph that is not loaded from its file."""


def session_options(threads: int, folder: Path | None = None) -> Any:
    """Return the options of a session; ``folder`` is where weights are."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what it would log as an error, it raises as well
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.use_env_allocators", "1")
    # Each session owns its threads: if those span waiting, sub-DNNs would slow each other down.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if folder is not None:
        options.add_session_config_entry(_FOLDER, str(folder))
    return options


def share_memory() -> None:
    """Let sessions that are made from now on take what they need for a call from one arena.

    With one for each, every sub-DNN would write where nothing of the memory is in the processor's
    caches. Those of another package that is loaded already keep the arena they have.
    """
    kind, where = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, onnxruntime.OrtMemType.DEFAULT
    onnxruntime.create_and_register_allocator(
        onnxruntime.OrtMemoryInfo("Cpu", kind, 0, where), None
    )


def as_pytorch(name: str, failure: Exception) -> Exception:
    """Return an error of the type that PyTorch raises: an index out of range, a zero division."""
    text = str(failure)
    operators = re.findall(r"while running (\w+) node", text)  # the last is inside of the others
    of_index = operators and operators[-1] in _INDEXING and _TOO_MANY not in text
    kind = IndexError if of_index else RuntimeError
    return kind(f"{name}: {text.splitlines()[0]}")
