"""Objects have one description only where tensor code runs alike with them."""

import pytest
import torch
from torch import nn

import dycl
from rewriter.alike import DescribedModules, Describing, Unlike
from rewriter.diagnostics import CompileError


def _described(*objects: object) -> object:
    return Describing().described(objects)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.tensor([1, 3]), torch.tensor([2, 4])),
        (torch.tensor([True, False]), torch.tensor([False, True])),
        (torch.tensor([1, 0]), torch.tensor([True, False])),
        (torch.zeros(2), torch.zeros(2, dtype=torch.float64)),
        (torch.zeros(2, 3), torch.zeros(3, 2).t()),
        (torch.zeros(2), nn.Parameter(torch.zeros(2))),
        (torch.zeros(2, dtype=torch.cfloat), torch.zeros(2, dtype=torch.cfloat).conj()),
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        (nn.Linear(2, 2), nn.Linear(2, 2).eval()),
        (nn.ReLU(), nn.ReLU(inplace=True)),
        (nn.GRU(2, 2), nn.GRU(2, 2, bias=False)),
    ],
)
def test_what_differs_has_another_description(one: object, other: object) -> None:
    assert _described(one) != _described(other)


def test_one_tensor_twice_is_not_two() -> None:
    one, two = torch.zeros(2), torch.zeros(2)
    assert _described(one, one) != _described(one, two)
    assert _described(one, one[:]) != _described(one, two)


def test_layers_that_were_described_before_are_told_apart_by_what_they_share() -> None:
    modules = DescribedModules()
    one, two, tied = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
    tied.weight = one.weight
    for _ in range(2):
        apart = Describing(modules).described((one, two))
        shared = Describing(modules).described((one, tied))
        again = Describing(modules).described((one, one))
        assert apart == Describing(modules).described((two, one))
        assert len({apart, shared, again}) == 3
    describing = Describing(modules)
    describing.described((tied, two, one))
    own = [tied.weight, tied.bias, two.weight, two.bias, one.bias]
    assert [id(tensor) for tensor in describing.tensors] == [id(tensor) for tensor in own]


def test_layers_without_a_description_have_none_the_second_time() -> None:
    modules = DescribedModules()
    layer = nn.Linear(2, 2)
    layer.register_forward_hook(lambda *seen: None)
    for _ in range(2):
        with pytest.raises(Unlike):
            Describing(modules).described(nn.Sequential(layer))


def test_content_of_floats_is_not_described() -> None:
    assert _described(nn.Linear(2, 2)) == _described(nn.Linear(2, 2))
    assert _described(nn.LSTM(2, 2)) == _described(nn.LSTM(2, 2))
    assert _described(torch.tensor([1, 3])) == _described(torch.tensor([1, 3]))


def test_hooks_for_all_modules_are_refused() -> None:
    handle = nn.modules.module.register_module_forward_hook(lambda *seen: seen[-1] * 2.0)
    try:
        with pytest.raises(CompileError, match="DYCL049"):
            dycl.rewrite(nn.Sequential(nn.Linear(2, 2)), (torch.ones(2),))
    finally:
        handle.remove()
