"""Example and sample inputs of FILE, and what is said when they are wrong."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from dycl.errors import UserError
from dycl.target import Target
from dycl.user_inputs import check_eager, clone_inputs, example_inputs, sample_inputs
from dycl.varying_inputs import draw_varying


class Net(nn.Module):
    """Takes rows of three."""

    def forward(self, x: Tensor) -> Tensor:
        return x @ torch.ones(3, 1)


def target(**functions: object) -> Target:
    module = ModuleType("net")
    for name, value in functions.items():
        setattr(module, name, value)
    return Target(file=Path("net.py"), module=module, name="Net", model=Net(), method="forward")


def test_example_inputs_of_the_file() -> None:
    found = example_inputs(target(example_inputs=lambda: (torch.ones(2, 3),)), ())
    assert isinstance(found.inputs, tuple)
    assert found.dynamic_shapes is None


def test_one_tensor_is_one_argument() -> None:
    found = example_inputs(target(example_inputs=lambda: torch.ones(2, 3)), ())
    assert isinstance(found.inputs, tuple)
    assert len(found.inputs) == 1


def test_dict_is_by_name() -> None:
    found = example_inputs(target(example_inputs=lambda: {"x": torch.ones(2, 3)}), ())
    assert isinstance(found.inputs, dict)


def test_specs_go_before_the_file() -> None:
    given = target(example_inputs=lambda: (torch.ones(2, 3),))
    found = example_inputs(given, ["x=f32[batch<=8,3]"])
    assert isinstance(found.inputs, dict)
    assert found.dynamic_shapes is not None


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        ({}, "no example inputs: net.py has no example_inputs() and no --input is given"),
        ({"example_inputs": lambda: 1 / 0}, "ZeroDivisionError"),
        ({"example_inputs": lambda: None}, "returned a NoneType; expected a tuple"),
        ({"example_inputs": lambda: {1: torch.ones(1)}}, "returned a dict; expected a tuple"),
    ],
)
def test_wrong_example_inputs(functions: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        example_inputs(target(**functions), ())
    assert expected in caught.value.render()


def test_eager_error_is_the_users_own() -> None:
    with pytest.raises(UserError) as caught:
        check_eager(target(), (torch.ones(2, 4),))
    text = caught.value.render()
    assert "net.py:Net fails on the example inputs in plain PyTorch" in text
    assert "return x @ torch.ones(3, 1)" in text
    assert "RuntimeError" in text
    assert "_call_impl" not in text


def test_eager_run_leaves_the_inputs_alone() -> None:
    given = target()
    given.model.forward = lambda x: x.zero_()  # type: ignore[attr-defined]
    inputs = (torch.ones(3),)
    check_eager(given, inputs)
    assert inputs[0].sum() == 3


def test_sample_inputs_of_the_file() -> None:
    given = target(sample_inputs=lambda count, seed: [(torch.full((1, 3), seed),)] * count)
    found = sample_inputs(given, (), count=4, seed=7)
    assert len(found.inputs) == 4
    assert found.source == "sample_inputs()"


def test_without_sample_inputs_they_are_drawn_alike() -> None:
    given = target(example_inputs=lambda: (torch.arange(6.0).view(2, 3),))
    found = sample_inputs(given, (), count=3, seed=0)
    first, second, third = (item[0] for item in found.inputs if isinstance(item, tuple))
    assert isinstance(first, Tensor)
    assert isinstance(second, Tensor)
    assert isinstance(third, Tensor)
    assert torch.equal(first, torch.arange(6.0).view(2, 3))
    assert not torch.equal(second, third)
    assert "define sample_inputs" in found.source


def test_specs_are_sampled_too() -> None:
    found = sample_inputs(target(), ["f32[2,3]"], count=2, seed=0)
    first, second = (item[0] for item in found.inputs if isinstance(item, tuple))
    assert isinstance(first, Tensor)
    assert isinstance(second, Tensor)
    assert not torch.equal(first, second)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda count, seed: [], "returned no inputs"),
        (lambda count, seed: [3], "returned a int; expected a tuple"),
        (lambda count: [], "TypeError"),
        (lambda count, seed: None, "TypeError"),
    ],
)
def test_wrong_sample_inputs(function: object, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        sample_inputs(target(sample_inputs=function), (), count=2, seed=1)
    assert "sample_inputs(2, 1) of net.py" in caught.value.render()
    assert expected in caught.value.render()


def test_clone_reaches_into_containers() -> None:
    inner = torch.ones(1)
    copied: Any = clone_inputs(({"a": [inner, (inner, 3)]},))
    copied[0]["a"][0].zero_()
    copied[0]["a"][1][0].zero_()
    assert inner.item() == 1


def test_clone_keeps_one_object_one() -> None:
    inner, other = torch.ones(1), torch.ones(1)
    copied: Any = clone_inputs((inner, [inner, other]))
    first, (second, third) = copied
    assert first is second and first is not inner and third is not first


def test_dynamic_shapes_of_the_file_let_sizes_vary() -> None:
    rows = torch.export.Dim("rows", min=1, max=6)
    given = target(
        example_inputs=lambda: (torch.ones(2, 3),), dynamic_shapes=lambda: {"x": {0: rows}}
    )
    assert example_inputs(given, ()).dynamic_shapes == {"x": {0: rows}}
    drawn = sample_inputs(given, (), 12, 0).inputs
    shapes = {tuple(x.shape) for (x,) in drawn if isinstance(x, torch.Tensor)}
    assert {columns for _, columns in shapes} == {3}
    assert len({count for count, _ in shapes}) >= 3 and all(1 <= n <= 6 for n, _ in shapes)


def test_dynamic_shapes_that_fail_are_the_users() -> None:
    given = target(example_inputs=lambda: (torch.ones(2, 3),), dynamic_shapes=lambda: 1 / 0)
    with pytest.raises(UserError, match=r"dynamic_shapes\(\) of net.py fails"):
        example_inputs(given, ())


def test_a_named_size_is_drawn_once() -> None:
    seq = torch.export.Dim("seq", min=0, max=50)
    example = ([torch.ones(4), torch.ones(8)], {"mask": torch.ones(4, 2)})
    shapes = ([(seq,), (2 * seq,)], {"mask": {0: seq}})
    drawn: Any = draw_varying(example, shapes, lambda x, named: None, 5)
    (short, long), named = drawn
    assert len(long) == 2 * len(short) and named["mask"].shape == (len(short), 2)
