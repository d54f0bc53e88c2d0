"""How a program is rewritten anew that a backend refuses."""

from dataclasses import replace

import torch

from dycl.options import CompileOptions
from dycl.other_ways import other_ways
from rewriter import rewrite


def test_each_way_keeps_what_the_one_before_changed() -> None:
    program = rewrite(torch.nn.ReLU(), (torch.ones(2),))
    assert other_ways(CompileOptions(), program) == ()
    rolled_and_short = replace(program, rolls_early=True, few_structures=True)
    unrolled = CompileOptions(roll_early=False)
    apart = CompileOptions(roll_early=False, few_structures=False)
    assert other_ways(CompileOptions(), rolled_and_short) == (unrolled, apart)


def test_what_was_asked_for_is_not_tried_otherwise() -> None:
    program = replace(rewrite(torch.nn.ReLU(), (torch.ones(2),)), few_structures=True)
    assert other_ways(CompileOptions(few_structures=True), program) == ()
