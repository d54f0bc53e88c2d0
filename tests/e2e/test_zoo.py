"""Every model of the zoo compiles into a host that does what the model does."""

import pytest

from tests.e2e.compiled_zoo import ENTRIES, CompiledZoo
from zoo.catalog import Family

TRAINED = [name for name, entry in ENTRIES.items() if entry.trained]
"""Small enough for every test run."""

LONG = ["MSDNet, budgeted", "SkipNet-38, recurrent gates", "Feature boosting, pruned"]
"""Trained, and among those that take longest to compile; others are like them."""

SEEDED = [name for name in ENTRIES if name not in TRAINED]

STRAIGHT = ["ConvNet-AIG-38", "Feature boosting, pruned", "Channel gating"]
"""Gates that multiply by 0 or 1, or choose filters: no input leaves the straight line."""

BRANCHING = [name for name in ENTRIES if name not in STRAIGHT]

GATED = [name for name in BRANCHING if ENTRIES[name].family is Family.SKIPPING]
"""One branch for each gate or policy action; the others have exits."""

EXITING = [name for name in BRANCHING if ENTRIES[name].family is Family.EARLY_EXIT]


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in TRAINED if name not in LONG),
        *(pytest.param(name, marks=pytest.mark.slow) for name in (*SEEDED, *LONG)),
    ],
)
def test_host_agrees_with_eager(name: str, zoo: CompiledZoo) -> None:
    report = zoo.verify(name, 8)
    assert report.passed, report.host.samples
    assert (report.coverage.distinct_paths > 1) == (name in BRANCHING)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_host_agrees_on_a_hundred_inputs(name: str, zoo: CompiledZoo) -> None:
    report = zoo.verify(name, 100)
    assert report.inconsistent_rate == 0
    assert report.passed, [sample for sample in report.host.samples if not sample.passed]


@pytest.mark.slow
@pytest.mark.parametrize("name", GATED)
def test_a_hundred_inputs_take_every_gate_both_ways(name: str, zoo: CompiledZoo) -> None:
    coverage = zoo.verify(name, 100).coverage
    assert [branch.node for branch in coverage.one_sided_branches] == []
    assert coverage.unused_subdnns == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXITING)
def test_a_hundred_inputs_leave_at_the_exits(name: str, zoo: CompiledZoo) -> None:
    coverage = zoo.verify(name, 100).coverage
    exits = [b for b in coverage.branches if "threshold" in b.label or "criterion" in b.label]
    assert exits
    assert all(branch.taken_true for branch in exits if branch.taken_false)
    assert coverage.unused_subdnns == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", BRANCHING)
def test_tracing_freezes_a_path(name: str, zoo: CompiledZoo) -> None:
    baseline = zoo.verify(name, 30, baseline="trace").baseline
    assert baseline is not None
    assert baseline.correctness is not None, baseline.failure
    assert not baseline.correctness.passed


def test_margins_reach_into_tensor_code(zoo: CompiledZoo) -> None:
    report = zoo.verify("SkipNet-38", 8)
    assert report.margins_inside
    margins = [branch.smallest_margin for branch in report.coverage.branches]
    # each gate compares a probability with a half, inside a sub-DNN
    assert all(margin is not None and 0 < margin < 0.5 for margin in margins)
