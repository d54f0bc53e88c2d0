"""Runs the finished file beside the program it was made from.

Sub-DNNs were checked one by one before; this checks what was written around them. Decisions of
random inputs may depend on rounding: ``Evidence`` tells what rounding explains.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from dycl.backends.evidence import Agreement, Evidence
from dycl.drawing_inputs import Inputs
from dycl.one_onnx.compiling import MODEL, Plan
from dycl.one_onnx.feeding import feeds_of, outputs_of
from dycl.one_onnx.results import Results
from hcfg.interpret import Interpreter
from rewriter.diagnostics import CompileError, Diagnostic

MOST_NODES = 20_000
"""A program that runs longer than this on a random input is not run again."""
_SECONDS = 60.0
_NO_MEANING = torch.zeros(0)
"""Stands for an output that a result does not have."""


def check(plan: Plan, directory: Path, inputs: Sequence[Inputs]) -> None:
    """Raise ``CompileError`` where the file does something else than the program on ``inputs``."""
    check_file(plan, directory / MODEL, inputs, "the whole")


def check_file(plan: Plan, file: Path, inputs: Sequence[Inputs], called: str) -> None:
    """Raise ``CompileError`` where a file is not ``plan``'s; messages call it ``called``."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            str(file), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise _failed("DYCL413", f"ONNX Runtime cannot load {called}: {error}") from error
    for each in inputs:
        arguments, keywords = as_call(each)
        _check_on(plan, session, arguments, keywords, called)


def as_call(inputs: Inputs) -> tuple[tuple[object, ...], Mapping[str, object]]:
    """Return the positional and the keyword arguments of a call."""
    if isinstance(inputs, dict):
        return (), inputs
    assert isinstance(inputs, tuple)
    return inputs, {}


def _check_on(
    plan: Plan,
    session: Any,
    arguments: tuple[object, ...],
    keywords: Mapping[str, object],
    called: str,
) -> None:
    interpreter = Interpreter(graph=plan.graph, max_nodes=MOST_NODES)
    results = plan.results[None]

    def compute() -> Sequence[torch.Tensor]:
        parts = outputs_of(interpreter.call(arguments, keywords), results)
        return [_NO_MEANING if part is None else part for part in parts]

    try:
        evidence = Evidence(compute)
    except Exception:  # the user's operators may refuse random values
        return
    feeds = feeds_of(plan, arguments, keywords)
    try:
        with _time_limit() as limit:
            arrays = session.run(list(results.places), feeds, limit)
    except Exception as error:
        raise _failed("DYCL413", f"ONNX Runtime cannot run {called}: {error}") from error
    _compare(results, evidence, arrays, called)


def _compare(results: Results, evidence: Evidence, arrays: Sequence[Any], called: str) -> None:
    # which variant it is comes first: if rounding chose another one, there is nothing to compare
    for index in reversed(range(len(arrays))):
        place, array, expected = results.places[index], arrays[index], evidence.expected[index]
        if expected is _NO_MEANING:
            continue
        reference = expected.numpy()
        same_kind = (reference.dtype, reference.shape) == (array.dtype, array.shape)
        if not same_kind or evidence.of(index, array) is Agreement.DIFFERENT:
            raise _failed("DYCL412", f"ONNX Runtime computes another {place} from {called}")
        if place == results.chosen and reference != array:
            return


@contextmanager
def _time_limit() -> Iterator[Any]:
    """Give run options that end a run after a time."""
    import onnxruntime

    limit = onnxruntime.RunOptions()
    timer = threading.Timer(_SECONDS, lambda: setattr(limit, "terminate", True))
    timer.daemon = True
    timer.start()
    try:
        yield limit
    finally:
        timer.cancel()


def _failed(code: str, message: str) -> CompileError:
    text = message.splitlines()[0]
    return CompileError((Diagnostic(code=code, message=text, origin=None),))
