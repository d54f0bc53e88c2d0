"""Gates skip, exits exit and policies drop as the papers say, seen from outside the models."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.zoo.models import ENTRIES, SHALLOW_DEEP, on_models, samples
from zoo import blockdrop, shallow_deep, skipnet, skipnet_rnn


def calls_of(modules: Iterable[nn.Module]) -> list[int]:
    """Return a list that will hold the index of each of these modules when it runs."""
    calls: list[int] = []
    for index, module in enumerate(modules):
        module.register_forward_hook(lambda *_, index=index: calls.append(index))
    return calls


def picture(index: int = 0) -> Tensor:
    """Return a sample input."""
    return samples("SkipNet-38", 20)[index][0]


@pytest.mark.parametrize("module", [skipnet, skipnet_rnn], ids=["feed-forward", "recurrent"])
def test_a_block_runs_exactly_if_the_gate_before_it_says_so(module: object) -> None:
    model: Any = skipnet.build_model() if module is skipnet else skipnet_rnn.build_model()
    blocks = [part for part in model.modules() if isinstance(part, skipnet.BasicBlock)]
    calls = calls_of(blocks)
    with torch.no_grad():
        _, masks, probs = model(picture())
    assert len(blocks) == 18
    assert len(masks) == len(probs) == 17
    # the first block has no gate before it
    assert calls == [0] + [index for index, mask in enumerate(masks, start=1) if mask > 0]
    assert [int(mask) for mask in masks] == [int(prob > 0.5) for prob in probs]


def test_a_skipnet_whose_gates_are_shut_is_its_shortcuts_alone() -> None:
    model: Any = skipnet.build_model()
    for part in model.modules():
        if isinstance(part, skipnet.FeedForwardGate):
            part.linear.bias = nn.Parameter(torch.tensor([1e6, 0.0]))
    with torch.no_grad():
        logits, masks, _ = model(picture())
        x = model.group1_layer0(model.relu(model.bn1(model.conv1(picture()))))
        x = model.group3_ds0(model.group2_ds0(x))
        expected = model.fc(model.avgpool(x).flatten(1))
    assert not any(mask.item() for mask in masks)
    torch.testing.assert_close(logits, expected)


def test_a_recurrent_gate_remembers_earlier_blocks() -> None:
    model: Any = skipnet_rnn.build_model()
    with torch.no_grad():
        _, _, before = model(picture())
        _, _, again = model(picture())
        model.group0_embed0[1].bias += 5.0
        _, _, after = model(picture())
    # each call begins with an empty memory
    assert all(torch.equal(a, b) for a, b in zip(before, again, strict=True))
    changed = [not torch.equal(a, b) for a, b in zip(before, after, strict=True)]
    assert changed[0]
    assert changed[1]


@pytest.mark.parametrize("depth, blocks", [(38, 18), (74, 36), (110, 54)])
def test_skipnets_have_the_depth_they_are_named_after(depth: int, blocks: int) -> None:
    model: Any = skipnet.build_seeded(depth)
    parts = [part for part in model.modules() if isinstance(part, skipnet.BasicBlock)]
    assert len(parts) == blocks
    assert 2 * blocks + 2 == depth


def test_a_policy_drops_the_blocks_it_does_not_keep() -> None:
    model: Any = blockdrop.build_model()
    blocks = [block for segment in model.resnet.blocks for block in segment]
    calls = calls_of(blocks)
    with torch.no_grad():
        logits, policy = model(picture())
        expected = model.resnet.forward_masked(picture(), policy)
    assert len(blocks) == policy.size(1) == 15
    assert calls[: int(policy.sum())] == policy[0].nonzero().flatten().tolist()
    torch.testing.assert_close(logits, expected)


@on_models(SHALLOW_DEEP)
def test_the_first_confident_classifier_answers(name: str) -> None:
    model: Any
    model, run = ENTRIES[name].prepare()
    for sample in samples(name, 20):
        output, exit_index, is_early = run(*sample)
        with torch.no_grad():
            outputs = model(*sample)
        confidences = [float(F.softmax(logits, dim=1).max()) for logits in outputs]
        confident = [value >= model.confidence_threshold for value in confidences[:-1]]
        assert is_early == any(confident)
        expected = confident.index(True) if is_early else int(np.argmax(confidences))
        assert exit_index == expected
        torch.testing.assert_close(output, outputs[expected])


def test_blocks_behind_the_exit_do_not_run() -> None:
    model: Any = shallow_deep.build_resnet()
    model.confidence_threshold = 0.0
    calls = calls_of(list(model.layers))
    _, exit_index, is_early = model.early_exit(picture())
    assert (exit_index, is_early) == (0, True)
    assert calls == [0, 1, 2, 3]


def test_training_blends_both_outcomes_and_reaches_every_gate() -> None:
    model: Any = skipnet.build_seeded(38, widths=(8, 16, 32)).train()
    torch.manual_seed(0)
    logits, masks, _ = model(torch.cat([picture(index) for index in range(4)]))
    assert logits.shape == (4, 10)
    assert all(mask.shape == (4,) for mask in masks)
    (logits.square().sum() + torch.stack(masks).sum()).backward()
    gates: list[Any] = [
        part for part in model.modules() if isinstance(part, skipnet.FeedForwardGate)
    ]
    # the last gate decides about no block
    assert all(gate.linear.weight.grad.abs().sum() > 0 for gate in gates[:-1])
    assert gates[-1].linear.weight.grad is None
