"""Every invariant of a graph, broken once."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import nn

from hcfg.graph import Branch, Entry, Hcfg, HostBlock, LoopHead, Node, SubDnn
from hcfg.verify import verify
from rewriter.diagnostics import DyclBug
from tests.hcfg.programs import Draft, branch, copy, expression, give, host, jump, tensor


def valid() -> Hcfg:
    draft = Draft(
        tensors=dict.fromkeys("xyz", (1, 4)),
        knowns={"fc": nn.Linear(4, 4), "torch": torch},
        numbers=["p", "n"],
        others=["seen"],
    )
    draft.block(0, tensor("y", "fc(x)"), host("p", "y[0, 0].item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, tensor("z", "fc(y)"), end=jump(3))
    draft.block(2, copy(z="y"), host("seen", "[p]"), end=jump(3))
    draft.block(3, host("n", "z[0, 0].item()"), end=branch("n < 3.0", 4, 5))
    draft.block(4, tensor("z", "z + 1"), end=jump(3))
    draft.block(5, end=give("z"))
    return draft.graph()


def with_node(name: str, node: Node) -> Hcfg:
    graph = valid()
    return replace(graph, nodes={**graph.nodes, name: node})


def changed(name: str, change: Callable[[Node], Node]) -> Hcfg:
    graph = valid()
    return with_node(name, change(graph.nodes[name]))


def subdnn(**fields: object) -> Callable[[Node], Node]:
    def change(node: Node) -> Node:
        assert isinstance(node, SubDnn)
        return replace(node, **fields)  # type: ignore[arg-type]

    return change


def host_block(**fields: object) -> Callable[[Node], Node]:
    def change(node: Node) -> Node:
        assert isinstance(node, HostBlock)
        return replace(node, **fields)  # type: ignore[arg-type]

    return change


def without(name: str) -> Hcfg:
    graph = valid()
    return replace(graph, nodes={n: node for n, node in graph.nodes.items() if n != name})


def reading(text: str) -> Hcfg:
    return changed("host_0", host_block(statements=(host("p", text),)))


BROKEN: dict[str, tuple[Callable[[], Hcfg], str]] = {
    "entry": (lambda: replace(valid(), entry="subdnn_0"), "is not an Entry node"),
    "second entry": (
        lambda: with_node("entry_2", Entry(then="subdnn_0")),
        "entry_2: cannot be reached",
    ),
    "edge to nowhere": (lambda: without("return_0"), "edge to 'return_0', which does not exist"),
    "unreachable": (
        lambda: with_node("loop_9", LoopHead(then="return_0", origin=None)),
        "loop_9: cannot be reached",
    ),
    "id of another kind": (
        lambda: with_node("host_0", valid().nodes["branch_0"]),
        "host_0: the id of a Branch node",
    ),
    "edge to the entry": (
        lambda: changed("subdnn_2", subdnn(then="entry")),
        "subdnn_2: an edge back to the entry",
    ),
    "loop without head": (
        lambda: changed("subdnn_2", subdnn(then="branch_1")),
        "branch_1: a back-edge leads to a node that is no LoopHead",
    ),
    "head without loop": (
        lambda: changed("subdnn_2", subdnn(then="return_0")),
        "loop_0: a LoopHead without back-edge",
    ),
    "not defined on every path": (
        lambda: changed("host_2", host_block(statements=(host("n", "float(len(seen))"),))),
        "host_2: reads 'seen', which is not defined on every path",
    ),
    "missing input": (
        lambda: changed("subdnn_1", subdnn(inputs=())),
        r"subdnn_1: inputs are \(\), its statements read \('y',\)",
    ),
    "missing output": (
        lambda: changed("subdnn_0", subdnn(outputs=())),
        "subdnn_0: 'y' is written and read later, but no output",
    ),
    "foreign output": (
        lambda: changed("subdnn_0", subdnn(outputs=("y", "x"))),
        "subdnn_0: outputs are",
    ),
    "output overwritten": (
        lambda: changed(
            "subdnn_1",
            subdnn(statements=(tensor("z", "fc(y)"), tensor(None, "z", updates={"y": "z"}))),
        ),
        "subdnn_1: output 'z' is overwritten in place under another name",
    ),
    "empty sub-DNN": (
        lambda: changed("subdnn_2", subdnn(statements=(), inputs=(), outputs=())),
        "subdnn_2: is empty",
    ),
    "host code in a sub-DNN": (
        lambda: changed("subdnn_1", subdnn(statements=(host("z", "y"),))),
        "subdnn_1: holds host code",
    ),
    "number assigned in a sub-DNN": (
        lambda: changed("subdnn_1", subdnn(statements=(tensor(("z", "n"), "fc(y)"),))),
        "subdnn_1: 'n' is assigned, but not known as a tensor",
    ),
    "list as input": (
        lambda: changed(
            "subdnn_2", subdnn(statements=(tensor("z", "torch.cat(seen)"),), inputs=("seen",))
        ),
        "subdnn_2: input 'seen' is neither a tensor nor a number",
    ),
    "tensor code on the host": (
        lambda: changed("host_0", host_block(statements=(tensor("z", "x"), host("p", "1.0")))),
        "host_0: holds tensor code",
    ),
    "empty host block": (lambda: changed("host_0", host_block(statements=())), "host_0: is empty"),
    "unknown name read": (
        lambda: reading("nobody(y)"),
        "host_0: reads 'nobody', which is in no table",
    ),
    "unknown name assigned": (
        lambda: changed("host_0", host_block(statements=(host("q", "1.0"), host("p", "1.0")))),
        "host_0: assigns 'q', which is not in the table of variables",
    ),
    "unknown name in a condition": (
        lambda: changed("branch_0", with_condition("nobody > 1")),
        "branch_0: reads 'nobody', which is in no table",
    ),
}


def with_condition(text: str) -> Callable[[Node], Node]:
    def change(node: Node) -> Node:
        assert isinstance(node, Branch)
        return replace(node, condition=expression(text))

    return change


@pytest.mark.parametrize("case", BROKEN)
def test_broken_graph_is_a_bug(case: str) -> None:
    make, message = BROKEN[case]
    with pytest.raises(DyclBug, match=message):
        verify(make())


def test_names_of_comprehensions_are_their_own() -> None:
    verify(reading("y[0, 0].item() + [v for row in y.tolist() for v in row][0]"))


def test_valid_graph_passes() -> None:
    verify(valid())
