"""What reads a result comes after the call; a change of a list makes its length unknown."""

from dataclasses import dataclass

import torch
from torch import nn

from hcfg.graph import Hcfg
from tests.hcfg.programs import Draft, branch, call, give, graph_with, host, jump, tensor


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
        main.block(0, call("y", "grow", "x", "items"), end=give("y"))
        inner = Draft(
            tensors=dict.fromkeys(["word", "a", "b", "c", "d", "e"], (1, 4)),
            knowns={"one": nn.Linear(4, 4), "two": nn.Linear(4, 4)},
            numbers=["p"],
            counters=["n", "m"],
            others=["given", "own"],
            arguments=("word", "given"),
        )
        inner.block(
            0,
            tensor("a", "one(word)"),
            host("own", "list(given)", effect=True),
            host("n", "len(own)"),
            end=branch("n > 0", 1, 2),
        )
        inner.block(1, host(None, "own.append(1)", effect=True), end=jump(2))
        inner.block(
            2,
            tensor("b", "two(a)"),
            host("m", "len(own)"),
            end=branch("m > 1", 3, 4),
        )
        inner.block(
            3, tensor("c", "one(b)"), host("p", "c[0, 0].item()"), end=branch("p > 0.0", 5, 6)
        )
        inner.block(4, tensor("d", "b + a"), end=give("d"))
        inner.block(5, tensor("e", "two(c)"), end=give("e"))
        inner.block(6, end=give("c"))
        return graph_with(main, grow=inner)


def draft() -> Program:
    return Program()


def arguments() -> list[tuple[torch.Tensor, list[int]]]:
    rows = [row[None] for row in (*torch.eye(4), *-torch.eye(4))]
    return [(row, [0] * length) for row in rows for length in range(3)]
