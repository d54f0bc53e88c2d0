"""Recurrent layers over a number of steps of run time in OpenVINO, which has operators for them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx.helper import make_node
from torch import Tensor, nn

from dycl.backends import create_backend
from dycl.testing.calls import calls_of
from tests.dycl.symbolic import capture_symbolic, floats

pytest.importorskip("openvino")

LAYERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "lstm": (nn.LSTM, {}),
    "gru": (nn.GRU, {}),
    "rnn": (nn.RNN, {}),
    "rnn with relu": (nn.RNN, {"nonlinearity": "relu"}),
    "two layers, both ways": (nn.LSTM, {"num_layers": 2, "bidirectional": True}),
    "both ways": (nn.GRU, {"bidirectional": True}),
    "without biases": (nn.GRU, {"bias": False}),
}
SCALES = ((1.0, 1.0), (20.0, 1.0), (1e4, 1.0), (1.0, 100.0), (1.0, 1e10))
"""How large inputs and states are."""


def compiled(function: Callable[..., Any], *specs: Any, directory: Path) -> Callable[..., Any]:
    inputs, *outputs = specs
    subdnn = capture_symbolic(function, inputs, *outputs)
    return calls_of(create_backend("openvino"), [subdnn], directory)[subdnn.name]


@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_as_in_pytorch(name: str, tmp_path: Path) -> None:
    kind, options = LAYERS[name]
    torch.manual_seed(0)
    layer = kind(4, 5, **options).eval()
    directions = 2 if layer.bidirectional else 1
    runs = layer.num_layers * directions

    def function(x: Tensor, state: Tensor) -> tuple[Tensor, ...]:
        outputs, last = layer(x, (state, state) if kind is nn.LSTM else state)
        return (outputs, *(last if kind is nn.LSTM else (last,)))

    given = {"x": floats("n", 2, 4), "state": floats(runs, 2, 5)}
    ends = [floats(runs, 2, 5)] * (2 if kind is nn.LSTM else 1)
    call = compiled(function, given, floats("n", 2, 5 * directions), *ends, directory=tmp_path)
    for steps in (1, 2, 7, 40):
        for size, state_size in SCALES:
            x, state = torch.randn(steps, 2, 4) * size, torch.randn(runs, 2, 5) * state_size
            with torch.no_grad():
                expected = function(x, state)
            for got, wanted in zip(call(x.numpy(), state.numpy()), expected, strict=True):
                np.testing.assert_allclose(got, wanted.numpy(), 1e-3, 1e-5)


def test_no_steps_raise_as_in_pytorch(tmp_path: Path) -> None:
    """OpenVINO gives what stands in memory then."""
    layer = nn.GRU(4, 5).eval()
    call = compiled(
        lambda x: layer(x)[1], {"x": floats("n", 2, 4)}, floats(1, 2, 5), directory=tmp_path
    )
    with pytest.raises(RuntimeError, match="no steps"):
        call(np.zeros((0, 2, 4), np.float32))


def test_state_that_grows_without_bound_raises(tmp_path: Path) -> None:
    """PyTorch gives NaN, which OpenVINO's ReLU hides."""
    layer: Any = nn.RNN(4, 5, nonlinearity="relu").eval()
    with torch.no_grad():
        layer.weight_ih_l0.fill_(1)
        layer.weight_hh_l0.copy_(torch.eye(5) * 9)

    def function(x: Tensor) -> Tensor:
        last: Tensor = layer(x)[1]
        return last.clamp(-1, 1)

    call = compiled(function, {"x": floats("n", 2, 4)}, floats(1, 2, 5), directory=tmp_path)
    x = torch.ones(3, 2, 4)
    np.testing.assert_allclose(call(x.numpy()), function(x).detach().numpy(), 1e-4)
    grown = torch.ones(500, 2, 4)
    assert function(grown).isnan().all()
    with pytest.raises(FloatingPointError):
        call(grown.numpy())


@pytest.mark.parametrize("options", [{"clip": 1.0}, {"direction": "reverse"}, {}])
def test_options_that_pytorch_has_not_are_refused(options: dict[str, Any]) -> None:
    """A GRU without ``linear_before_reset`` computes something else than PyTorch's."""
    from dycl.backends.openvino.vetting import NotTaken, require_taken

    node = make_node("GRU", ["x", "w", "r"], ["y"], hidden_size=5, **options)
    values = [onnx.helper.make_tensor_value_info(name, 1, None) for name in "xwry"]
    graph = onnx.helper.make_graph([node], "g", values[:3], values[3:])
    with pytest.raises(NotTaken, match="GRU with options"):
        require_taken(onnx.helper.make_model(graph), dict.fromkeys("xwry", 1), {})
