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
from dycl.one_onnx.compiling import MODEL, Plan
from dycl.one_onnx.feeding import feeds_of, outputs_of
from hcfg.interpret import Interpreter
from rewriter.diagnostics import CompileError, Diagnostic

MOST_NODES = 20_000
"""A program that runs longer than this on a random input is not run again."""
_SECONDS = 60.0
NO_MEANING = torch.zeros(0)
"""Stands for an output that a result does not have."""


def check(plan: Plan, directory: Path, inputs: Sequence[object]) -> None:
    """Raise ``CompileError`` where the file does something else than the program on ``inputs``."""
    session = session_of(directory / MODEL, "the whole")
    for each in inputs:
        arguments, keywords = as_call(each)
        _check_on(plan, session, arguments, keywords)


def session_of(file: Path, called: str) -> Any:
    """Load a file; ``called`` is what messages call it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise failed("DYCL413", f"ONNX Runtime cannot load {called}: {error}") from error


def as_call(inputs: object) -> tuple[tuple[object, ...], Mapping[str, object]]:
    """Return the positional and the keyword arguments of a call."""
    arguments, keywords = ((), inputs) if isinstance(inputs, dict) else (inputs, {})
    assert isinstance(arguments, tuple)
    return arguments, keywords


def _check_on(
    plan: Plan, session: Any, arguments: tuple[object, ...], keywords: Mapping[str, object]
) -> None:
    interpreter = Interpreter(graph=plan.graph, max_nodes=MOST_NODES)
    results = plan.results[None]

    def compute() -> Sequence[torch.Tensor]:
        parts = outputs_of(interpreter.call(arguments, keywords), results)
        return [NO_MEANING if part is None else part for part in parts]

    try:
        evidence = Evidence(compute)
    except Exception:  # the user's operators may refuse random values
        return
    chosen = None if results.chosen is None else len(results.places) - 1
    feeds = feeds_of(plan, arguments, keywords)
    compare(session, feeds, results.places, evidence, chosen, "the whole")


def compare(
    session: Any,
    feeds: Mapping[str, Any],
    places: Sequence[str],
    evidence: Evidence,
    chosen: int | None,
    called: str,
) -> None:
    """Raise where a file gives other outputs; ``chosen`` is the one that says which count."""
    try:
        with _time_limit() as limit:
            arrays = session.run(list(places), feeds, limit)
    except Exception as error:
        raise failed("DYCL413", f"ONNX Runtime cannot run {called}: {error}") from error
    # what says which outputs count comes first: if rounding chose others, they cannot be compared
    order = [index for index in range(len(places)) if index != chosen]
    for index in order if chosen is None else [chosen, *order]:
        place, array, expected = places[index], arrays[index], evidence.expected[index]
        if expected is NO_MEANING:
            continue
        reference = expected.numpy()
        same_kind = (reference.dtype, reference.shape) == (array.dtype, array.shape)
        if not same_kind or evidence.of(index, array) is Agreement.DIFFERENT:
            raise failed("DYCL412", f"ONNX Runtime computes another {place} from {called}")
        if index == chosen and reference != array:
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


def failed(code: str, message: str) -> CompileError:
    """Return the error that a file does not do what it is to do."""
    text = message.splitlines()[0]
    return CompileError((Diagnostic(code=code, message=text, origin=None),))
