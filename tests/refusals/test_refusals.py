"""Each diagnostic code has a program that shows it, and its text is pinned."""

from pathlib import Path

import pytest

from tests.golden import check_golden
from tests.refusals.harness import Case, all_cases, refusal, rendered

GOLDEN = Path(__file__).parent / "golden"
CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_refusal(case: Case, tmp_path: Path, update_golden: bool) -> None:
    """The program is refused with this code alone, in these words."""
    error = refusal(
        case.target(),
        case.inputs,
        tmp_path,
        case.options,
        as_file=case.as_file,
        **case.arguments,
    )
    assert {diagnostic.code for diagnostic in error.diagnostics} == {case.code}, error
    check_golden(GOLDEN / f"{case.code}.txt", rendered(error), update_golden)


def test_every_golden_text_has_a_program() -> None:
    """No text is left of a program that is gone."""
    assert sorted(path.stem for path in GOLDEN.iterdir()) == [case.code for case in CASES]
