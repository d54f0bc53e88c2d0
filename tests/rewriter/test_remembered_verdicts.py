"""A verdict that is remembered is the one that the operation would be given anew."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import Dim
from torch.utils._pytree import tree_leaves

import dycl
from rewriter.diagnostics import CompileError
from rewriter.evaluation.size_trials import judging, nearby, probes, remembering
from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.likeness import Likeness, connected, likeness
from rewriter.evaluation.size_trials.probes import Probe
from rewriter.evaluation.size_trials.verdicts import Computed, Raises, Split, Verdict
from rewriter.evaluation.tensors.size_grid import Valuation, concrete
from rewriter.size_expressions import keys_of
from rewriter.storages import storage_key

Program = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def stacked(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Do the same to tensors of one shape, again and again."""
    for _ in range(3):
        x = torch.nn.functional.layer_norm(x @ x.transpose(0, 1) @ x, (4,))
    return x


def broadcast(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Add what fits at some sizes only, twice, under other facts the second time."""
    total = x + y
    total = total + x
    return total + y


def growing(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Append rows until their sum is large: the body is evaluated several times."""
    while x.sum().item() < 20.0:
        x = torch.cat([x, x[-1:] + 1.0])
        x = x - x.mean(0, keepdim=True).abs() * 0.0
    return x * 2.0


def sliced(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Cut at run-time places, and write there."""
    out = torch.zeros(16, 4)
    for place in (int(x[0, 0].item()), int(y[0, 0].item())):
        out[place : place + 2] = out[place : place + 2] + 1.0
    return out


def viewed(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Look at tensors in other ways, again and again."""
    for _ in range(4):
        x = x.transpose(0, 1)[1:].reshape(-1).unsqueeze(1).expand(-1, 3)[:, :2].clone()
        x = torch.full((x.shape[0], x.shape[0]), 1.0).triu(1) @ x + x.view(2, -1).t()
        x = torch.cat([x, x.flip(0)], 1)
    return x


LAYERS = [torch.nn.Linear(4, 4) for _ in range(3)]
TABLES = [torch.arange(256.0).reshape(64, 4) + number for number in range(4)]


def layered(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Layers and tables that are alike, with other weights."""
    for layer in LAYERS:
        x = layer(x).relu()
    for table in TABLES:
        part = table[: x.shape[0]]
        x = torch.cat([x + part, x @ table[:4]], 1)[:, 2:6] + part.view(-1, 4)
    return x


@pytest.mark.parametrize("program", [stacked, broadcast, growing, sliced, viewed, layered])
def test_remembered_verdicts_are_those_given_anew(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: Counter[str] = Counter()
    original = remembering.recalled

    def recalled(call: SizedCall, like: Likeness) -> Verdict | None:
        verdict = original(call, like)
        if verdict is not None:
            assert _told(verdict, like, call) == _told(judging._judged(call), like, call)
            compared[type(verdict).__name__] += 1
        return verdict

    for module in (judging, nearby):
        monkeypatch.setattr(module, "recalled", recalled)
    rows, others = Dim("rows", min=1, max=64), Dim("others", min=1, max=64)
    examples = (torch.ones(3, 4), torch.ones(5, 4))
    dycl.rewrite(program, examples, dynamic_shapes={"x": {0: rows}, "y": {0: others}})
    assert compared


def summed(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Do the same to tensors whose sizes are other sums of symbols."""
    for _ in range(3):
        x = torch.nn.functional.linear(torch.cat([x, y]).relu(), torch.ones(4, 4))
    return x


@pytest.mark.parametrize("program", [broadcast, summed])
def test_remembered_probes_are_those_made_anew(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: Counter[str] = Counter()
    original, run = probes.probe, probes._run

    def counted(*given: Any) -> Probe:
        counts["run"] += 1
        return run(*given)

    def probe(call: SizedCall, values: Valuation) -> Probe:
        found = original(call, values)
        operands: Any = concrete(call.operands, values, call.run.probe_mode)
        arguments, keywords = operands
        anew = run(call, arguments, keywords, values)
        assert _seen(found) == _seen(anew)
        counts["asked"] += 1
        return found

    monkeypatch.setattr(probes, "_run", counted)
    monkeypatch.setattr(judging, "probe", probe)
    rows, others = Dim("rows", min=1, max=64), Dim("others", min=1, max=64)
    examples = (torch.ones(3, 4), torch.ones(5, 4))
    dycl.rewrite(program, examples, dynamic_shapes={"x": {0: rows}, "y": {0: others}})
    assert counts["run"] < counts["asked"]


def _seen(found: Probe) -> object:
    """Return what a run at numbers says: layouts, whose memory is whose, and errors."""
    given = [x for x in tree_leaves((found.arguments, found.keywords)) if isinstance(x, FakeTensor)]
    results = [x for x in tree_leaves(found.result) if isinstance(x, torch.Tensor)]
    return (
        [(x.dtype, x.shape, x.stride(), x.storage_offset()) for x in (*given, *results)],
        [[storage_key(x) == storage_key(y) for x in given] for y in results],
        (type(found.error), str(found.error), found.of_content, dict(found.values)),
    )


def paired(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Do the same on paths that know more and more of other sizes."""
    total = torch.zeros(4)
    for mask in (y > 1.0, y > 2.0, y > 3.0):
        chosen = y[mask.all(1)]
        if chosen.shape[0] > x.shape[0]:
            total = total + torch.cat([chosen, x]).softmax(0).sum(0)
        x = x - x.mean(0, keepdim=True) * 0.5
    return total + x.sum(0)


@pytest.mark.parametrize("program", [paired, broadcast])
def test_verdicts_by_facts_about_own_sizes_are_those_by_all_facts(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = 0
    original = nearby.judged_nearby

    def judged_nearby(call: SizedCall, judged: Callable[[SizedCall], Verdict]) -> Computed | None:
        nonlocal compared
        verdict = original(call, judged)
        if verdict is not None:
            like = likeness(call, connected(call))
            assert like is not None
            assert _told(verdict, like, call) == _told(judged(call), like, call)
            compared += 1
        return verdict

    monkeypatch.setattr(judging, "judged_nearby", judged_nearby)
    rows, others = Dim("rows", min=1, max=64), Dim("others", min=1, max=64)
    examples = (torch.ones(3, 4), torch.ones(5, 4))
    dycl.rewrite(program, examples, dynamic_shapes={"x": {0: rows}, "y": {0: others}})
    assert compared


def test_views_of_weights_that_are_alike_are_views_of_their_own_weight() -> None:
    def written(x: torch.Tensor) -> torch.Tensor:
        parts = [table.expand(x.shape[0], 64, 4) for table in TABLES]
        return parts[-1][0].add_(1.0)

    rows = Dim("rows", min=1, max=64)
    with pytest.raises(CompileError, match="DYCL034"):
        dycl.rewrite(written, (torch.ones(3, 4),), dynamic_shapes={"x": {0: rows}})


def _told(verdict: Verdict, like: Likeness, call: SizedCall) -> object:
    """Return what a verdict says; new symbols have other names each time."""
    match verdict:
        case Computed():
            known = {str(symbol) for symbol in like.symbols}
            leaves = tree_leaves(verdict.result)
            told = [
                _layout(x, known, call) if isinstance(x, torch.Tensor) else type(x) for x in leaves
            ]
            return told, len(verdict.related), verdict.observer.may_raise
        case Split(relation):
            return relation
        case Raises(relation, error):
            return relation, type(error), str(error)
        case _:
            return verdict


def _layout(tensor: torch.Tensor, known: set[str], call: SizedCall) -> object:
    """Return what is to be known of a tensor, with the operands whose memory it shares."""
    memory = tensor.untyped_storage()
    sizes = (*tensor.shape, *tensor.stride(), tensor.storage_offset(), memory.nbytes())
    fake = call.run.mode.from_tensor
    operands = [fake(x) for x in tree_leaves(call.operands) if isinstance(x, torch.Tensor)]
    sharing = [storage_key(x) == storage_key(tensor) for x in operands]
    return tensor.dtype, tensor.device, [_size(key, known) for key in keys_of(sizes)], sharing


def _size(key: object, known: set[str]) -> object:
    symbols = {str(symbol) for symbol in getattr(key, "free_symbols", ())}
    return key if symbols <= known else "new"
