"""Tensors made for several paths."""

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from rewriter.size_expressions import expression_of
from rewriter.sizes import Sizes
from rewriter.storages import Storages


def test_a_tensor_of_several_paths_does_not_depend_on_what_the_last_of_them_knew() -> None:
    sizes = Sizes()
    storages = Storages(mode=FakeTensorMode(shape_env=sizes))
    rows = sizes.new(None) - 1
    facts = frozenset({sympy.Eq(expression_of(rows), -1)})
    sizes.begin(facts)
    sizes.required.append(sympy.true)

    made = storages.fresh_of_shape(torch.empty(2, 3, device="meta"), (rows, 3))

    assert str(made.shape[0]) == "u0 - 1"
    assert (sizes.facts, sizes.required) == (facts, [sympy.true])
    assert storages.fresh_like(made).shape == made.shape
