"""ConvNet-AIG, CALM and Switch Transformers do what their papers say, seen from outside."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import calm, convnet_aig, switch_transformer
from zoo.measurement import HELD_OUT_SEED, measure


@torch.no_grad()
def test_a_block_with_a_shut_gate_leaves_its_shortcut() -> None:
    model: Any = convnet_aig.build_model()
    blocks = [part for part in model.modules() if isinstance(part, convnet_aig.BasicBlock)]
    seen: list[tuple[bool, Tensor, Tensor]] = []
    for block in blocks:
        block.register_forward_hook(
            lambda part, inputs, outputs: seen.append(
                (bool(outputs[1] > 0), F.relu(part.shortcut(inputs[0])), outputs[0])
            )
        )
    (picture,) = convnet_aig.sample_inputs(1, 5)[0]
    _, gates = model(picture)
    assert len(gates) == len(blocks) == 18
    assert {float(gate) for gate in gates} == {0.0, 1.0}
    for is_open, shortcut, output in seen:
        assert is_open != torch.equal(shortcut, output)


def test_training_draws_gates_and_reaches_them() -> None:
    model: Any = convnet_aig.build_seeded().train()
    torch.manual_seed(0)
    pictures = torch.cat([picture for (picture,) in convnet_aig.sample_inputs(4, 0)])
    logits, gates = model(pictures)
    again, _ = model(pictures)
    assert not torch.equal(logits, again)
    assert all(gate.shape == (4, 1, 1) for gate in gates)
    total: Tensor = torch.stack(gates).sum()
    total.backward()  # type: ignore[no-untyped-call]
    blocks = [part for part in model.modules() if isinstance(part, convnet_aig.BasicBlock)]
    assert all(block.fc2.weight.grad is not None for block in blocks)


@torch.no_grad()
def test_a_decoder_that_never_leaves_early_is_the_plain_transformer() -> None:
    model: Any = calm.build_model()
    model.threshold = lambda step, most: 2.0
    for inputs, _ in calm.labelled_inputs(10, 4):
        words, depths = model(*inputs)
        assert set(depths) == {len(model.block)}
        # without any cache
        tokens = inputs[0]
        for word in words:
            assert int(model.train_forward(tokens)[-1][0, -1].argmax()) == word
            tokens = torch.cat([tokens, torch.tensor([[word]])], dim=1)


@torch.no_grad()
def test_words_leave_at_different_layers_and_caches_have_all_of_them() -> None:
    model: Any = calm.build_model()
    depths = [depth for inputs in calm.sample_inputs(60, 0) for depth in model(*inputs)[1]]
    assert set(depths) == set(range(1, len(model.block) + 1))
    prompt, _ = calm.example_inputs()
    _, caches = model.prefill(prompt)
    _, caches, run = model.decode(torch.tensor([[7]]), 0.0, caches)
    assert run == 1
    assert {key.size(2) for key, _ in caches} == {prompt.size(1) + 1}


@torch.no_grad()
def test_the_decoder_has_learned_to_repeat_and_to_sort() -> None:
    labelled = calm.labelled_inputs(60, HELD_OUT_SEED)
    assert measure(calm.build_model(), calm.decide, labelled).accuracy >= 0.93


@pytest.mark.parametrize("build", [switch_transformer.build_model, switch_transformer.build_labml])
def test_switches_have_learned_to_read(build: Any) -> None:
    labelled = switch_transformer.labelled_inputs(150, HELD_OUT_SEED)
    assert measure(build(), switch_transformer.decide, labelled).accuracy >= 0.9


@pytest.mark.parametrize("name", switch_transformer.LAYERS)
@torch.no_grad()
def test_a_token_goes_to_its_expert_or_finds_it_full(name: str) -> None:
    model: Any = switch_transformer._build(name)
    mlp = model.block[0].mlp
    full = 0
    for seed in range(6):
        torch.manual_seed(seed)
        tokens = torch.randn(1, 16, 32)
        mixed, (router, _, _) = mlp(tokens)
        probabilities = torch.softmax(router, dim=-1)
        room = dict.fromkeys(range(switch_transformer.EXPERTS), 5)
        experts = list(mlp.experts.values() if name == "huggingface" else mlp.experts)
        for place, row in enumerate(probabilities.view(16, -1)):
            expert, token = int(row.argmax()), tokens[:, place]
            has_room = room[expert] > 0
            room[expert] -= 1
            full += not has_room
            expected = (experts[expert](token) if has_room else token) * row.max()
            torch.testing.assert_close(mixed[:, place], expected)
    assert full > 0
