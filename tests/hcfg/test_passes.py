"""The sequence of passes: switches, stages, and graphs that stay valid."""

import itertools
from functools import cache, partial

import pytest
import torch
from torch import nn

from hcfg import passes
from hcfg.batched_codes import BatchedCodes
from hcfg.graph import Hcfg, SubDnn
from hcfg.interpret import Interpreter
from hcfg.passes import PASS_NAMES, PASSES, batch_recursion, run_passes
from hcfg.recordings import Recordings
from hcfg.report import Report
from tests.hcfg.golden.batch_inputs.skipped_block import program as skipped_block
from tests.hcfg.golden.batch_recursion.children_folded import program as children_folded
from tests.hcfg.golden.eliminate_empty_arms.experts import program as experts
from tests.hcfg.golden.multiply_rows_together.cell_of_each_row import program as cell_of_each_row
from tests.hcfg.outcomes import outcome
from tests.hcfg.programs import Draft, branch, call, give, graph_with, host, jump, tensor

SWITCHES = [
    frozenset(names)
    for count in (0, 1, 2, len(PASS_NAMES))
    for names in itertools.combinations(PASS_NAMES, count)
]


def draft() -> Draft:
    """Something to do for every pass."""
    torch.manual_seed(0)
    draft = Draft(
        tensors={
            **dict.fromkeys(["x", "y", "z", "state", "unused", "keys", "more", "ahead"], (1, 4)),
            **dict.fromkeys(["gate", "mask", "layers", "part", "sum"], (1, 4)),
            "flag": (1,),
            "number": (1,),
            "turned": (1, 4),
        },
        complexes=["turned"],
        knowns={
            "one": nn.Linear(4, 4),
            "other": nn.Linear(4, 4),
            "drop": nn.Dropout().eval(),
            "torch": torch,
        },
        numbers=["p", "q"],
    )
    draft.block(
        0,
        tensor("state", "torch.zeros(1, 4)"),
        tensor("flag", "torch.zeros(1)"),
        tensor("y", "one(x)"),
        tensor("turned", "torch.complex(y, x)"),
        tensor("z", "drop(y)"),
        host("p", "y[0, 0].item()"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, tensor("z", "other(z)"), host("q", "p * 2.0"), end=jump(3))
    draft.block(2, tensor("z", "other(x)"), tensor("unused", "z + 1"), end=jump(3))
    draft.block(
        3,
        tensor("y", "z + state"),
        tensor("ahead", "one(y)"),
        host("q", "1.0"),
        end=branch("p > q", 4, 5),
    )
    draft.block(
        4, tensor("z", "one(z) + ahead"), host("q", "flag.item()"), end=branch("q < 1.0", 6, 5)
    )
    draft.block(6, tensor("z", "one(z)"), end=jump(5))
    draft.block(5, tensor("y", "other(z) + y"), end=branch("p > q", 7, 8))
    draft.block(7, tensor("unused", "z + 1"), end=jump(8))
    draft.block(8, tensor("keys", "one(x)"), tensor("y", "keys + y"), end=jump(9))
    draft.block(
        9,
        tensor("more", "other(keys)"),
        tensor("z", "more + z"),
        host("q", "z[0, 0].item()"),
        end=branch("q < 4.0 and q > 0.0", 9, 11),
    )
    draft.block(
        11,
        tensor("number", "keys[:, 1]"),
        host("q", "number.item()"),
        end=branch("q > 0.0", 10, 12),
    )
    draft.block(
        12,
        tensor("gate", "y > 0"),
        tensor("mask", "gate.float()"),
        tensor("layers", "other(x)"),
        tensor("part", "layers * mask"),
        tensor("sum", "y + part"),
        end=give("sum"),
    )
    draft.block(
        10,
        tensor("unused", "one(x)"),
        tensor("z", "z + unused * turned.imag"),
        end=give("(y, z)"),
    )
    return draft


def repeated() -> Draft:
    """A function that calls itself; where it does not, its tensor code is part of the call."""
    draft = Draft(
        tensors=dict.fromkeys(["given", "shifted", "below", "result"], (1, 4)),
        knowns={},
        counters=["times", "less"],
        arguments=("given", "times"),
    )
    draft.block(0, tensor("shifted", "given + 1"), end=branch("times > 0", 1, 2))
    draft.block(1, host("less", "times - 1"), call("below", "repeated", "given", "less"),
                tensor("result", "below + shifted"), end=give("result"))  # fmt: skip
    draft.block(2, tensor("result", "shifted + 1"), end=give("result"))
    return draft


def repeating() -> Hcfg:
    """Something to do for what looks at functions alone."""
    caller = Draft(tensors={"x": (1, 4), "y": (1, 4)}, knowns={})
    caller.block(0, call("y", "repeated", "x", "3"), end=give("y"))
    return graph_with(caller, repeated=repeated())


@cache
def shared() -> tuple[Hcfg, tuple[Hcfg, ...], Report]:
    """Return graphs, and what is remembered of sub-DNNs: most are alike in all sequences.

    The first is looked at closely; the others have something to do for particular passes.
    """
    programs = (children_folded, skipped_block, experts, cell_of_each_row)
    others = (repeating(), *(each.draft().graph() for each in programs))
    report = Report(batched_codes=BatchedCodes(), recordings=Recordings())
    return draft().graph(), others, report


@pytest.mark.parametrize("disabled", SWITCHES, ids=lambda names: "+".join(sorted(names)) or "none")
def test_any_pass_can_be_switched_off(
    disabled: frozenset[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, others, known = shared()
    monkeypatch.setattr(batch_recursion, "WORTH", 0)
    remembering = partial(Report, recordings=known.recordings, batched_codes=known.batched_codes)
    monkeypatch.setattr(passes, "Report", remembering)
    stages: list[tuple[str, Hcfg]] = []
    found = run_passes(
        graph,
        disabled,
        lambda name, stage: stages.append((name, stage)),
        masks_to_branches=True,
    )
    names = [each.name for each in PASSES]
    assert [name for name, _ in stages] == [n for n in names if n not in disabled]
    reports = [found.report, *(run_passes(other, disabled).report for other in others)]
    changing = {change.by for report in reports for change in report.changes}
    assert changing == set(PASS_NAMES) if not disabled else not changing & disabled
    for sign in (1.0, -1.0):
        x = torch.full((1, 4), sign)
        expected = outcome(Interpreter(graph=graph), [x]).text
        assert outcome(Interpreter(graph=found.graph), [x]).text == expected


def test_branches_for_masks_are_made_only_where_asked_for() -> None:
    found = run_passes(draft().graph())
    assert "masks-to-branches" not in {change.by for change in found.report.changes}


def test_without_dedupe_nothing_is_shared() -> None:
    found = run_passes(draft().graph(), {"structural-dedupe"})
    names = [name for name, node in found.graph.nodes.items() if isinstance(node, SubDnn)]
    assert found.sharing.artifacts == found.sharing.structures == tuple((n,) for n in names)


def test_unknown_switch() -> None:
    with pytest.raises(ValueError, match="no pass is named 'dedupe'; passes are eliminate-"):
        run_passes(draft().graph(), {"dedupe"})


def test_names_are_unique_and_files_are_named_after_passes() -> None:
    assert len(set(PASS_NAMES)) == len(PASS_NAMES) == len({type(each) for each in PASSES})
    for each in PASSES:
        assert type(each).__module__ == f"hcfg.passes.{each.name.replace('-', '_')}"


def test_running_twice_gives_the_same_graph() -> None:
    first, second = (run_passes(draft().graph()) for _ in range(2))
    assert list(first.graph.nodes) == list(second.graph.nodes)
    assert first.sharing == second.sharing
    assert first.report.changes == second.report.changes


def test_constant_that_raises_is_left_to_run_time() -> None:
    draft = Draft(
        tensors={"x": (1, 4), "y": (4,)},
        knowns={"table": nn.Embedding(3, 4), "torch": torch},
        numbers=["p"],
    )
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, tensor("y", "table(torch.tensor(7))"), end=give("y"))
    draft.block(2, end=give("x"))
    interpreter = Interpreter(graph=run_passes(draft.graph()).graph)
    assert outcome(interpreter, [torch.ones(1, 4)]).text.startswith("IndexError")
    assert outcome(interpreter, [-torch.ones(1, 4)]).path[-1] == "return_1"


def test_subdnn_that_nobody_reads_is_dropped_whatever_is_switched_off() -> None:
    graph = draft().graph()
    idle = [n for n, node in graph.nodes.items() if isinstance(node, SubDnn) and not node.outputs]
    assert len(idle) == 1
    found = run_passes(graph, frozenset(PASS_NAMES)).graph
    assert set(graph.nodes) - set(found.nodes) == set(idle)


def test_uninitialised_constants_are_zeros() -> None:
    draft = Draft(tensors={"x": (1, 4), "y": (1, 4)}, knowns={"torch": torch}, numbers=["p"])
    draft.block(
        0,
        tensor("y", "torch.empty_like(torch.empty(1, 4).new_empty(1, 4))"),
        host("p", "x[0, 0].item()"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, end=give("y"))
    draft.block(2, end=give("x"))
    knowns = run_passes(draft.graph()).graph.knowns
    (constant,) = (
        known.value for known in knowns.values() if isinstance(known.value, torch.Tensor)
    )
    assert torch.equal(constant, torch.zeros(1, 4))
