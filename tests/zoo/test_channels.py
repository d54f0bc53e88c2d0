"""Feature boosting and channel gating compute what their masks say; ACT stops when all halted."""

from typing import Any

import torch
from torch import Tensor

from zoo import adaptive_computation, channel_gating, feature_boosting
from zoo.measurement import HELD_OUT_SEED, measure


@torch.no_grad()
def test_what_is_pruned_would_have_been_zero() -> None:
    model: Any = feature_boosting.build_model()
    counts = set()
    for (picture,) in feature_boosting.sample_inputs(30, 0):
        logits, computed = model.pruned(picture)
        expected, _ = model(picture)
        torch.testing.assert_close(logits, expected, rtol=1e-4, atol=1e-4)
        assert all(
            len(live) <= layer.winners for live, layer in zip(computed, model.layers, strict=True)
        )
        counts.add(tuple(len(live) for live in computed))
    assert len(counts) > 1


@torch.no_grad()
def test_channels_are_finished_where_the_base_path_is_above_its_threshold() -> None:
    model: Any = channel_gating.build_model()
    seen: list[tuple[Any, Tensor, Tensor]] = []
    for part in model.modules():
        if isinstance(part, channel_gating.CGConv2d):
            part.register_forward_hook(lambda *of: seen.append((of[0], of[1][0], of[2])))
    (picture,) = channel_gating.sample_inputs(1, 0)[0]
    _, opened = model(picture)
    finished, places = 0, 0
    for conv, x, output in seen:
        base = torch.conv2d(x, conv.weight * conv.mask, None, conv.stride, conv.padding)
        full = torch.conv2d(x, conv.weight, None, conv.stride, conv.padding)
        promising = conv.bn(base) > conv.threshold
        torch.testing.assert_close(output, torch.where(promising, full, base))
        finished += int(promising.sum())
        places += promising.numel()
    torch.testing.assert_close(float(opened), finished / places)
    assert 0.05 < float(opened) < 0.95


@torch.no_grad()
def test_positions_halt_after_different_numbers_of_steps() -> None:
    model: Any = adaptive_computation.build_model()
    steps = 0

    def count(*_: object) -> None:
        nonlocal steps
        steps += 1

    model.layer.register_forward_hook(count)
    ran = set()
    for inputs in adaptive_computation.sample_inputs(40, 0):
        steps = 0
        _, remainders, updates = model(*inputs)
        assert steps == int(updates.max()) <= model.max_hop
        assert ((remainders >= 0) & (remainders <= 1)).all()
        ran.add(steps)
    assert len(ran) > 1


def test_pondering_has_learned_to_read() -> None:
    labelled = adaptive_computation.labelled_inputs(150, HELD_OUT_SEED)
    model = adaptive_computation.build_model()
    assert measure(model, adaptive_computation.decide, labelled).accuracy >= 0.9
