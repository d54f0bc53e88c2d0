"""Each program of the corpus agrees with eager PyTorch, rewritten and as a host package."""

from pathlib import Path
from typing import Any

import pytest

from tests.language.harness import Case, all_cases, topics
from tests.language.paths import unreached
from tests.language.ways import complaint, complaint_about_host, judge_both, judge_rewritten

CASES = all_cases()


def _parameter(case: Case) -> Any:
    return pytest.param(case, id=case.name, marks=(pytest.mark.slow,) if case.slow else ())


@pytest.mark.parametrize("topic", topics())
def test_inputs_take_every_path(topic: str) -> None:
    """Each line and each outcome of each test happens with some input."""
    own = [case for case in CASES if case.topic == topic]
    assert unreached(topic, own) == []


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.slow or not case.host], ids=lambda case: case.name
)
def test_rewritten(case: Case) -> None:
    """The rewritten program, run under torch, does exactly what the original does."""
    assert complaint(case, judge_rewritten(case)) is None


@pytest.mark.parametrize("case", [_parameter(each) for each in CASES if each.host])
def test_rewritten_and_host(case: Case, tmp_path: Path) -> None:
    """The rewritten program does exactly that, and the host package within the tolerance."""
    rewritten, host = judge_both(case, tmp_path)
    assert (complaint(case, rewritten), complaint_about_host(case, host)) == (None, None)
