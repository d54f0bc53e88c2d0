"""Sub-DNNs that PyTorch asks about sizes which they find out themselves."""

import torch
from torch import Tensor

from hcfg.build import build_hcfg
from hcfg.cutting import cut_where_sizes_are_asked
from hcfg.graph import Hcfg, SubDnn
from hcfg.recordings import Recordings
from rewriter import rewrite


def of_a_mask(x: Tensor) -> Tensor:
    chosen = x[x > 0]
    return chosen.logsumexp(0)


def asked_twice(x: Tensor) -> Tensor:
    chosen = x[x > 0]
    again = chosen[chosen - chosen.logsumexp(0) < -1]
    return again.logsumexp(0)


def of_known_size(x: Tensor) -> Tensor:
    return x.relu().logsumexp(0)


def subdnns(graph: Hcfg) -> list[SubDnn]:
    return [node for node in graph.nodes.values() if isinstance(node, SubDnn)]


def cut(function: object) -> tuple[Hcfg, Hcfg]:
    graph = build_hcfg(rewrite(function, (torch.tensor([1.0, -1.0, 2.0]),)))
    return graph, cut_where_sizes_are_asked(graph, Recordings())


def test_a_border_lies_before_the_question() -> None:
    whole, apart = cut(of_a_mask)
    assert (len(subdnns(whole)), len(subdnns(apart))) == (1, 2)
    first, second = subdnns(apart)
    assert first.statements + second.statements == subdnns(whole)[0].statements
    assert set(second.inputs) <= set(first.outputs)
    assert apart.nodes[first.then] is second


def test_what_is_left_is_cut_again() -> None:
    whole, apart = cut(asked_twice)
    assert len(subdnns(whole)) == 1
    assert len(subdnns(apart)) == 3


def test_where_nothing_is_asked_nothing_changes() -> None:
    whole, apart = cut(of_known_size)
    assert apart is whole
