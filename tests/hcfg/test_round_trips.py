"""Numbers that only become tensors again are no reason for another sub-DNN."""

import pytest
import torch

from hcfg.graph import Hcfg, HostBlock, SubDnn
from hcfg.interpret import interpret
from rewriter.program import Statement
from tests.hcfg.outcomes import describe
from tests.hcfg.programs import Draft, branch, copy, from_host, give, host, jump, tensor
from tests.hcfg.sequential import run_sequentially

X = torch.tensor([[1.0, -2.0, 3.0, -4.0]])


def empty_draft() -> Draft:
    return Draft(
        tensors={"x": (1, 4), "w": (1, 4), "w1": (1, 4), "row": (1,), "view": (1,)}
        | dict.fromkeys(["v", "n", "t", "t1", "u"], ()),
        knowns={"torch": torch, "limit": torch.tensor(3.5)},
        numbers=["p", "q"],
        integers=["n"],
    )


def draft_of(*statements: Statement, result: str) -> Draft:
    draft = empty_draft()
    draft.block(0, *statements, end=give(result))
    return draft


def graph_of(draft: Draft, *inputs: torch.Tensor) -> Hcfg:
    """Return a program's graph, which gives what the statements give in their order."""
    graph = draft.graph()
    for x in inputs or (X,):
        in_order = run_sequentially(draft.program(), [x.clone()])
        assert describe(interpret(graph, x.clone())) == describe(in_order)
    return graph


def calls(graph: Hcfg) -> int:
    return sum(isinstance(node, SubDnn) for node in graph.nodes.values())


def makes_tensors(graph: Hcfg) -> bool:
    blocks = [node for node in graph.nodes.values() if isinstance(node, HostBlock)]
    return any(type(s).__name__ == "TensorFromHost" for b in blocks for s in b.statements)


@pytest.mark.parametrize("source", ["v", "row"])
def test_a_number_beside_a_tensor_stays_in_the_sub_dnn(source: str) -> None:
    draft = draft_of(
        tensor(source, "x.amax(1)" if source == "row" else "x.max()"),
        host("p", f"{source}.item()"),
        from_host("t", "p"),
        tensor("u", "t - limit"),
        result="u",
    )
    graph = graph_of(draft, X, X * float("nan"))
    assert calls(graph) == 1
    assert not makes_tensors(graph)


def test_the_host_reads_the_number_still() -> None:
    draft = draft_of(
        tensor("v", "x.max()"),
        host("p", "v.item()"),
        from_host("t", "p"),
        tensor("u", "t - limit"),
        host("q", "p + 1"),
        result="(u, q)",
    )
    assert calls(graph_of(draft)) == 1


def test_what_is_written_behind_the_reading_is_not_read() -> None:
    draft = draft_of(
        tensor("w", "x.clone()"),
        tensor("view", "w.view(4)[:1]"),
        host("p", "view.item()"),
        tensor(None, "w.add_(1)", updates={"w1": "w"}),
        from_host("t", "p"),
        tensor("u", "t + w1.sum()"),
        result="u",
    )
    graph_of(draft)


def test_each_tensor_has_memory_of_its_own() -> None:
    draft = draft_of(
        tensor("v", "x.max()"),
        host("p", "v.item()"),
        from_host("t", "p"),
        tensor(None, "t.add_(1)", updates={"t1": "t"}),
        from_host("u", "p"),
        result="(t1, u, v)",
    )
    graph_of(draft)


def test_numbers_of_another_type_are_made_tensors_of() -> None:
    draft = draft_of(
        tensor("n", "x.max().long()"),
        host("p", "n.item()"),
        from_host("t", "p"),
        tensor("u", "t - limit"),
        result="u",
    )
    assert makes_tensors(graph_of(draft))


def test_a_number_of_two_places_is_made_a_tensor_of() -> None:
    draft = empty_draft()
    draft.block(0, tensor("v", "x.max()"), host("p", "v.item()"), end=branch("p > 0", 1, 2))
    draft.block(1, copy(p="1.5"), end=jump(2))
    draft.block(2, from_host("t", "p"), tensor("u", "t - limit"), end=give("u"))
    assert makes_tensors(graph_of(draft, X, -X.abs()))
