"""The classes that stand for torch's containers of modules have all that those add."""

import types

import pytest
from torch import nn

from rewriter.prelude import module_containers

SHOWN = {"__dir__", "__repr__"}  # texts of modules, which are refused
PRIVATE = {"_get_item_by_idx", "_get_abs_string_index"}


@pytest.mark.parametrize("name", ["Sequential", "ModuleList", "ModuleDict"])
def test_no_method_of_torch_is_left(name: str) -> None:
    library, own = getattr(nn, name), getattr(module_containers, name)
    methods = {n for n, found in vars(library).items() if isinstance(found, types.FunctionType)}
    left = {n for n in methods if getattr(own, n) is getattr(library, n)}
    assert left - SHOWN - PRIVATE == set()
