"""Masks made branches: which programs of the corpus get one, and that all give what eager gives.

The corpus compares the compiled programs; here each graph runs in PyTorch, bit for bit.
"""

import copy

import pytest
import torch

from dycl import CompileOptions
from dycl.api import build_graph
from hcfg.graph import Branch
from hcfg.interpret import Interpreter
from tests.language.harness import Case, all_cases

BRANCHES = {
    "ByComparison": 1,
    "ByScatter": 1,
    "ByOneHot": 1,
    "ByWhere": 1,
    "InPlace": 1,
    "OneMinusMask": 1,
    "Fused": 1,
    "Selected": 1,
    "OneAfterAnother": 2,
    "NeverShut": 1,
    "StraightThrough": 0,
    "WithoutBound": 0,
    "SignOfZero": 0,
    "AlsoReturned": 0,
    "HugeWeights": 0,
    "MaskFromOutside": 0,
    "GateInsideOfLayers": 1,
    "BesideADecision": 2,
    "AWeightOfItsOwn": 0,
}
CASES = [case for case in all_cases() if case.topic == "masks"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mask_becomes_a_branch_where_that_is_proved(case: Case) -> None:
    options = CompileOptions(masks_to_branches=True)
    graph = build_graph(case.build(), case.inputs[0], options=options)
    branches = sum(isinstance(node, Branch) for node in graph.nodes.values())
    assert branches == BRANCHES[case.name.partition(".")[2]]
    eager, interpreter = case.build(), Interpreter(graph=graph)
    taken = set()
    for inputs in case.inputs:
        assert isinstance(inputs, tuple)
        path: list[str] = []
        found = interpreter.call(copy.deepcopy(inputs), path=path)
        with torch.no_grad():
            expected = eager(*copy.deepcopy(inputs))
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
        taken.add(tuple(path))
    never_shut = case.name.endswith("NeverShut")
    assert len(taken) == (1 if never_shut else 2**branches)


def test_without_the_option_there_are_only_the_branches_of_the_program() -> None:
    for case in CASES:
        graph = build_graph(case.build(), case.inputs[0])
        branches = sum(isinstance(node, Branch) for node in graph.nodes.values())
        assert branches == case.name.endswith("BesideADecision")
