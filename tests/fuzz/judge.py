"""Runs a program's file in eager, rewritten, and as a host package, and says what came of it."""

import copy
import importlib.util
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import torch
from torch import nn

from tests.language.arrays import to_numpy
from tests.language.calling import Outcome
from tests.language.compare import difference
from tests.language.harness import Case
from tests.language.verdicts import Verdict
from tests.language.ways import eager, judge_host, judge_rewritten

Way = Literal["rewritten", "host"]
WAYS: dict[Way, Callable[[Case, Path], Verdict]] = {
    "rewritten": lambda case, _: judge_rewritten(case),
    "host": lambda case, directory: judge_host(case, directory),
}
NUDGE = 1e-5
"""Relative change of the inputs that must not change a path, else a difference says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What came of one program, run one way."""

    name: str
    way: Way
    status: Literal["agrees", "refused", "differs", "crashed", "near a tie"]
    detail: str = ""
    code: str = ""
    """The first diagnostic's code, of a refusal."""
    trace: str = ""

    @property
    def failed(self) -> bool:
        """Whether dycl is wrong here."""
        return self.status in ("differs", "crashed")

    @property
    def signature(self) -> str:
        """What two failures with one cause are likely to share."""
        if self.status == "crashed":
            return f"{self.way} {self.detail.rpartition(' (')[2]} {self.detail.partition(':')[0]}"
        text = re.sub(r"^input \d+: ", "", self.detail)
        for pattern in SORTS_OF_DIFFERENCE:
            found = re.search(pattern, text)
            if found:
                return f"{self.way} {found[0]}"
        return f"{self.way} value"


SORTS_OF_DIFFERENCE = (
    r"rewriting changed the original", r"^raised \w+", r"eager raised \w+", r"this \w+",
    r"^printed", r"inputs after the call", r"shape", r"items became", r"keys", r"torch\.\w+ became",
)  # fmt: skip


def judge(source: str, way: Way, name: str) -> Judgement:
    """Write a program to a file, run it one way, compare with eager."""
    with tempfile.TemporaryDirectory() as directory, loaded(source, name, Path(directory)) as case:
        verdict = WAYS[way](_with_comparable_texts(case), Path(directory))
        if way == "host" and verdict.status == "differs" and near_a_tie(case):
            return Judgement(name=name, way=way, status="near a tie", detail=verdict.detail)
    code = ""
    if verdict.refusal is not None:
        code = verdict.refusal.diagnostics[0].code
    return Judgement(
        name=name, way=way, status=verdict.status, detail=verdict.detail, code=code,
        trace=verdict.trace,
    )  # fmt: skip


def raised_in_eager(source: str, name: str) -> set[str]:
    """Return the types of the exceptions that a program raises in eager."""
    with tempfile.TemporaryDirectory() as directory, loaded(source, name, Path(directory)) as case:
        return {type(o.raised).__name__ for o in eager(case) if o.raised is not None}


@contextmanager
def loaded(source: str, name: str, directory: Path) -> Iterator[Case]:
    """Import a program from a file, where ``inspect`` finds its source, as a case."""
    path = directory / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
        yield _case(module, name)
    finally:
        del sys.modules[name]


def _case(module: ModuleType, name: str) -> Case:
    target = module.TARGET

    def build() -> Any:
        torch.manual_seed(0)
        if not isinstance(target, type):
            return target
        model = target().eval()
        assert isinstance(model, nn.Module)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_((parameter * 8).round() / 8)  # sums of such are exact
        return model

    return Case(
        name=name, rule="", declared=target, build=build, inputs=tuple(module.INPUTS),
        method="forward", refused=False, refused_on_host=False,
        may_refuse=True, messages=True, host=True,
        dynamic_shapes=None, options={},
    )  # fmt: skip


def _with_comparable_texts(case: Case) -> Case:
    """Return a case whose exceptions are compared by type only where PyTorch words them."""
    worded = any(isinstance(o.raised, IndexError | RuntimeError) for o in eager(case))
    return replace(case, messages=not worded)


def near_a_tie(case: Case) -> bool:
    """Return whether eager itself takes another path on inputs that differ by rounding."""
    plain = eager(case)
    for factor in (1 + NUDGE, 1 - NUDGE):
        nudged = replace(case, inputs=tuple(_nudged(row, factor) for row in case.inputs))
        for one, two in zip(plain, eager(nudged), strict=True):
            if _another_path(one, two):
                return True
    return False


def _nudged(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_nudged(item, factor) for item in value)
    if isinstance(value, torch.Tensor):
        return value * factor if value.is_floating_point() else value
    return value * factor if type(value) is float else copy.copy(value)


def _another_path(one: Outcome, two: Outcome) -> bool:
    if type(one.raised) is not type(two.raised) or one.printed != two.printed:
        return True
    return difference(one.returned, to_numpy(two.returned, {}), 1e-2) is not None
