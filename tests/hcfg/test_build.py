"""Cutting sub-DNNs out of straight lines."""

import pytest
import torch
from torch import nn

from hcfg.graph import Hcfg, HostBlock, LoopHead, SubDnn
from hcfg.interpret import interpret
from rewriter.diagnostics import DyclBug
from rewriter.program import Statement
from tests.hcfg.outcomes import describe
from tests.hcfg.programs import Draft, branch, copy, fail, give, host, jump, tensor
from tests.hcfg.sequential import run_sequentially

FC = nn.Linear(4, 4)
NAMES = ["x", "y", "z", "w", "x1", "v", "v1"]


def draft_of(*statements: Statement, result: str = "x", **more: object) -> Draft:
    draft = Draft(
        tensors={**dict.fromkeys(NAMES, (1, 4)), "r": (4,), "r1": (4,)},
        knowns={"fc": FC, "torch": torch, "start": torch.ones(1, 4), "print": print, **more},
        numbers=["p", "q", "n"],
        others=["seen"],
    )
    draft.block(0, *statements, end=give(result))
    return draft


def kinds(graph: Hcfg) -> list[str]:
    """Return the work of a straight-line graph: ``T2`` is a sub-DNN of two statements."""
    found = []
    current = graph.entry
    while True:
        node = graph.nodes[current]
        match node:
            case SubDnn():
                found.append(f"T{len(node.statements)}")
            case HostBlock():
                found.append(f"H{len(node.statements)}")
            case _:
                pass
        if current.startswith("return"):
            return found
        current = getattr(node, "then")  # noqa: B009  # straight lines have no other edges


def check(draft: Draft, expected: list[str]) -> Hcfg:
    """Check the shape of a graph, and that it gives what the statements in order give."""
    graph = draft.graph()
    x = torch.tensor([[1.0, -2.0, 3.0, -4.0]])
    in_order = run_sequentially(draft.program(), [x.clone()])
    assert describe(interpret(graph, x.clone())) == describe(in_order)
    assert kinds(graph) == expected
    return graph


def test_host_code_moves_out_of_tensor_code() -> None:
    draft = draft_of(
        tensor("y", "fc(x)"),
        host("p", "y.sum().item()"),
        tensor("z", "y + 1"),
        host("q", "p + 1.0"),
        result="(z, q)",
    )
    graph = check(draft, ["T2", "H2"])
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    assert (node.inputs, node.outputs) == (("x",), ("y", "z"))


def test_tensor_code_that_needs_a_host_value_is_cut_off() -> None:
    draft = draft_of(
        tensor("y", "fc(x)"),
        host("p", "y.sum().item()"),
        tensor("z", "y * p"),
        tensor("w", "y - 1"),
        result="(z, w)",
    )
    check(draft, ["T2", "H1", "T1"])


def test_reader_stays_before_the_next_writer_of_its_variable() -> None:
    draft = draft_of(
        tensor("y", "fc(x)"), host("p", "y.sum().item()"), tensor("y", "y + 1"), result="(y, p)"
    )
    check(draft, ["T1", "H1", "T1"])


def test_host_code_stays_before_an_in_place_change_of_what_it_reads() -> None:
    draft = draft_of(
        tensor("y", "fc(x)"),
        host("p", "y.sum().item()"),
        tensor(None, "y.add_(1)", updates={"w": "y"}),
        result="(w, p)",
    )
    check(draft, ["T1", "H1", "T1"])


def test_host_code_stays_before_an_in_place_change_seen_through_a_view() -> None:
    draft = draft_of(
        tensor("y", "fc(x)"),
        tensor("r", "y[0]"),
        host("p", "r.sum().item()"),
        tensor(None, "y.add_(1)", updates={"w": "y"}),
        result="(w, p)",
    )
    check(draft, ["T2", "H1", "T1"])


def test_store_into_a_part_and_its_views_stay_in_one_subdnn() -> None:
    draft = draft_of(
        tensor("y", "fc(x)"),
        tensor("r", "y[0]"),
        tensor(None, "x[0, 1]", stores="r[0]", updates={"r1": "r", "w": "y"}),
        tensor("z", "w + r1"),
        result="(z, w, r1, x)",
    )
    check(draft, ["T4"])


def test_input_that_is_changed_in_place_keeps_its_old_value_for_others() -> None:
    draft = draft_of(
        tensor("y", "x * 1"),
        tensor(None, "y.relu_()", updates={"z": "y"}),
        host("p", "z.sum().item()"),
        tensor(None, "z.mul_(p)", updates={"w": "z"}),
        result="(x, w, p)",
    )
    graph = check(draft, ["T2", "H1", "T1"])
    node = graph.nodes["subdnn_1"]
    assert isinstance(node, SubDnn)
    assert (node.inputs, node.outputs) == (("z", "p"), ("w",))


def test_one_name_before_and_after_an_update() -> None:
    draft = draft_of(
        tensor("y", "fc(x)"),
        tensor(None, "y.relu_()", updates={"y": "y"}),
        host("p", "y.sum().item()"),
        tensor(None, "y.add_(1)", updates={"y": "y"}),
        result="(y, p)",
    )
    check(draft, ["T2", "H1", "T1"])


def test_copies_of_tensors_move_to_the_host() -> None:
    draft = draft_of(copy(z="x"), tensor("y", "fc(z)"), copy(x="y"), result="(x, z)")
    check(draft, ["H1", "T1", "H1"])


def test_copy_between_tensor_code_does_not_cut_it() -> None:
    draft = draft_of(tensor("y", "fc(x)"), copy(x="y"), tensor("z", "fc(x)"), result="(x, z)")
    check(draft, ["T3"])


def test_known_tensor_stays_visible_to_the_subdnn_that_reads_it() -> None:
    draft = draft_of(copy(y="start"), tensor("z", "y + x"), result="(y, z)")
    check(draft, ["T2"])


def test_known_tensor_that_no_tensor_code_reads_is_a_host_constant() -> None:
    draft = draft_of(tensor("z", "x * 2"), copy(y="start"), result="(y, z)")
    check(draft, ["T1", "H1"])


def test_parallel_copy_of_tensors_and_numbers_is_split() -> None:
    draft = draft_of(
        tensor("y", "fc(x)"),
        host("n", "1.0"),
        copy(x="y", y="x", p="n"),
        tensor("z", "x - y"),
        result="(x, y, z, p)",
    )
    check(draft, ["T3", "H2"])


def test_effects_keep_their_order() -> None:
    first: list[object] = []
    draft = draft_of(
        tensor("y", "fc(x)"),
        host(None, "note(y[0, 0].item())", effect=True),
        host(None, "note('then')", effect=True),
        tensor("z", "y + 1"),
        host(None, "note(z[0, 0].item())", effect=True),
        result="z",
        note=first.append,
    )
    check(draft, ["T2", "H3"])
    half = len(first) // 2
    assert first[:half] == first[half:]
    assert first[1] == "then"


def test_looks_at_a_container_stay_after_its_changes() -> None:
    draft = draft_of(
        host("seen", "[]"),
        tensor("y", "fc(x)"),
        host(None, "seen.append(y[0, 0].item())", effect=True),
        host("n", "float(len(seen))"),
        tensor("z", "y * n"),
        result="(z, n)",
        len=len,
        float=float,
    )
    check(draft, ["H1", "T1", "H2", "T1"])


def test_blocks_that_follow_each_other_are_one_straight_line() -> None:
    draft = draft_of(tensor("y", "fc(x)"))
    draft.block(0, tensor("y", "fc(x)"), end=jump(1))
    draft.block(1, tensor("z", "fc(y)"), end=give("z"))
    check(draft, ["T2"])


def test_unused_parts_of_a_result_have_no_name() -> None:
    draft = draft_of(tensor((None, ("y", None)), "(x, (fc(x), x))"), result="y")
    check(draft, ["T1"])


def loop_draft() -> Draft:
    draft = draft_of(tensor("y", "fc(x)"))
    draft.block(0, host("n", "0.0"), copy(y="x"), end=jump(1))
    draft.block(1, tensor("z", "y.abs().sum(1, keepdim=True) + y * 0"), end=jump(4))
    draft.block(4, host("p", "z[0, 0].item()"), end=branch("p < 50.0 and n < 5.0", 2, 3))
    draft.block(2, tensor("y", "y * 2"), host("n", "n + 1.0"), end=jump(1))
    draft.block(3, end=give("(y, n)"))
    return draft


@pytest.mark.parametrize("scale", [0.0, 1.0, 100.0])
def test_loop(scale: float) -> None:
    draft = loop_draft()
    graph = draft.graph()
    assert [n for n, node in graph.nodes.items() if isinstance(node, LoopHead)] == ["loop_0"]
    x = torch.full((1, 4), scale)
    assert describe(interpret(graph, x)) == describe(run_sequentially(draft.program(), [x]))


def test_loop_without_anything_in_it() -> None:
    draft = draft_of()
    draft.block(0, end=jump(1))
    draft.block(1, end=jump(1))
    assert list(draft.graph().nodes) == ["entry", "loop_0"]


def test_two_ways_into_a_loop_are_a_bug() -> None:
    draft = draft_of()
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, host("p", "p - 1.0"), end=branch("p > 0.0", 2, 3))
    draft.block(2, host("p", "p - 2.0"), end=jump(1))
    draft.block(3, end=give("x"))
    with pytest.raises(DyclBug, match="more than one way in"):
        draft.graph()


def test_raise() -> None:
    draft = draft_of(ValueError=ValueError)
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, end=fail("ValueError(p)"))
    draft.block(2, end=give("p"))
    with pytest.raises(ValueError, match=r"3\.0"):
        interpret(draft.graph(), torch.full((1, 4), 3.0))
    assert interpret(draft.graph(), torch.full((1, 4), -3.0)) == -3.0
