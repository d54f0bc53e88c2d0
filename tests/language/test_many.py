"""Some of the corpus for many inputs together: ``python -m tests.language.run --many`` runs all."""

from pathlib import Path

import pytest

from tests.language.harness import Case, all_cases
from tests.language.many import complaint_about_many, judge_many

FAST = (
    "early_exits.", "growing_hypotheses.PrefixesAsKeys", "host_decoders.BeamOfTuples",
    "recursion_in_batches.Binary", "recursion_in_batches.Raising", "recursion_in_batches.Telling",
    "trees.ChildSum", "trees.StatesInTheTree", "worklists.widths",
)  # fmt: skip
SLOW = ("caught_errors.", "host_decoders.", "recursion_in_batches.", "trees.", "worklists.")


def _parameter(case: Case) -> object:
    marks = [] if case.name.startswith(FAST) else [pytest.mark.slow]
    return pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize(
    "case",
    [_parameter(case) for case in all_cases() if case.host and case.name.startswith(FAST + SLOW)],
)
def test_many(case: Case, tmp_path: Path) -> None:
    assert complaint_about_many(case, judge_many(case, tmp_path)) is None
