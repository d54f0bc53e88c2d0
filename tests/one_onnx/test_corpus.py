"""Programs of the language's corpus as one file, and as packages with regions in artifacts.

``python -m tests.one_onnx.judging`` runs all as files, with ``--mixed`` as packages.
"""

import json
from pathlib import Path

import pytest

from tests.language.harness import Case, all_cases
from tests.language.ways import complaint_about_host
from tests.one_onnx.judging import judge_mixed, judge_one_onnx

TOPICS = ("branches", "early_exits", "loops_unknown", "ternaries_and_boolops")
NUMBERS = {
    "numbers_in_operations.filled_beyond_the_elements",
    "numbers_in_operations.halves_beyond_the_elements",
}
"""Numbers that an operator of the graph looks after: they must not be refused."""

CASES = [
    case for case in all_cases() if case.host and (case.topic in TOPICS or case.name in NUMBERS)
]

MIXED = {
    "exceptions.leaves_the_program", "kept_state.RaisesAfterCounting",
    "recursion_effects.callback_with_a_memory",
    "persistent_state.HistoryList", "specialised_recursion.sometimes_none",
    "changed_arguments_in_recursion.raised_below", "complex_rotations.KeptCache",
    "user_exceptions.Attributes",
}  # fmt: skip
"""Programs that need Python, with regions that do not."""

TENSOR_ONLY = {
    "branches.TwoArms", "branches.nested", "branches.break_in_unrolled_loop",
    "branches.break_inside_nested_loops", "branches.elif_chain", "branches.falls_off_the_end",
    "branches.different_dtypes_from_arms", "early_exits.Entropy",
    "branches.early_return", "branches.EarlyExits",
    "branches.LayerChosenByArm", "early_exits.Patience", "early_exits.ExceptionExit",
    "early_exits.BudgetedExit", "loops_unknown.while_tensor_test",
    "loops_unknown.growing_tensor", "loops_unknown.shrinking_tensor",
    "loops_unknown.long_bounded_loop", "loops_unknown.fixed_point_iteration",
    "loops_unknown.while_else_unknown", "loops_unknown.loop_in_an_arm",
}  # fmt: skip
"""Programs without anything that needs Python: they must not be refused."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_or_is_refused(case: Case, tmp_path: Path) -> None:
    """The file does what the original does, on every input; or the program is refused."""
    verdict = judge_one_onnx(case, tmp_path / "one")
    wanted = ("agrees",) if case.name in TENSOR_ONLY | NUMBERS else ("agrees", "refused")
    assert verdict.status in wanted, f"{verdict.detail}\n{verdict.trace}"


@pytest.mark.parametrize(
    "case", [case for case in all_cases() if case.name in MIXED], ids=lambda case: case.name
)
def test_mixed_packages_agree(case: Case, tmp_path: Path) -> None:
    """A package with regions does what the original does, on every input."""
    verdict = judge_mixed(case, tmp_path)
    assert complaint_about_host(case, verdict) is None, f"{verdict.detail}\n{verdict.trace}"
    (manifest,) = tmp_path.rglob("manifest.json")
    subdnns = json.loads(manifest.read_text())["subdnns"]
    assert any("decisions" in entry for entry in subdnns)


def test_names_of_programs() -> None:
    """The programs that must not be refused exist."""
    assert {case.name for case in CASES} >= TENSOR_ONLY
    assert {case.name for case in all_cases()} >= MIXED
