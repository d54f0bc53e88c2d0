"""Recurrent layers of TVM over a number of steps that only run time knows."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dycl.backends import create_backend
from dycl.testing.calls import calls_of
from rewriter.program import SymbolRange
from tests.dycl.symbolic import capture_symbolic, floats

pytestmark = pytest.mark.skipif(
    not create_backend("tvm").available().available, reason="TVM is not installed"
)

BATCH, FEATURES, WIDTH = 2, 4, 5


def _layer(kind: type[nn.RNNBase], **options: object) -> nn.RNNBase:
    generator = torch.Generator().manual_seed(1)
    layer = kind(FEATURES, WIDTH, **options)  # type: ignore[arg-type]
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.5)
    return layer.eval()


LAYERS = {
    "LSTM of two layers and directions": _layer(nn.LSTM, num_layers=2, bidirectional=True),
    "LSTM without biases": _layer(nn.LSTM, bias=False),
    "GRU, batch first": _layer(nn.GRU, batch_first=True),
    "GRU of two directions": _layer(nn.GRU, bidirectional=True),
    "RNN": _layer(nn.RNN, num_layers=2),
    "RNN with ReLU": _layer(nn.RNN, nonlinearity="relu", batch_first=True, bidirectional=True),
}


def _flat(layer: nn.RNNBase, x: Tensor) -> tuple[Tensor, ...]:
    outputs, last = layer(x)
    return (outputs, *last) if isinstance(last, tuple) else (outputs, last)


@pytest.mark.parametrize("name", LAYERS)
def test_every_number_of_steps(name: str, tmp_path: Path) -> None:
    layer = LAYERS[name]
    directions = 2 if layer.bidirectional else 1
    last = floats(layer.num_layers * directions, BATCH, WIDTH)
    first = (BATCH, "s") if layer.batch_first else ("s", BATCH)
    subdnn = capture_symbolic(
        lambda x: _flat(layer, x),
        {"x": floats(*first, FEATURES)},
        floats(*first, directions * WIDTH),
        *([last, last] if isinstance(layer, nn.LSTM) else [last]),
        symbols={"s": SymbolRange()},
    )
    call = calls_of(create_backend("tvm"), [subdnn], tmp_path)["subdnn_0"]
    for steps in (1, 2, 3, 40):
        sizes = (BATCH, steps) if layer.batch_first else (steps, BATCH)
        x = torch.randn(*sizes, FEATURES, generator=torch.Generator().manual_seed(steps))
        x.view(-1)[0] = float("nan") if steps == 3 else 1e30
        with torch.no_grad():
            wanted = _flat(layer, x)
        for got, tensor in zip(call(x.numpy()), wanted, strict=True):
            np.testing.assert_allclose(got, tensor.numpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(RuntimeError):
        call(np.zeros((BATCH, 0, FEATURES) if layer.batch_first else (0, BATCH, FEATURES), "f4"))


@pytest.mark.parametrize("width", [1, 5, 47])
def test_weights_may_be_inputs(width: int, tmp_path: Path) -> None:
    """They are laid out in the call, and not once before."""
    state = torch.zeros(1, BATCH, width)

    def function(x: Tensor, inside: Tensor, across: Tensor) -> Tensor:
        given = [inside, across, inside[:, 0] * 2, across[:, 0]]
        outputs: Tensor = torch.gru(x, state, given, True, 1, 0.0, False, False, False)[0]
        return outputs

    shapes = ((3 * width, FEATURES), (3 * width, width))
    inputs = {"x": floats("s", BATCH, FEATURES)}
    inputs |= {name: floats(*shape) for name, shape in zip(("v", "w"), shapes, strict=True)}
    subdnn = capture_symbolic(
        function, inputs, floats("s", BATCH, width), symbols={"s": SymbolRange(minimum=1)}
    )
    call = calls_of(create_backend("tvm"), [subdnn], tmp_path)["subdnn_0"]
    x, v, w = torch.randn(7, BATCH, FEATURES), *(torch.randn(shape) for shape in shapes)
    got = call(x.numpy(), v.numpy(), w.numpy())
    np.testing.assert_allclose(got, function(x, v, w).numpy(), rtol=1e-4, atol=1e-5)
