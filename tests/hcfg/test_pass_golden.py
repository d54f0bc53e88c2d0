"""Every pass on small programs: same results as before it, and the text of what it did.

A case is a folder ``golden/<pass>/<case>`` with ``program.py`` (``draft()`` and
``arguments()``, calls that together reach every node), ``before.txt`` and ``after.txt``.
"""

import importlib
from pathlib import Path
from types import ModuleType

import pytest
import torch

from hcfg.dump import dump
from hcfg.graph import Hcfg
from hcfg.interpret import Interpreter
from hcfg.passes import PASSES
from hcfg.report import Report
from hcfg.verify import verify
from tests.golden import check_golden
from tests.hcfg.outcomes import outcome

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.parent for path in GOLDEN.glob("*/*/program.py"))
PASS_OF = {each.name.replace("-", "_"): each for each in PASSES}


def program_of(case: Path) -> ModuleType:
    return importlib.import_module(f"tests.hcfg.golden.{case.parent.name}.{case.name}.program")


def text_of(graph: Hcfg, report: Report) -> str:
    lines = [f"{change.node}: {change.what}" for change in report.changes]
    if report.sharing is not None:
        lines += [f"one artifact: {', '.join(group)}" for group in report.sharing.artifacts]
    return dump(graph) + "".join(f"# {line}\n" for line in lines)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_pass_keeps_results_and_gives_the_golden_graph(case: Path, update_golden: bool) -> None:
    program = program_of(case)
    before = program.draft().graph()
    report = Report()
    after = PASS_OF[case.parent.name].run(before, report)
    verify(after)
    interpreters = Interpreter(graph=before), Interpreter(graph=after)
    visited: set[str] = set()
    for arguments in program.arguments():
        expected, found = (outcome(each, arguments) for each in interpreters)
        assert found.text == expected.text
        visited.update(expected.path)
    unreached: set[str] = getattr(program, "UNREACHED", set())
    assert visited | unreached == set(before.nodes), "arguments() must reach every node"
    check_golden(case / "before.txt", dump(before), update_golden)
    check_golden(case / "after.txt", text_of(after, report), update_golden)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_pass_has_nothing_more_to_do_when_run_again(case: Path) -> None:
    each = PASS_OF[case.parent.name]
    once = each.run(program_of(case).draft().graph(), Report())
    assert each.run(once, Report()) is once


@pytest.fixture(autouse=True)
def same_weights() -> None:
    torch.manual_seed(0)
