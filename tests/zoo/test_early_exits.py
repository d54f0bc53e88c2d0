"""BranchyNet, MSDNet, PABEE and DeeBERT leave where their papers say, and not a layer later."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import branchynet, deebert, msdnet, patience
from zoo.bert_layers import BertConfig
from zoo.measurement import HELD_OUT_SEED, measure

LAYERS = BertConfig.num_hidden_layers


def entropy_of(logits: Tensor) -> float:
    """Return the entropy of the distribution that the logits mean, in nats."""
    probabilities = F.softmax(logits, dim=1)
    return float(-(probabilities * probabilities.log()).nansum())


def all_logits(model: Any, inputs: tuple[Tensor, ...]) -> list[Tensor]:
    """Return what every classifier of a BERT with exits says, as it does in training."""
    outputs = model.train()(*inputs)
    model.eval()
    if isinstance(model, deebert.DeeBertForSequenceClassification):
        return [*outputs[1], outputs[0]]
    logits: list[Tensor] = outputs[0]
    return logits


@pytest.mark.parametrize("build", [branchynet.build_model, branchynet.build_lenet])
@torch.no_grad()
def test_the_first_branch_of_low_entropy_answers(build: Any) -> None:
    model = build()
    for (picture,) in branchynet.sample_inputs(30, 1):
        output, index, is_early = model.early_exit(picture)
        outputs = model(picture)
        entropies = [entropy_of(each) for each in outputs]
        sure = [e < t for e, t in zip(entropies, model.exit_thresholds, strict=False)]
        assert is_early == any(sure)
        assert index == (sure.index(True) if any(sure) else len(outputs) - 1)
        torch.testing.assert_close(output, outputs[index])


@torch.no_grad()
def test_msdnet_keeps_a_budget() -> None:
    model: Any = msdnet.build_model()
    assert all(0.5 < threshold < 1 for threshold in model.thresholds.tolist())
    for (picture,) in msdnet.sample_inputs(30, 1):
        output, index, is_early = model.budgeted(picture)
        outputs = model(picture)
        sure = [
            float(F.softmax(each, dim=1).max()) >= threshold
            for each, threshold in zip(outputs, model.thresholds, strict=False)
        ]
        assert is_early == any(sure)
        assert index == (sure.index(True) if any(sure) else model.n_blocks - 1)
        torch.testing.assert_close(output, outputs[index])


@torch.no_grad()
def test_msdnet_drops_the_finest_scales_on_the_way() -> None:
    model: Any = msdnet.build_model()
    x: Any = msdnet.example_inputs()[0]
    scales = []
    for block in model.blocks:
        x = block(x)
        scales.append([each.size(-1) for each in x])
    assert scales == [[16, 8, 4], [16, 8, 4], [8, 4], [4], [4]]


@torch.no_grad()
def test_patience_counts_layers_that_agree() -> None:
    model: Any = patience.build_model()
    depths = set()
    for inputs in patience.sample_inputs(60, 2):
        logits, layers = model(*inputs)
        labels = [int(each.argmax()) for each in all_logits(model, inputs)]
        agreeing, expected = 0, LAYERS
        for index in range(1, LAYERS):
            agreeing = agreeing + 1 if labels[index] == labels[index - 1] else 0
            if agreeing == model.bert.patience:
                expected = index + 1
                break
        assert layers == expected
        assert int(logits.argmax()) == labels[layers - 1]
        depths.add(layers)
    assert len(depths) > 1


@torch.no_grad()
def test_patience_adds_up_what_it_ran() -> None:
    model: Any = patience.build_model()
    layers = [model(*inputs)[1] for inputs in patience.sample_inputs(10, 3)]
    assert model.bert.inference_layers_num == sum(layers)
    assert model.bert.inference_instances_num == 10
    model.bert.reset_stats()
    assert model.bert.inference_layers_num == 0


@torch.no_grad()
def test_a_sure_highway_ends_the_encoder_by_exception() -> None:
    model: Any = deebert.build_model()
    exits = set()
    for inputs in deebert.sample_inputs(40, 2):
        logits, (last_entropy, entropies), exit_layer = model(*inputs)
        outputs = all_logits(model, inputs)
        expected = [entropy_of(each) for each in outputs]
        sure = [value < deebert.EARLY_EXIT_ENTROPY for value in expected[:-1]]
        assert exit_layer == (sure.index(True) + 1 if any(sure) else LAYERS)
        torch.testing.assert_close(logits, outputs[exit_layer - 1])
        assert len(entropies) == min(exit_layer, LAYERS - 1)
        assert float(last_entropy) == pytest.approx(expected[exit_layer - 1], abs=1e-5)
        exits.add(exit_layer)
    assert len(exits) >= 4


@pytest.mark.parametrize("module", [patience, deebert], ids=["patience", "deebert"])
def test_the_small_berts_have_learned_to_read(module: Any) -> None:
    labelled = module.labelled_inputs(150, HELD_OUT_SEED)
    assert measure(module.build_model(), module.decide, labelled).accuracy >= 0.93
