"""The three ways to run a case, and what comes of comparing them."""

import copy
import dataclasses
import functools
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from dycl.backends import diagnosing
from rewriter.diagnostics import CompileError
from tests.language.arrays import to_numpy
from tests.language.calling import Outcome, TookTooLong, asked_before, call, entry, time_limit
from tests.language.compare import difference
from tests.language.harness import Case
from tests.language.verdicts import Verdict, crash, refusal

HOST_TOLERANCE = 1e-5


def eager(case: Case) -> list[Outcome]:
    """Run the original program on each input, one after the other on one target."""
    target = entry(case, case.build())
    torch.compiler.reset()  # torch.cond compiles its branches: eight times in all, then it fails
    return [call(target, copy.deepcopy(inputs), case) for inputs in case.inputs]


class _Trial:
    """One target that is rewritten once, however many ways it is judged."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.target = case.build()
        self._program: Any = None
        self._refusal: CompileError | None = None

    @functools.cached_property
    def expected(self) -> list[Outcome]:
        """What eager PyTorch does, on a target of its own."""
        return eager(self.case)

    def once(self, rewrite: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function that rewrites, or refuses, when it is first called.

        With other options, after the graph or the backend has refused, it is rewritten again.
        """

        def rewritten(*arguments: Any, **keywords: Any) -> Any:
            others = ("known_numbers", "known_texts")
            if any(getattr(given, name, False) for given in arguments for name in others):
                return rewrite(*arguments, **keywords)
            if self._refusal is not None:
                raise self._refusal
            try:
                self._program = self._program or rewrite(*arguments, **keywords)
            except CompileError as error:
                self._refusal = error
                raise
            return self._program

        return rewritten


def judge_rewritten(case: Case) -> Verdict:
    """Rewrite the case, run the rewritten program under torch, compare with eager."""
    return _judge_rewritten(_Trial(case))


def judge_both(case: Case, directory: Path) -> tuple[Verdict, Verdict]:
    """Return the verdicts on the rewritten program and on the host package of one rewriting."""
    trial = _Trial(case)
    # The host first: it has a target of its own, which the rewritten program writes to.
    host = _judge_host(trial, directory, FIRST_BACKEND)
    return _judge_rewritten(trial), host


def _judge_rewritten(trial: _Trial) -> Verdict:
    def run(target: Any) -> Iterator[Callable[..., Any]]:
        import dycl
        from rewriter.entry_points import entry_point
        from rewriter.printing import runnable

        example = copy.deepcopy(trial.case.inputs[0])
        program = trial.once(dycl.rewrite)(target, example, **arguments_of(trial.case))
        yield runnable(program, entry_point(target, trial.case.method).receiver)

    return _judge(trial, run, tolerance=None)


def notes_of(case: Case) -> tuple[str, ...]:
    """Return what the rewriter tells the user about a program that it takes."""
    import dycl

    target = case.build()
    program = dycl.rewrite(target, copy.deepcopy(case.inputs[0]), **arguments_of(case))
    return program.notes


FIRST_BACKEND = "onnxruntime"
"""The backend that the cases speak of; others may refuse more (DYCL41x)."""

_DECLINED = (
    "raised FloatingPointError(",
    "raised OverflowError(",
    ", this FloatingPointError(",
    ", this OverflowError(",
)
"""What a loader raises for numbers that its runtime does not compute with as PyTorch does."""

_SHARED = "and shares memory with"
"""What the host says of two arguments in one array, one of which is written to."""


def judge_host(case: Case, directory: Path, backend: str = FIRST_BACKEND) -> Verdict:
    """Compile the case to a host package, run that on numpy, compare with eager."""
    return _judge_host(_Trial(case), directory, backend)


def _judge_host(trial: _Trial, directory: Path, backend: str) -> Verdict:
    case = trial.case

    def run(target: Any) -> Iterator[Callable[..., Any]]:
        import dycl.api
        import dycl.one_onnx.emitting  # what is imported below would keep the patched function

        # Who else takes what is refused is asked in tests of its own: it compiles with everyone.
        with (
            mock.patch.object(diagnosing, "takers", return_value=()),
            mock.patch.object(dycl.api, "rewrite", trial.once(dycl.api.rewrite)),
        ):
            compiled = dycl.compile(
                target,
                copy.deepcopy(case.inputs[0]),
                output=str(directory / case.name.replace(".", "_").lower()),
                backend=backend,
                **arguments_of(case),
            )
        yield compiled

    verdict = _judge(trial, run, tolerance=HOST_TOLERANCE)
    declined = _DECLINED if backend != FIRST_BACKEND else ()
    if case.may_refuse:
        declined = (*declined, _SHARED)
    if verdict.status == "differs" and any(text in verdict.detail for text in declined):
        return Verdict(status="refused", detail=f"at run time: {verdict.detail}")
    return verdict


def complaint_about_host(case: Case, verdict: Verdict) -> str | None:
    """Return why the verdict on a host package is not what the case asks for, or None."""
    return complaint(replace(case, refused=case.refused_on_host), verdict)


def complaint_about_backend(case: Case, verdict: Verdict) -> str | None:
    """Return why the verdict is not what the case asks for, of another than the first backend."""
    text = complaint_about_host(case, verdict)
    if verdict.status == "refused":
        diagnostics = verdict.refusal.diagnostics if verdict.refusal else ()
        return text if not all(d.code.startswith("DYCL41") for d in diagnostics) else None
    code = case.refused_on_host
    by_backend = isinstance(code, str) and code.startswith("DYCL41")
    return None if verdict.status == "agrees" and by_backend else text


def complaint(case: Case, verdict: Verdict) -> str | None:
    """Return why the verdict is not what the case asks for, or None."""
    if verdict.status in ("crashed", "differs"):
        return f"{verdict.status}: {verdict.detail}\n{verdict.trace}"
    if case.refused:
        return _complaint_about_refusal(case, verdict)
    if verdict.status == "refused" and not case.may_refuse:
        return f"refused: {verdict.refusal}"
    return None


def _complaint_about_refusal(case: Case, verdict: Verdict) -> str | None:
    if verdict.refusal is None:
        return "must be refused, but was compiled"
    diagnostics = verdict.refusal.diagnostics
    if isinstance(case.refused, str) and case.refused not in {d.code for d in diagnostics}:
        return f"must be refused with {case.refused}: {verdict.refusal}"
    lines = {d.origin.line for d in diagnostics if d.origin is not None}
    if case.refused_line is not None and case.refused_line not in lines:
        return f"must be refused at line {case.refused_line}: {verdict.refusal}"
    return None


def _judge(
    trial: _Trial, make: Callable[[Any], Iterator[Callable[..., Any]]], tolerance: float | None
) -> Verdict:
    try:
        with time_limit(120), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            candidate = next(iter(make(trial.target)))
    except CompileError as error:
        return refusal(error)
    except (Exception, TookTooLong) as error:
        return crash(error)
    text = _compare(trial, candidate, tolerance)
    if text is None and tolerance is None:
        # Last: the original may leave on the target what the candidate forgot to write.
        text = _compare(trial, entry(trial.case, trial.target), tolerance)
        text = text and f"rewriting changed the original: {text}"
    return Verdict(status="differs", detail=text) if text else Verdict(status="agrees")


def _compare(trial: _Trial, candidate: Callable[..., Any], tolerance: float | None) -> str | None:
    case = trial.case
    if case.at_end:
        candidate = asked_before(candidate, case, on_host=tolerance is not None)
    for number, (inputs, expected) in enumerate(zip(case.inputs, trial.expected, strict=True)):
        given = copy.deepcopy(inputs)
        if tolerance is not None:
            given = to_numpy(given, {})
        actual = call(candidate, given, case)
        if case.rounds and tolerance is None:
            returned, after = to_numpy((actual.returned, actual.inputs), {})
            actual = replace(actual, returned=returned, inputs=after)
        bound = HOST_TOLERANCE if case.rounds else tolerance
        text = outcome_difference(case, expected, actual, bound)
        if text is not None:
            return f"input {number}: {text}"
    return None


def outcome_difference(
    case: Case, expected: Outcome, actual: Outcome, tolerance: float | None
) -> str | None:
    """Return how what a call did differs from what it should do, None where it does not."""
    if expected.raised is not None or actual.raised is not None:
        return _exception_difference(case, expected.raised, actual.raised, tolerance) or difference(
            expected.inputs, actual.inputs, tolerance, "inputs after the call"
        )
    if expected.printed != actual.printed:
        return f"printed {actual.printed!r} for {expected.printed!r}"
    if set(expected.warned) != set(actual.warned):
        return f"warned {actual.warned} for {expected.warned}"
    return difference(expected.returned, actual.returned, tolerance) or difference(
        expected.inputs, actual.inputs, tolerance, "inputs after the call"
    )


def _exception_difference(
    case: Case,
    expected: BaseException | None,
    actual: BaseException | None,
    tolerance: float | None,
) -> str | None:
    if expected is None and actual is not None:
        frames = traceback.extract_tb(actual.__traceback__)[-2:]
        where = " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.line}" for f in reversed(frames))
        return f"raised {actual!r} at {where}"
    own = expected is not None and type(expected).__module__.startswith("torch")
    if own and tolerance is not None:
        expected = RuntimeError(str(expected))  # the host has none of PyTorch's own classes
    if actual is None or type(expected).__name__ != type(actual).__name__:
        return f"eager raised {expected!r}, this {actual!r}"
    if case.messages and str(expected) != str(actual):
        return f"eager raised {expected!r}, this {actual!r}"
    if expected is None or type(expected).__module__ == "builtins":
        return None
    attributes = {name: value for name, value in vars(actual).items() if name != "__str__"}
    return difference(list(expected.args), list(actual.args), tolerance, "args") or difference(
        dict(vars(expected)), attributes, tolerance, "attributes of the exception"
    )


def arguments_of(case: Case) -> dict[str, Any]:
    """Return how a case is compiled, as keyword arguments."""
    arguments: dict[str, Any] = {}
    if case.method != "forward":
        arguments["method"] = case.method
    if case.dynamic_shapes is not None:
        arguments["dynamic_shapes"] = case.dynamic_shapes
    if case.options:
        import dycl

        arguments["options"] = dataclasses.replace(dycl.CompileOptions(), **case.options)
    return arguments
