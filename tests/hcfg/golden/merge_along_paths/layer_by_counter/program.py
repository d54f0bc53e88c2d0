"""A counter chooses the layer: one call for no items, one for one, one for two, no more."""

from dataclasses import dataclass

import torch
from torch import nn

from hcfg.graph import Hcfg
from tests.hcfg.programs import (
    Draft,
    branch,
    call,
    copy,
    fail,
    give,
    graph_with,
    host,
    jump,
    tensor,
)


@dataclass
class Program:
    def graph(self) -> Hcfg:
        torch.manual_seed(0)
        main = Draft(
            tensors=dict.fromkeys("xy", (1, 4)),
            knowns={},
            others=["items"],
            arguments=("x", "items"),
        )
        main.block(0, call("y", "fold", "x", "items"), end=give("y"))
        inner = Draft(
            tensors=dict.fromkeys(["word", "start", "sum", "first", "second", "result"], (1, 4)),
            knowns={"look": nn.Linear(4, 4), "one": nn.Linear(4, 4), "two": nn.Linear(4, 4)},
            counters=["k", "count", "after"],
            others=["given"],
            arguments=("word", "given"),
        )
        inner.block(
            0,
            tensor("start", "look(word)"),
            host("count", "len(given)"),
            copy(sum="start", k="0"),
            end=jump(1),
        )
        inner.block(1, end=branch("k < count", 2, 7))
        inner.block(2, host("after", "k + 1"), end=branch("k == 0", 3, 4))
        inner.block(3, tensor("first", "one(sum)"), copy(sum="first", k="after"), end=jump(1))
        inner.block(4, end=branch("k == 1", 5, 6))
        inner.block(5, tensor("second", "two(sum)"), copy(sum="second", k="after"), end=jump(1))
        inner.block(6, end=fail("IndexError('list index out of range')"))
        inner.block(7, tensor("result", "sum + word"), end=give("result"))
        return graph_with(main, fold=inner)


def draft() -> Program:
    return Program()


def arguments() -> list[tuple[torch.Tensor, list[int]]]:
    return [(torch.eye(4)[:1], [0] * length) for length in range(4)]
