"""Recurrent layers with NaN, infinities and large numbers, in sequences and in states."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.capture import CapturedSubDnn
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function
from rewriter.program import SymbolRange
from tests.dycl.symbolic import capture_symbolic, floats

EXTREMES = (float("nan"), float("inf"), -float("inf"), 3e38, 1e20, 1e10, 1e3)

LONG = 70
"""More steps than are unrolled."""

torch.manual_seed(0)
LAYERS: Mapping[str, nn.RNNBase] = {
    "lstm": nn.LSTM(3, 4),
    "lstm both ways": nn.LSTM(3, 4, num_layers=2, bidirectional=True),
    "gru": nn.GRU(3, 4),
    "gru both ways": nn.GRU(3, 4, bidirectional=True, bias=False),
    "rnn": nn.RNN(3, 4),
    "rnn with relu": nn.RNN(3, 4, nonlinearity="relu", num_layers=2),
}


def function_of(name: str) -> Callable[..., tuple[Tensor, ...]]:
    """Return a layer as a function of the sequence and all states."""
    layer = LAYERS[name].eval()

    def function(x: Tensor, *states: Tensor) -> tuple[Tensor, ...]:
        outputs, last = layer(x, states if isinstance(layer, nn.LSTM) else states[0])
        return (outputs, *last) if isinstance(layer, nn.LSTM) else (outputs, last)

    return function


def states_of(name: str) -> list[Tensor]:
    layer = LAYERS[name]
    shape = (layer.num_layers * (2 if layer.bidirectional else 1), 2, 4)
    return [torch.zeros(shape) for _ in range(2 if isinstance(layer, nn.LSTM) else 1)]


def of_run_time(name: str) -> CapturedSubDnn:
    """Return a layer over a number of steps that is not known."""
    states = {f"state{i}": floats(*state.shape) for i, state in enumerate(states_of(name))}
    width = 8 if LAYERS[name].bidirectional else 4
    subdnn = capture_symbolic(
        function_of(name),
        {"x": floats("s", 2, 3), **states},
        floats("s", 2, width),
        *states.values(),
        symbols={"s": SymbolRange(minimum=1)},
    )
    return replace(subdnn, name=name)


Calls = Mapping[str, Callable[..., Any]]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Calls:
    """Return all layers, over run-time lengths and over a known long one."""
    known = [
        capture_function(
            function_of(name), torch.randn(LONG, 2, 3), *states_of(name), name=f"long {name}"
        )
        for name in ("lstm", "gru")
    ]
    subdnns = [*map(of_run_time, LAYERS), *known]
    return calls_of(OnnxRuntimeBackend(), subdnns, tmp_path_factory.mktemp("artifacts"))


def require_equal(calls: Calls, name: str, *inputs: Tensor) -> None:
    with torch.no_grad():
        expected = function_of(name.removeprefix("long "))(*inputs)
    for array, tensor in zip(calls[name](*(x.numpy() for x in inputs)), expected, strict=True):
        np.testing.assert_allclose(array, tensor.numpy(), rtol=1e-3, atol=1e-5)


def sequence(name: str) -> Tensor:
    length = LONG if name.startswith("long") else 5
    return torch.randn(length, 2, 3, generator=torch.Generator().manual_seed(1))


NAMES = (*LAYERS, "long lstm", "long gru")


@pytest.mark.parametrize("name", NAMES)
def test_extremes_in_a_sequence(name: str, calls: Calls) -> None:
    for value in EXTREMES:
        one, all_equal, opposite = (sequence(name) for _ in range(3))
        one[2, 0, 1] = value
        all_equal[2, 0] = value
        opposite[2, 0, :2] = torch.tensor([value, -value])
        for x in (one, all_equal, opposite):
            require_equal(calls, name, x, *states_of(name.removeprefix("long ")))


@pytest.mark.parametrize("name", NAMES)
def test_extremes_in_a_state(name: str, calls: Calls) -> None:
    """The runtime's gates never shut: of a state of 1e10 it would keep some."""
    for value in EXTREMES:
        for number in range(len(states_of(name.removeprefix("long ")))):
            one, all_equal = (states_of(name.removeprefix("long ")) for _ in range(2))
            one[number][0, 1, 2] = value
            all_equal[number][-1, 1] = value
            for states in (one, all_equal):
                require_equal(calls, name, sequence(name), *states)


def test_weights_without_bounds(tmp_path_factory: pytest.TempPathFactory) -> None:
    layer = nn.GRU(3, 4).eval()
    next(layer.parameters()).data[0, 0] = float("inf")
    x = sequence("long gru")
    subdnn = capture_function(lambda x: layer(x)[0], x)
    call = calls_of(OnnxRuntimeBackend(), [subdnn], tmp_path_factory.mktemp("weights"))["subdnn_0"]
    with torch.no_grad():
        np.testing.assert_allclose(call(x.numpy()), layer(x)[0].numpy(), rtol=1e-3, atol=1e-5)
