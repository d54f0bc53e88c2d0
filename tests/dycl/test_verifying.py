"""Verification tells a faithful host from one that differs in any respect."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console
from torch import Tensor, nn

from dycl.errors import UserError
from dycl.verification import VerificationReport, verify
from dycl.verification.rendering import render_report
from dycl.verification.verifying import entry_point
from tests.dycl.fake_host import FakeHost, Fragile, Gated, RaisingHost, both_ways


def rendered(report: VerificationReport) -> str:
    console = Console(width=200, file=StringIO())
    with console.capture() as capture:
        console.print(render_report(report))
    return capture.get()


def test_faithful_host_passes() -> None:
    report = verify(Gated(), FakeHost(), both_ways())
    assert report.passed
    assert report.inconsistent_rate == 0
    assert report.host.log_error == -10
    assert report.host.error_distribution["1e-10"] == 1
    assert "the host does what the original does on 3 inputs" in rendered(report)


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda v, f: (v[::-1].copy(), f), "the decision differs"),
        (lambda v, f: (v, 1 - f), "output[1]: 1 became 0"),
        (lambda v, f: (v.astype(np.float64), f), "element type float32 became float64"),
        (lambda v, f: (v[None], f), "shape (2,) became (1, 2)"),
        (lambda v, f: [v, f], "a tuple became a list"),
        (lambda v, f: (v,), "2 items became 1"),
        (lambda v, f: (v, bool(f)), "a int became a bool"),
        (lambda v, f: (v, np.int64(f)), "a int became a int64"),
        (lambda v, f: (v * np.float32("nan"), f), "nan or inf on one side"),
        (lambda v, f: (v + np.float32(0.01), f), "floats differ by 1.00e-02"),
    ],
)
def test_each_difference_is_reported(spoil: Callable[[Any, int], object], expected: str) -> None:
    report = verify(Gated(), FakeHost(spoil), both_ways())
    assert not report.passed
    assert expected in rendered(report)


def test_floats_within_tolerance_pass_and_are_measured() -> None:
    report = verify(Gated(), FakeHost(lambda v, f: (v + np.float32(1e-5), f)), both_ways())
    assert report.passed
    assert 0.9e-5 < report.host.max_absolute < 1.2e-5
    assert -5.1 < report.host.log_error < -4.9
    assert report.host.error_distribution["1e-6"] == 0
    assert report.host.error_distribution["1e-4"] == 1


def test_paths_and_margins_are_counted() -> None:
    coverage = verify(Gated(), FakeHost(), both_ways()).coverage
    (branch,) = coverage.branches
    assert (branch.taken_true, branch.taken_false) == (2, 1)
    assert branch.smallest_margin == 3.0
    assert [subdnn.runs for subdnn in coverage.subdnns] == [2, 1]
    assert coverage.distinct_paths == 2


def test_outcomes_and_subdnns_that_never_occur_are_listed() -> None:
    report = verify(Gated(), FakeHost(), both_ways()[:1])
    assert report.passed
    assert report.coverage.one_sided_branches
    text = rendered(report)
    assert "1 outcome not covered: gated.py:8  x.sum() > 0 was never false" in text
    assert "1 sub-DNN never run: s1 (gated.py:10)" in text


def test_same_error_on_both_sides_is_consistent() -> None:
    report = verify(Fragile(), RaisingHost(ValueError("negative")), both_ways())
    assert report.passed
    assert report.host.raised == 1


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (None, "only the original raised ValueError: negative"),
        (TypeError("negative"), "the original raised ValueError: negative, the host TypeError"),
        (ValueError("other"), "the host ValueError: other"),
    ],
)
def test_other_errors_are_differences(error: Exception | None, expected: str) -> None:
    report = verify(Fragile(), RaisingHost(error), both_ways())
    assert not report.passed
    assert expected in rendered(report)


def test_error_of_the_host_alone_is_inconsistent() -> None:
    class Adder(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + 1

    report = verify(Adder(), RaisingHost(ValueError("negative")), both_ways())
    assert report.host.inconsistent == 1
    assert "only the host raised ValueError" in rendered(report)


def test_writing_into_an_argument_is_compared() -> None:
    class Overwriter(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, int]:
            result = (x * 2, 1)
            x.zero_()
            return result

    report = verify(Overwriter(), FakeHost(), both_ways()[:1])
    assert "different contents in the arguments" in rendered(report)


def printing_host(text: str) -> FakeHost:
    def spoil(value: object, flag: int) -> object:
        print(text, end="")
        return value, flag

    return FakeHost(spoil)


def test_what_is_printed_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    class Telling(Gated):
        def forward(self, x: Tensor) -> tuple[Tensor, int]:
            print("mean", x.mean().item() / 3)
            return super().forward(x)

    inputs = both_ways()[:1]
    assert verify(Telling(), printing_host("mean 0.50000001\n"), inputs).passed
    report = verify(Telling(), printing_host("mean 0.6\n"), inputs)
    assert "printed 'mean 0.5\\n' became 'mean 0.6\\n'" in rendered(report)
    assert not verify(Telling(), FakeHost(), inputs).passed
    assert not verify(Gated(), printing_host("more"), inputs).passed
    assert capsys.readouterr().out == ""


class CodedError(Exception):
    """With an attribute."""

    def __init__(self, code: int) -> None:
        super().__init__("coded")
        self.code = code


def test_attributes_of_errors_are_compared() -> None:
    class Coded(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            if x.sum().item() < 0:
                raise CodedError(1)
            return x + 1

    assert verify(Coded(), RaisingHost(CodedError(1)), both_ways()).passed
    report = verify(Coded(), RaisingHost(CodedError(2)), both_ways())
    assert "attributes of CodedError: coded: output['code']: 1 became 2" in rendered(report)


def test_a_tensor_that_is_given_twice_is_one() -> None:
    class Writing(nn.Module):
        def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, int]:
            x += 1
            return y * 1, 1

    class Apart(FakeHost):
        def __call__(self, *args: Any, **kwargs: Any) -> object:
            x, y = args
            before = y.copy()
            x += 1
            return before, 1

    one = torch.ones(2)
    assert not verify(Writing(), Apart(), [(one, one)]).passed
    assert verify(Writing(), Apart(), [(one, one.clone())]).passed


def test_decide_gets_the_originals_types_on_both_sides() -> None:
    seen = []

    def decide(outputs: Any) -> object:
        seen.append(type(outputs[0]))
        return torch.argmax(outputs[0])

    report = verify(Gated(), FakeHost(), both_ways(), decide=decide)
    assert report.passed
    assert set(seen) == {torch.Tensor}


def test_decide_that_ignores_a_difference_keeps_the_rate_at_zero() -> None:
    host = FakeHost(lambda v, f: (v[::-1].copy(), f))
    report = verify(Gated(), host, both_ways(), decide=lambda outputs: outputs[1])
    assert report.inconsistent_rate == 0
    assert not report.passed


def test_failing_decide_is_the_users_error() -> None:
    with pytest.raises(UserError, match=r"decide\(outputs\) fails"):
        verify(Gated(), FakeHost(), both_ways(), decide=lambda outputs: outputs["logits"])


def test_trace_baseline_shows_the_frozen_path() -> None:
    report = verify(Gated(), FakeHost(), both_ways(), baseline="trace")
    assert report.passed
    assert report.baseline is not None
    assert report.baseline.correctness is not None
    # traced on the first input: right for the two positive ones
    assert report.baseline.correctness.inconsistent == 1
    assert "33.3% (1)" in rendered(report)


def test_trace_that_fails_is_told() -> None:
    def constant(flag: int) -> int:
        return flag

    class Constant(FakeHost):
        def __call__(self, *args: Any, **kwargs: Any) -> object:
            return args[0]

    report = verify(constant, Constant(), [(3,)], baseline="trace")
    assert report.passed
    assert "torch.jit.trace fails: there is no tensor among the arguments" in rendered(report)


def test_json_is_complete_and_deterministic() -> None:
    host = FakeHost(lambda v, f: (v * np.float32("inf"), f))
    first, second = (verify(Gated(), host, both_ways(), baseline="trace") for _ in range(2))
    assert first.to_json() == second.to_json()
    content = json.loads(first.to_json())
    assert content["passed"] is False
    assert len(content["host"]["samples"]) == 3
    assert content["coverage"]["branches"][0]["taken_true"] == 2
    assert content["baseline"]["correctness"]["inconsistent"] == 1


def test_no_inputs_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one input"):
        verify(Gated(), FakeHost(), [])


def test_progress_counts_inputs() -> None:
    calls: list[tuple[int, int]] = []
    verify(Gated(), FakeHost(), both_ways(), progress=lambda *c: calls.append(c))
    assert calls == [(1, 3), (2, 3), (3, 3)]


class _Scaling:
    """An object that is no module: called, and with a method of its own."""

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def halved(self, x: torch.Tensor) -> torch.Tensor:
        return x / 2


@pytest.mark.parametrize(("method", "expected"), [("halved", 2.0), ("forward", 8.0)])
def test_of_an_object_what_is_named_is_called_or_else_the_object(
    method: str, expected: float
) -> None:
    called: Any = entry_point(_Scaling(), method)
    assert called(torch.tensor([4.0])).item() == expected


def test_a_method_that_is_the_target_is_called() -> None:
    called: Any = entry_point(_Scaling().halved, "forward")
    assert called(torch.tensor([4.0])).item() == 2.0
