"""Every model builds, the same each time, and offers what the command line looks for."""

import torch

from tests.zoo.models import ENTRIES, EVERY, on_models, prepared


@on_models(EVERY)
def test_a_model_is_ready_for_inference(name: str) -> None:
    model, run = prepared(name)
    assert not any(module.training for module in model.modules())
    (picture,) = ENTRIES[name].module.example_inputs()
    assert picture.shape == (1, 3, 32, 32)
    with torch.no_grad():
        output = run(picture)
    assert output[0].shape == (1, 10)


@on_models(EVERY)
def test_a_model_is_the_same_each_time_and_leaves_the_random_state_alone(name: str) -> None:
    before = torch.random.get_rng_state()
    again = ENTRIES[name].build().state_dict()
    assert torch.equal(torch.random.get_rng_state(), before)
    model, _ = prepared(name)
    state = model.state_dict()
    assert state.keys() == again.keys()
    assert all(torch.equal(state[key], again[key]) for key in state)


@on_models(EVERY)
def test_sample_inputs_depend_on_the_seed_only(name: str) -> None:
    module = ENTRIES[name].module
    first, again, other = (module.sample_inputs(5, seed=seed) for seed in (3, 3, 4))
    assert len(first) == 5
    assert all(torch.equal(a, b) for (a,), (b,) in zip(first, again, strict=True))
    assert not any(torch.equal(a, b) for (a,), (b,) in zip(first, other, strict=True))


@on_models(EVERY)
def test_an_input_gives_the_same_answer_after_others_ran(name: str) -> None:
    _, run = prepared(name)
    decide = ENTRIES[name].module.decide
    inputs = ENTRIES[name].module.sample_inputs(4, seed=9)
    with torch.no_grad():
        forwards = [decide(run(*sample)) for sample in inputs]
        backwards = [decide(run(*sample)) for sample in reversed(inputs)]
    assert forwards == backwards[::-1]
