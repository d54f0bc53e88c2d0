"""A node folds what its children are: each of its three sub-DNNs gets one for batches."""

from dataclasses import dataclass, replace

import torch
from torch import nn

from hcfg.graph import Hcfg
from tests.hcfg.programs import Draft, branch, call, copy, give, graph_with, host, jump, tensor


@dataclass
class Program:
    def graph(self) -> Hcfg:
        torch.manual_seed(0)
        main = Draft(tensors=dict.fromkeys("xy", (1, 4)), knowns={}, counters=["n"], arguments="xn")
        main.block(0, call("y", "encode", "x", "n"), end=give("y"))
        inner = Draft(
            tensors=dict.fromkeys(["word", "e", "start", "h", "more", "result"], (1, 4)),
            knowns={"look": nn.Linear(4, 4), "add": nn.Linear(4, 4), "finish": nn.Linear(4, 4)},
            counters=["children", "k", "after"],
            arguments=("word", "children"),
        )
        inner.block(0, tensor("start", "look(word)"), copy(e="start", k="0"), end=jump(1))
        inner.block(1, end=branch("k < children", 2, 3))
        inner.block(
            2,
            call("h", "encode", "word", "k"),
            tensor("more", "e + add(h)"),
            host("after", "k + 1"),
            copy(e="more", k="after"),
            end=jump(1),
        )
        inner.block(3, tensor("result", "finish(e)"), end=give("result"))
        return replace(graph_with(main, encode=inner), batched=("encode",))


def draft() -> Program:
    return Program()


def arguments() -> list[tuple[torch.Tensor, int]]:
    return [(torch.eye(4)[:1], children) for children in range(4)]
