"""What recordings refuse, and what they call a bug of the rewriter's."""

import re
from dataclasses import replace

import pytest
import torch
from torch import nn

from hcfg.interpret import Interpreter
from hcfg.passes import run_passes
from rewriter.diagnostics import CompileError, DyclBug
from rewriter.program import Pattern, Statement
from tests.hcfg.outcomes import describe, outcome
from tests.hcfg.programs import Draft, branch, expression, give, host, tensor
from tests.hcfg.recorded import draft_of, record_of
from tests.hcfg.sequential import run_sequentially


def refusals(*statements: Statement, result: str, **knowns: object) -> list[str]:
    with pytest.raises(CompileError) as refused:
        run_passes(draft_of(*statements, result=result, **knowns).graph())
    return [
        f"{diagnostic.code} line {diagnostic.origin.line}"
        for diagnostic in refused.value.diagnostics
        if diagnostic.origin is not None
    ]


def test_random_numbers_are_refused() -> None:
    found = refusals(
        tensor("y", "x + 1"),
        tensor("z", "drop(y)"),
        tensor("w", "torch.rand(2, 4) + z"),
        result="(y, w)",
        drop=nn.Dropout(),
    )
    assert found == ["DYCL201 line 2", "DYCL201 line 3"]


def test_attention_and_recurrence_in_evaluation_mode_are_not_random() -> None:
    attention = nn.MultiheadAttention(4, 2, dropout=0.5, batch_first=True).eval()
    recurrence = nn.LSTM(4, 4, num_layers=2, dropout=0.5).eval()
    draft = draft_of(
        tensor("y", "attend(x, x, x)"),
        tensor(("z", None), "attention(y, y, y)"),
        tensor(("w", None), "recurrence(z)"),
        result="w",
        attend=nn.functional.scaled_dot_product_attention,
        attention=attention,
        recurrence=recurrence,
    )
    assert run_passes(draft.graph()).sharing.artifacts == (("subdnn_0",),)


def test_lasting_changes_are_refused() -> None:
    count = torch.zeros(2, 4)
    found = refusals(
        tensor("y", "norm(x)"),
        tensor(None, "count.add_(1)"),
        tensor("z", "y + count"),
        result="z",
        norm=nn.BatchNorm1d(4),
        count=count,
    )
    assert found == ["DYCL202 line 1", "DYCL202 line 2"]


def _written_behind_a_decision(
    retakes: dict[str, str], view: tuple[Pattern, str] = ("r", "y[0]")
) -> Draft:
    draft = draft_of(result="x")
    draft.block(
        0,
        tensor("y", "x * 2"),
        tensor(*view),
        host("p", "y[0, 0].item()"),
        end=branch("p > 0.0", 1, 2),
    )
    written = tensor(None, "r.add_(1)", updates={"r1": "r", "y1": "y"})
    again = tuple((name, expression(text)) for name, text in retakes.items())
    draft.block(1, replace(written, retakes=again), end=give("(r1, y1)"))
    draft.block(2, end=give("(r, y)"))
    return draft


@pytest.mark.parametrize("retakes", [{"r": "y.view(-1)[0:4].view(4)"}, {"r": "other.view(-1)"}, {}])
def test_a_view_from_before_a_decision_is_taken_again(retakes: dict[str, str]) -> None:
    draft = _written_behind_a_decision(retakes)
    graph = run_passes(draft.graph()).graph
    for x in (torch.ones(2, 4), -torch.ones(2, 4)):
        expected = describe(run_sequentially(draft.program(), [x.clone()]))
        assert outcome(Interpreter(graph=graph), [x]).text == expected


def test_writing_through_a_view_from_before_a_decision_is_refused() -> None:
    draft = _written_behind_a_decision({}, (("r", "s"), "y.unbind()"))
    with pytest.raises(CompileError) as refused:
        run_passes(draft.graph())
    assert str(refused.value) == (
        "net.py:6:1: DYCL203: this writes into a tensor through a view that was taken before a "
        "decision made at run time\n"
        "    6 | line 6\n"
        "      | ^\n"
        "  help: take the view again just before writing, or use an out-of-place operation"
    )


def test_undeclared_change_of_an_output_is_a_bug() -> None:
    with pytest.raises(DyclBug, match="output 'y' is overwritten, not renamed"):
        record_of(tensor("y", "x + 1"), tensor("z", "y.relu_()"), result="(y, z)")


def test_undeclared_change_of_an_input_that_is_read_later_is_a_bug() -> None:
    draft = draft_of(tensor("y", "x.relu_()"), result="(x, y)")
    with pytest.raises(DyclBug, match="overwrites 'x', which is read later"):
        run_passes(draft.graph())


def test_output_that_is_not_what_the_table_says_is_a_bug() -> None:
    message = re.escape("output 'r' is torch.float32[2, 4], the program says")
    with pytest.raises(DyclBug, match=message):
        record_of(tensor("r", "x + 1"), result="r")


def test_statement_that_needs_real_values_is_a_bug() -> None:
    with pytest.raises(DyclBug, match=r"subdnn_0: net.py:1 cannot run on fake tensors"):
        record_of(tensor("y", "torch.from_numpy(x.numpy())"), result="y")
