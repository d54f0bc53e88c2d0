"""Running a case for many inputs together, and comparing that with eager PyTorch one by one."""

import copy
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from dycl.backends import diagnosing
from hcfg.many_inputs import CODE
from rewriter.diagnostics import CompileError
from tests.language.arrays import to_numpy
from tests.language.calling import Outcome, TookTooLong, call, time_limit
from tests.language.harness import Case, Inputs
from tests.language.verdicts import Verdict, crash, refusal
from tests.language.ways import (
    HOST_TOLERANCE,
    arguments_of,
    complaint_about_host,
    eager,
    outcome_difference,
)

_TIMES = 2
"""How often each input is among the many: what there is once makes no batch."""


def judge_many(case: Case, directory: Path) -> Verdict:
    """Compile the case for many inputs, run these together, compare with eager."""
    import dycl

    target, arguments = case.build(), arguments_of(case)
    options = arguments.pop("options", dycl.CompileOptions())
    try:
        with (
            time_limit(240),
            warnings.catch_warnings(),
            mock.patch.object(diagnosing, "takers", return_value=()),
        ):
            warnings.simplefilter("ignore")
            compiled = dycl.compile(
                target,
                copy.deepcopy(case.inputs[0]),
                output=str(directory / f"many_{case.name.replace('.', '_').lower()}"),
                options=replace(options, many_inputs=True),
                **arguments,
            )
    except CompileError as error:
        return refusal(error)
    except (Exception, TookTooLong) as error:
        return crash(error)
    text = _difference(case, compiled.many)
    return Verdict(status="differs", detail=text) if text else Verdict(status="agrees")


def complaint_about_many(case: Case, verdict: Verdict) -> str | None:
    """Return why the verdict is not what the case asks for: inputs need not go together."""
    diagnostics = verdict.refusal.diagnostics if verdict.refusal else ()
    alone = diagnostics and all(each.code == CODE for each in diagnostics)
    return None if alone else complaint_about_host(case, verdict)


def _difference(case: Case, many: Callable[[Sequence[Any]], Sequence[Any]]) -> str | None:
    expected = eager(case)
    good = [(i, e) for i, e in zip(case.inputs, expected, strict=True) if e.raised is None]
    text = _values_difference(case, many, good * _TIMES)
    if text is None and len(good) < len(expected):
        return _error_difference(case, many, expected)
    return text


def _values_difference(
    case: Case,
    many: Callable[[Sequence[Any]], Sequence[Any]],
    pairs: Sequence[tuple[Inputs, Outcome]],
) -> str | None:
    given = [to_numpy(copy.deepcopy(inputs), {}) for inputs, _ in pairs]
    found = call(lambda *inputs: many(inputs), tuple(given), case)
    if found.raised is not None:
        return f"raised {found.raised!r}"
    for number, (one, (_, expected)) in enumerate(zip(found.returned, pairs, strict=True)):
        actual = replace(expected, returned=one, inputs=found.inputs[number])
        text = outcome_difference(case, expected, actual, HOST_TOLERANCE)
        if text is not None:
            return f"input {number} of {len(pairs)}: {text}"
    return None


def _error_difference(
    case: Case, many: Callable[[Sequence[Any]], Sequence[Any]], expected: Sequence[Outcome]
) -> str | None:
    """Return what differs where some input raises: the first one's error is that of all."""
    given = tuple(to_numpy(copy.deepcopy(inputs), {}) for inputs in case.inputs)
    found = call(lambda *inputs: many(inputs), given, case)
    first = next(outcome for outcome in expected if outcome.raised is not None)
    return outcome_difference(case, replace(first, inputs=None), replace(found, inputs=None), 1e-5)
