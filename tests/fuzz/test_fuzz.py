"""Random programs agree with eager PyTorch or are refused; the fuzzer itself finds and shrinks."""

import ast
import collections
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import dycl
from tests.fuzz.judge import judge, loaded, near_a_tie, raised_in_eager
from tests.fuzz.program import write_program
from tests.fuzz.shrinking import shrunk
from tests.fuzz.workers import Task, judged, judged_here
from tests.language.ways import eager

SEED = 20
PARTS = 10
IN_PART = 25
HOSTS = 30
MOST_REFUSED = 0.5
"""More refusals than this would say that the programs show nothing."""


def _parts(count: int, quick: int) -> list[Any]:
    slow = [pytest.param(part, marks=pytest.mark.slow) for part in range(quick, count)]
    return [*range(quick), *slow]


@pytest.mark.parametrize("part", _parts(PARTS, quick=3))
def test_rewritten_programs_agree(part: int) -> None:
    """No random program differs from eager or crashes the rewriter."""
    numbers = range(part * IN_PART, (part + 1) * IN_PART)
    found = [judged_here(Task(SEED, number, "rewritten")) for number in numbers]
    assert [f"{j.name}: {j.status}: {j.detail}" for j in found if j.failed] == []
    assert sum(j.status == "refused" for j in found) <= MOST_REFUSED * IN_PART


@pytest.mark.parametrize("part", _parts(HOSTS // 5, quick=3))
def test_host_programs_agree(part: int) -> None:
    """No host package of a random program differs from eager."""
    numbers = range(part * 5, (part + 1) * 5)
    found = [judged_here(Task(SEED, number, "host")) for number in numbers]
    assert [f"{j.name}: {j.status}: {j.detail}" for j in found if j.failed] == []


def test_programs_are_dynamic_and_mostly_run() -> None:
    """Most inputs run without an exception, and most programs hold branches and loops."""
    syntax: collections.Counter[type] = collections.Counter()
    raised, runs = 0, 0
    for number in range(60):
        program = write_program(SEED, number)
        for node in ast.walk(ast.parse(program.source)):
            syntax[type(node)] += 1
        raised += len(raised_in_eager(program.source, program.name))
        runs += 6
    assert raised < 0.2 * runs
    for kind in (ast.If, ast.For, ast.While, ast.Try, ast.Break, ast.IfExp, ast.Lambda, ast.BoolOp):
        assert syntax[kind] >= 3, f"{kind.__name__} is hardly written"


def test_same_seed_same_program() -> None:
    assert write_program(1, 2) == write_program(1, 2)
    assert write_program(1, 2).source != write_program(1, 3).source
    assert write_program(1, 2).source != write_program(2, 2).source


PROGRAM = """
import torch
def program(x):
    y = x * 2
    if x.sum() > 0:
        y = y + 1
    z = [y, y]
    for i in range(2):
        z.append(y + i)
    return (z, y)
TARGET = program
INPUTS = [(torch.ones(2, 3),), (-torch.ones(2, 3),)]
"""


def test_difference_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that gets one statement wrong is found out, and the rest taken away."""
    compiled_wrong(monkeypatch, lambda inputs: inputs[0] * 2)
    assert judge(PROGRAM, "host", "wrong").status == "differs"

    def wrong(source: str) -> bool:
        whole = "TARGET = " in source and "INPUTS = " in source
        return whole and judge(source, "host", "wrong").status == "differs"

    small = shrunk(PROGRAM, lambda source: wrong(source) and "x.sum()" in source)
    assert "append" not in small and "x.sum()" in small
    assert len(small) < len(PROGRAM) / 2


def test_crash_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise KeyError("bug")

    monkeypatch.setitem(vars(dycl), "compile", crash)
    found = judge(PROGRAM, "host", "crash")
    assert (found.status, found.failed) == ("crashed", True)
    assert "KeyError" in found.signature


def test_refusal_is_counted_by_code() -> None:
    source = PROGRAM.replace("y = x * 2", "y = x * torch.rand(1)")
    found = judge(source, "rewritten", "refused")
    assert (found.status, found.code, found.failed) == ("refused", "DYCL033", False)


def test_path_that_hangs_on_rounding_is_told(tmp_path: Path) -> None:
    """Only a difference that no rounding explains counts."""
    tie = PROGRAM.replace("> 0", "> 6")
    with loaded(PROGRAM, "clear", tmp_path) as case:
        assert not near_a_tie(case)
    with loaded(tie, "tie", tmp_path) as case:
        assert near_a_tie(case)


def test_workers_survive_a_process_that_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    import tests.fuzz.workers as workers

    alive = workers.judged_here

    def die_at_one(task: Task) -> Any:
        if task.number == 1:
            os._exit(7)
        return alive(task)

    monkeypatch.setattr(workers, "judged_here", die_at_one)
    tasks = [Task(SEED, number, "rewritten") for number in range(3)]
    found = {task.number: judgement for task, judgement in judged(tasks, 1)}
    assert set(found) == {0, 1, 2}
    assert found[1].status == "crashed"
    assert not found[2].failed


def test_weights_are_exact(tmp_path: Path) -> None:
    """Weights are multiples of one eighth, so that host and eager sum them alike."""
    source = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
    def forward(self, x):
        return self.first.weight * 8
TARGET = Model
INPUTS = [(torch.ones(2, 3),)]
"""
    with loaded(source, "exact", tmp_path) as case:
        weight = eager(case)[0].returned
    assert torch.equal(weight, weight.round())


def compiled_wrong(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[tuple[Any, ...]], Any]
) -> None:
    monkeypatch.setitem(vars(dycl), "compile", lambda *_, **__: lambda *inputs: wrong(inputs))
