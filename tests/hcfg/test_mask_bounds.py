"""Limits on what skipped layers read: up to them the layers give finite numbers."""

from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hcfg.graph import SubDnn
from hcfg.masks.finding import skippable_parts
from hcfg.masks.values import trace
from tests.hcfg.programs import Draft, give, tensor

LINEAR = nn.Linear(4, 4)
CONVOLUTION = nn.Conv2d(2, 4, 3, padding=1)
NORM = nn.BatchNorm2d(2).eval()

Layers = Callable[[Tensor], Tensor]

BOUNDED: dict[str, Layers] = {
    "activations": lambda x: F.gelu(F.silu(F.hardswish(LINEAR(x)))),
    "approximate gelu": lambda x: F.gelu(LINEAR(x), approximate="tanh"),
    "clamps": lambda x: F.leaky_relu(F.relu6(LINEAR(x)) - x.clamp(-3, 3), 20.0),
    "gates of their own": lambda x: LINEAR(x) * x.sigmoid() * x.tanh() * F.hardsigmoid(x),
    "squares": lambda x: LINEAR(x * x) * x,
    "attention": lambda x: (x @ LINEAR(x).transpose(-1, -2)).softmax(-1) @ x,
    "division": lambda x: LINEAR(x) / 1e-3,
    "sums": lambda x: LINEAR(x) + x.sum() - x.mean(-1, keepdim=True) + torch.add(x, x, alpha=-5),
    "parts": lambda x: LINEAR(torch.cat([x[..., 2:], x[..., :2]], -1)).flip(-1).roll(1, -1),
    "selected": lambda x: torch.where(x > 0, LINEAR(x), x.abs()),
    "padding": lambda x: F.pad(LINEAR(x), (1, 1), value=-7.0)[..., 1:-1],
    "pictures": lambda x: F.pixel_shuffle(CONVOLUTION(x), 2)[..., :4, :4].expand(1, 2, 4, 4),
    "normalised": lambda x: F.max_pool2d(NORM(CONVOLUTION(x)[:, :2]), 3, 1, 1),
    "averages": lambda x: F.avg_pool2d(LINEAR(x), 3, 1, 1) + F.adaptive_avg_pool2d(x, 1),
    "larger": lambda x: F.interpolate(F.max_pool2d(LINEAR(x), 2), scale_factor=2),
    "transposed": lambda x: F.conv_transpose2d(x, CONVOLUTION.weight[:2], padding=1)[:, :2],
    "doubles": lambda x: LINEAR(x).double().float(),
}

UNBOUNDED: dict[str, Layers] = {
    "exponential": lambda x: LINEAR(x).exp(),
    "quotient": lambda x: LINEAR(x) / (x.abs() + 1e-3),
    "normalised by its own variance": lambda x: F.layer_norm(LINEAR(x), (4,)),
    "statistics of the batch": lambda x: F.batch_norm(LINEAR(x), None, None, training=True),
    "infinite weights": lambda x: LINEAR(x) * float("inf"),
    "no weights at all": lambda x: LINEAR(x) * torch.tensor(float("nan")),
    "division by zero": lambda x: LINEAR(x) / torch.tensor([1.0, 2.0, 0.0, 3.0]),
    "floored": lambda x: torch.div(LINEAR(x), 0.5, rounding_mode="floor"),
    "bits": lambda x: LINEAR(x).view(torch.int32).view(torch.float32),
    "halves": lambda x: LINEAR(x).half().float(),
}


def limits_of(layers: Layers) -> tuple[tuple[str, float], ...] | None:
    """Return what a program with these layers compares with which limits; None for no branch."""
    draft = Draft(
        tensors=dict.fromkeys(["x", "gate", "mask", "out", "part", "y"], (1, 2, 4, 4)),
        knowns={"layers": layers},
    )
    draft.block(
        0,
        tensor("gate", "x > 0"),
        tensor("mask", "gate.float()"),
        tensor("out", "layers(x)"),
        tensor("part", "out * mask"),
        tensor("y", "x + part"),
        end=give("y"),
    )
    graph = draft.graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    found = trace("subdnn_0", node, graph)
    assert found is not None
    parts = skippable_parts(node, found, graph)
    return parts[0].limits if parts else None


def inputs_of(limit: float) -> Iterator[Tensor]:
    """Yield tensors whose magnitudes add up to a limit, or almost."""
    generator = torch.Generator().manual_seed(0)
    for place in range(0, 32, 5):
        single = torch.zeros(1, 2, 4, 4)
        single.view(-1)[place] = limit * (-1) ** place
        yield single
    for _ in range(20):
        x = torch.randn(1, 2, 4, 4, generator=generator, dtype=torch.float64)
        yield (x * (0.999 * limit / x.abs().sum())).float()


@pytest.mark.parametrize("name", BOUNDED)
def test_layers_give_finite_numbers_up_to_the_limit(name: str) -> None:
    limits = limits_of(BOUNDED[name])
    assert limits is not None
    ((variable, limit),) = limits
    assert variable == "x"
    for x in inputs_of(limit):
        assert x.abs().sum() <= limit
        with torch.no_grad():
            assert BOUNDED[name](x).isfinite().all()


@pytest.mark.parametrize("name", UNBOUNDED)
def test_layers_without_a_bound_are_not_skipped(name: str) -> None:
    assert limits_of(UNBOUNDED[name]) is None


@pytest.fixture(autouse=True)
def same_weights() -> None:
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in (*LINEAR.parameters(), *CONVOLUTION.parameters()):
            parameter.uniform_(-1, 1, generator=generator)
