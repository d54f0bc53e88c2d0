"""Sample inputs take many paths: gates open and close, every exit is taken."""

from typing import Any

import torch

from tests.zoo.models import (
    EARLY_EXIT,
    ENTRIES,
    EVERY,
    GATED,
    SHALLOW_DEEP,
    TRAINED,
    on_models,
    paths,
    prepared,
    samples,
)
from zoo import branchynet, shallow_deep
from zoo.measurement import measure_on_digits
from zoo.report import choices_made

SAMPLES = 100


@on_models(GATED)
def test_most_gates_go_both_ways(name: str) -> None:
    gates = list(zip(*paths(name, SAMPLES), strict=True))
    both = [gate for gate in gates if len(set(gate)) == 2]
    assert len(both) >= 0.8 * len(gates), choices_made(paths(name, SAMPLES))
    assert len(set(paths(name, SAMPLES))) >= 10


def internal_classifiers(model: Any) -> int:
    """Return how many classifiers an early-exit network has before its last."""
    if isinstance(model, shallow_deep.ShallowDeepNetwork):
        return sum(layer.output is not None for layer in model.layers)
    return len(model.exits if isinstance(model, branchynet.BranchyNet) else model.classifier) - 1


@on_models(EARLY_EXIT)
def test_every_exit_is_taken_and_some_inputs_take_none(name: str) -> None:
    taken = {index for index, is_early in paths(name, SAMPLES) if is_early}
    assert taken == set(range(internal_classifiers(ENTRIES[name].build())))
    late = {index for index, is_early in paths(name, SAMPLES) if not is_early}
    assert len(late) >= (2 if name in SHALLOW_DEEP else 1)


@on_models(TRAINED)
def test_a_trained_model_has_learned_the_digits(name: str) -> None:
    entry = ENTRIES[name]
    _, run = entry.prepare()
    assert measure_on_digits(run, entry.module.decide, 150).accuracy >= 0.93


@on_models(EVERY)
def test_rounding_errors_do_not_change_a_decision(name: str) -> None:
    _, run = prepared(name)
    decide = ENTRIES[name].module.decide
    torch.manual_seed(0)
    with torch.no_grad():
        for (picture,) in samples(name, 40):
            rounded = picture * (1 + 1e-6 * torch.randn_like(picture))
            assert decide(run(rounded)) == decide(run(picture))
