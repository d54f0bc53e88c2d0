"""Margins of tests inside tensor code: found where an answer can be followed, else unknown."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import dycl
from dycl.verification.host_graph import graph_of_host
from dycl.verification.margins import margins_along, with_margins
from dycl.verification.observation import Step
from dycl.verification.verifying import verify
from tests.dycl.fake_host import FakeHost

X = torch.tensor([[0.75, -2.0]])


def compared_in_tensor_code(x: Tensor) -> Tensor:
    if (x[0, 0] > 0.5).item():
        return x + 1
    return x


def negated(x: Tensor) -> Tensor:
    if not (x[0, 0] < 0.5):
        return x + 1
    return x


def answer_as_float_in_another_shape(x: Tensor) -> Tensor:
    mask = (x > 0.5).float().view(2, 1)
    if mask[0].squeeze().item() > 0:
        return x + 1
    return x


def answer_compared_again(x: Tensor) -> Tensor:
    policy = (x > 0.5).float()
    if policy[0, 0] == 1:
        return x + 1
    return x


def answer_kept_on_the_host(x: Tensor) -> Tensor:
    above = bool(x[0, 0] > 0.5)
    y = x * 2
    if above:
        return y + 1
    return y


def answer_from_before_a_branch(x: Tensor) -> Tensor:
    mask = x > 0.5
    if x.sum().item() > 0:
        x = x + 1
    if mask[0, 0]:
        return x + 2
    return x


@pytest.mark.parametrize(
    "program",
    [
        compared_in_tensor_code,
        negated,
        answer_as_float_in_another_shape,
        answer_compared_again,
        answer_kept_on_the_host,
        answer_from_before_a_branch,
    ],
)
def test_margin_is_how_far_the_compared_numbers_are_apart(program: Callable[..., Any]) -> None:
    steps = margins_along(dycl.api.build_graph(program, (X,)), (X,), {})
    assert steps[-1].margin == pytest.approx(0.25)


def test_margin_of_two_tensors() -> None:
    def program(x: Tensor, y: Tensor) -> Tensor:
        return x if (x.sum() >= y.sum()).item() else y

    y = torch.tensor([[1.0, 1.0]])
    (step,) = margins_along(dycl.api.build_graph(program, (X, y)), (X, y), {})
    assert not step.outcome
    assert step.margin == pytest.approx(3.25)


def whole_numbers(x: Tensor) -> Tensor:
    if (x.argmax() == 0).item():
        return x + 1
    return x


def answers_counted(x: Tensor) -> Tensor:
    if ((x > 0.5).sum() == 1).item():
        return x + 1
    return x


def answer_overwritten(x: Tensor) -> Tensor:
    mask = (x > 0.5).float()
    mask.fill_(1)
    if mask[0, 0].item() > 0:
        return x + 1
    return x


def infinite(x: Tensor) -> Tensor:
    if (x[0, 0] / 0 > 0.5).item():
        return x + 1
    return x


@pytest.mark.parametrize("program", [whole_numbers, answers_counted, answer_overwritten, infinite])
def test_no_margin_is_made_up(program: Callable[..., Any]) -> None:
    (step,) = margins_along(dycl.api.build_graph(program, (X,)), (X,), {})
    assert (step.outcome, step.margin) == (True, None)


def test_an_exception_of_the_program_ends_the_way() -> None:
    def program(x: Tensor) -> Tensor:
        if (x[0, 0] > 0.5).item():
            raise ValueError("above")
        return x

    (step,) = margins_along(dycl.api.build_graph(program, (X,)), (X,), {})
    assert step.margin == pytest.approx(0.25)


def step(node: str, outcome: bool, margin: float | None) -> Step:
    return Step(node=node, outcome=outcome, margin=margin)


def test_ways_are_compared_up_to_the_step_that_goes_elsewhere() -> None:
    host = [step("a", True, None), step("b", True, None), step("c", True, 1.0)]
    eager = [step("a", True, 0.5), step("b", False, 1e-9), step("c", True, 0.25)]
    assert with_margins(host, eager) == [
        step("a", True, 0.5),
        step("b", True, 1e-9),
        step("c", True, 1.0),
    ]


def test_margin_of_the_host_stays_where_the_graph_knows_none() -> None:
    assert with_margins([step("a", True, 0.1)], [step("a", True, None)]) == [step("a", True, 0.1)]


def test_graph_of_another_package_is_not_taken() -> None:
    assert graph_of_host(compared_in_tensor_code, FakeHost(), "forward", (X,), None) is None


def test_margins_inside_are_left_out_where_nobody_wants_them(tmp_path: Path) -> None:
    host = dycl.compile(compared_in_tensor_code, (X,), output=tmp_path / "host")
    found = verify(compared_in_tensor_code, host, [(X,)])
    assert (found.margins_inside, found.host.samples[0].closest_margin) == (True, 0.25)
    found = verify(compared_in_tensor_code, host, [(X,)], margins_inside=False)
    assert (found.margins_inside, found.host.samples[0].closest_margin) == (False, None)
    assert found.passed
