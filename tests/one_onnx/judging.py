"""The corpus of the language as ONNX files, one per program or one per region: equal to eager."""

import argparse
import collections
import copy
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from rewriter.diagnostics import CompileError
from tests.language.arrays import to_numpy
from tests.language.calling import call, entry, time_limit
from tests.language.compare import difference
from tests.language.harness import Case, all_cases
from tests.language.verdicts import Verdict
from tests.language.ways import HOST_TOLERANCE, arguments_of, eager, judge_host
from tests.one_onnx.plain_runtime import OneFile


def judge_one_onnx(case: Case, directory: Path) -> Verdict:
    """Compile a case to one file and run it by ONNX Runtime alone."""
    import dycl

    try:
        with time_limit(120), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            example = copy.deepcopy(case.inputs[0])
            dycl.emit_onnx(case.build(), example, output=directory, **arguments_of(case))
    except CompileError as error:
        first = error.diagnostics[0]
        return Verdict(status="refused", detail=f"{first.code} {first.message}", refusal=error)
    except Exception as error:
        trace = "".join(traceback.format_exception(error))
        return Verdict(status="crashed", detail=repr(error), trace=trace)
    text = _first_difference(case, directory)
    return Verdict(status="differs", detail=text) if text else Verdict(status="agrees")


def judge_mixed(case: Case, directory: Path) -> Verdict:
    """Compile a case to a package with its decisions in artifacts, as far as they can be."""
    return judge_host(replace(case, options={**case.options, "host_mode": "ifs"}), directory)


def _first_difference(case: Case, directory: Path) -> str | None:
    candidate = OneFile(directory, _signed(case))
    for number, (inputs, expected) in enumerate(zip(case.inputs, eager(case), strict=True)):
        given: Any = to_numpy(copy.deepcopy(inputs), {})
        before = copy.deepcopy(given)
        actual = call(candidate, given, case)
        if expected.raised is not None:
            text = None if actual.raised is not None else f"eager raised {expected.raised!r}"
        elif actual.raised is not None:
            text = f"raised {actual.raised!r}"
        elif expected.printed or expected.warned:
            text = "it prints or warns"
        else:
            text = difference(expected.returned, actual.returned, HOST_TOLERANCE)
            text = text or difference(expected.inputs, before, HOST_TOLERANCE, "inputs")
        if text is not None:
            return f"input {number}: {text}"
    return None


def _signed(case: Case) -> Any:
    """Return what has the signature of a call."""
    target = entry(case, case.build())
    return target.forward if isinstance(target, torch.nn.Module) else target


def main() -> int:
    """Judge the cases whose names contain one of the words given, all without words."""
    parser = argparse.ArgumentParser(prog="python -m tests.one_onnx.judging", description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--mixed", action="store_true", help="as packages with host_mode=ifs")
    given = parser.parse_args()
    totals: collections.Counter[str] = collections.Counter()
    for case, verdict in _verdicts(given.words, judge_mixed if given.mixed else judge_one_onnx):
        totals[verdict.status] += 1
        print(f"{case.name:50} {verdict.status:8} {verdict.detail[:110]}", flush=True)
    print(dict(totals))
    return 1 if totals["differs"] or totals["crashed"] else 0


def _verdicts(
    words: list[str], judge: Callable[[Case, Path], Verdict]
) -> Iterator[tuple[Case, Verdict]]:
    torch.set_num_threads(1)
    for case in all_cases():
        if case.host and (not words or any(word in case.name for word in words)):
            with tempfile.TemporaryDirectory() as directory:
                yield case, judge(case, Path(directory) / "one")


if __name__ == "__main__":
    sys.exit(main())
