"""Latency: interleaved turns, and a trace never without its error rate."""

import json
from typing import Any

import pytest
import torch

from dycl.benchmark import BenchmarkOptions, benchmark
from dycl.errors import UserError
from dycl.oracle import oracle_of
from tests.dycl.fake_host import FakeHost, Fragile, Gated, RaisingHost, both_ways

QUICK = BenchmarkOptions(rounds=2, calls=2)


def test_every_contender_is_measured_on_every_input() -> None:
    report = benchmark(Gated(), FakeHost(), both_ways(), options=QUICK)
    assert report.contenders == ("eager", "host", "trace")
    assert len(report.inputs) == 3
    for entry in report.inputs:
        for latency in entry.values():
            assert 0 < latency.lower_quartile <= latency.median <= latency.upper_quartile
    assert report.ratio("host") == pytest.approx(1)
    assert report.ratio("eager") > 0


def test_trace_is_labelled_with_how_often_it_is_wrong() -> None:
    report = benchmark(Gated(), FakeHost(), both_ways(), options=QUICK)
    assert report.label("trace") == "trace (wrong for 33%)"
    assert json.loads(report.to_json())["trace_wrong_rate"] == pytest.approx(1 / 3)


def test_without_a_trace() -> None:
    report = benchmark(Gated(), FakeHost(), both_ways(), options=QUICK, against=())
    assert report.contenders == ("eager", "host")
    assert report.trace_wrong_rate is None


def test_trace_failure_is_reported() -> None:
    def number(x: int) -> int:
        return x

    class Echo(FakeHost):
        def __call__(self, *args: Any, **kwargs: Any) -> object:
            return args[0]

    report = benchmark(number, Echo(), [(3,)], options=QUICK)
    assert report.contenders == ("eager", "host")
    assert report.failures == {"trace": "there is no tensor among the arguments"}


def test_one_call_per_contender_has_no_spread() -> None:
    options = BenchmarkOptions(rounds=1, calls=1)
    report = benchmark(Gated(), FakeHost(), [torch.ones(2)], options=options)
    latency = report.inputs[0]["host"]
    assert latency.median == latency.lower_quartile == latency.upper_quartile


def test_inputs_on_which_the_model_raises_are_left_out() -> None:
    report = benchmark(Fragile(), RaisingHost(None), both_ways(), options=QUICK)
    assert len(report.inputs) == 2
    assert report.raising == 1
    with pytest.raises(UserError, match="raises on every input"):
        benchmark(Fragile(), RaisingHost(None), both_ways()[1:2], options=QUICK)


def test_no_inputs_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one input"):
        benchmark(Gated(), FakeHost(), [])


def test_oracle_computes_results_and_what_decisions_were_read_from() -> None:
    def read(x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0 and x.amax().item() < 3:
            return x * 2
        return -x

    results = [oracle_of(read, (torch.tensor(values),))() for values in ([1.0, 2.0], [-1.0, 0.0])]
    assert [[each.tolist() for each in result] for result in results] == [  # type: ignore[attr-defined]
        [[2, 4], True, 2],
        [[1, 0], False],
    ]


def test_all_contenders_are_measured_beside_each_other() -> None:
    report = benchmark(
        Gated(), FakeHost(), both_ways(), options=QUICK, against=("torch.compile", "oracle")
    )
    assert report.contenders == ("eager", "host", "torch.compile", "oracle")
    assert not report.failures
    assert set(json.loads(report.to_json())["ratio_to_host"]) == set(report.contenders)


def test_oracle_failure_is_reported() -> None:
    def singular(x: torch.Tensor) -> torch.Tensor:
        values: torch.Tensor = torch.linalg.svdvals(x)
        return values

    class Echo(FakeHost):
        def __call__(self, *args: Any, **kwargs: Any) -> object:
            return args[0]

    report = benchmark(singular, Echo(), [torch.eye(2)], options=QUICK, against=("oracle",))
    assert report.contenders == ("eager", "host")
    assert "svd" in report.failures["oracle"]
