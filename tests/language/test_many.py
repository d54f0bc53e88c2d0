"""Some of the corpus for many inputs together: ``python -m tests.language.run --many`` runs all."""

from pathlib import Path

import pytest

from tests.language.harness import Case, all_cases
from tests.language.many import complaint_about_many, judge_many

NAMES = (
    "caught_errors.", "early_exits.", "growing_hypotheses.PrefixesAsKeys", "host_decoders.",
    "recursion_in_batches.", "trees.", "worklists.",
)  # fmt: skip
CASES = [case for case in all_cases() if case.host and case.name.startswith(NAMES)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_many(case: Case, tmp_path: Path) -> None:
    assert complaint_about_many(case, judge_many(case, tmp_path)) is None
