"""A loop that can be unrolled is, where each round rolled would choose among all layers."""

import torch

import dycl
from tests.language.programs.attributes_in_long_loops import Named


def test_each_layer_is_called_in_one_place() -> None:
    source = dycl.rewrite(Named(), (torch.ones(1, 3),)).source
    assert [source.count(f"self.layer{place}(") for place in (0, 10, 19)] == [1, 1, 1]
