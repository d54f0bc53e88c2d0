"""Chains of views, means of whole images and short recurrences take few operators in ONNX."""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from dycl.backends.onnx_graphs.recurrent import PlainRecurrence
from dycl.backends.onnx_graphs.skeletons import Skeletons
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function

IMAGE = torch.randn(2, 8, 6, 6, generator=torch.Generator().manual_seed(0))
NAN, INFINITY = float("nan"), float("inf")

PROGRAMS: dict[str, tuple[Callable[[Tensor], Tensor], dict[str, int]]] = {
    "a chain": (lambda x: x.unsqueeze(0).squeeze(0).flatten(1).view(-1) + 1, {"Reshape": 1}),
    "there and back": (lambda x: x.flatten().view(2, 8, 6, 6) * 2, {}),
    "everything of a tensor": (lambda x: x[0:2][:, 0:99] * 2, {}),
    "backwards": (lambda x: x.flip(1) * 2, {"Slice": 1}),
    "dimensions of one": (lambda x: x.view(2, 1, 288).permute(1, 0, 2)[0] * 2, {"Reshape": 1}),
    "other order": (lambda x: x.permute(1, 0, 2, 3) * 2, {"Transpose": 1}),
    "expanded to itself": (lambda x: x.expand(2, 8, 6, 6) * 2, {}),
    "expanded": (lambda x: x[:1].expand(2, 8, 6, 6) * 2, {"Slice": 1, "Expand": 1}),
    "an output": (lambda x: x.flatten(1).view(2, 8, 36), {"Reshape": 1}),
    "a whole image": (lambda x: F.avg_pool2d(x, 6), {"GlobalAveragePool": 1}),
    "a window": (lambda x: F.avg_pool2d(x, 5), {"AveragePool": 1}),
    "with a border": (lambda x: F.avg_pool2d(x, 6, padding=1), {"AveragePool": 1}),
}
SHAPING = {"Reshape", "Squeeze", "Unsqueeze", "Slice", "Transpose", "Expand", "Flatten"}
POOLING = {"AveragePool", "GlobalAveragePool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """Functions of ``IMAGE`` as ONNX graphs, and as what runs them."""

    graphs: Mapping[str, onnx.ModelProto]
    calls: Mapping[str, Callable[..., Any]]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    functions: dict[str, Callable[..., object]] = {name: f for name, (f, _) in PROGRAMS.items()}
    functions["input comes back"] = lambda x: (x.flatten().view(2, 8, 6, 6), x + 1)
    subdnns = [capture_function(f, IMAGE, name=name) for name, f in functions.items()]
    graphs = Skeletons(None).find(subdnns)
    return Compiled(
        graphs=dict(zip(functions, graphs, strict=True)),
        calls=calls_of(OnnxRuntimeBackend(), subdnns, tmp_path_factory.mktemp("lean")),
    )


def kinds_of(model: onnx.ModelProto) -> Counter[str]:
    return Counter(node.op_type for node in model.graph.node)


@pytest.mark.parametrize("name", PROGRAMS)
def test_views_and_means_take_few_operators(name: str, compiled: Compiled) -> None:
    function, wanted = PROGRAMS[name]
    kinds = kinds_of(compiled.graphs[name])
    assert {kind: count for kind, count in kinds.items() if kind in SHAPING | POOLING} == wanted
    found = compiled.calls[name](IMAGE.numpy())
    expected = function(IMAGE).numpy()
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("number", [NAN, INFINITY, -INFINITY])
def test_the_mean_of_a_whole_image_keeps_what_is_not_finite(
    number: float, compiled: Compiled
) -> None:
    x = IMAGE.clone()
    x[0, 3, 2, 5] = number
    x[1, 0, 0, 0], x[1, 0, 1, 1] = INFINITY, -INFINITY
    found = compiled.calls["a whole image"](x.numpy())
    np.testing.assert_allclose(found, F.avg_pool2d(x, 6).numpy(), rtol=1e-6, atol=1e-6)


def test_an_input_that_comes_back_in_its_own_shape_is_a_copy(compiled: Compiled) -> None:
    given = IMAGE.numpy().copy()
    same, _ = compiled.calls["input comes back"](given)
    given[:] = 0
    np.testing.assert_array_equal(same, IMAGE.numpy())


LAYERS: dict[str, Callable[..., nn.RNNBase]] = {
    "lstm": nn.LSTM,
    "lstm with projections": lambda *args, **options: nn.LSTM(*args, proj_size=3, **options),
    "gru": nn.GRU,
    "rnn": nn.RNN,
    "rnn with relu": lambda *args, **options: nn.RNN(*args, nonlinearity="relu", **options),
}


@pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")
@pytest.mark.parametrize("kind", LAYERS)
def test_unrolled_layers_compute_what_pytorch_does(kind: str) -> None:
    switches = itertools.product((1, 2), (False, True), (False, True), (True, False))
    for layers, bidirectional, batch_first, bias in switches:
        torch.manual_seed(layers)
        layer = LAYERS[kind](
            5,
            7,
            num_layers=layers,
            bidirectional=bidirectional,
            batch_first=batch_first,
            bias=bias,
        ).eval()
        for time, batch in itertools.product((1, 3), (1, 4)):
            x = torch.randn((batch, time, 5) if batch_first else (time, batch, 5))
            with torch.no_grad():
                expected = layer(x)
                with PlainRecurrence():
                    found = layer(x)
            torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


def test_one_step_of_an_lstm_is_two_products_and_no_slices() -> None:
    layer = nn.LSTM(5, 7)
    state = torch.randn(1, 1, 7)
    subdnn = capture_function(
        lambda x, h, c: layer(x, (h, c))[0], torch.randn(1, 1, 5), state, state
    )
    [model] = Skeletons(None).find([subdnn])
    kinds = kinds_of(model)
    assert kinds["Gemm"] == 2
    assert kinds["MatMul"] == kinds["Slice"] == 0


SOFTMAX_MAXIMA: dict[str, tuple[Callable[[Tensor], Any], bool]] = {
    "of a row": (lambda x: x.softmax(-1).max(-1)[0], True),
    "of a row, as one": (lambda x: x[:1].softmax(1).max(), True),
    "of a row, the least": (lambda x: x.softmax(0).amin(0), True),
    "and its place": (lambda x: x.softmax(-1).max(-1), False),
    "with its dimension": (lambda x: x.softmax(-1).max(-1, keepdim=True).values, True),
    "of all rows": (lambda x: x.softmax(-1).max(), False),
    "across rows": (lambda x: x.softmax(-1).amax(0), False),
    "of other numbers": (lambda x: x.log_softmax(-1).amax(-1), False),
}


@pytest.mark.parametrize("width", [3, 40])
@pytest.mark.parametrize("name", SOFTMAX_MAXIMA)
def test_a_softmax_is_not_looked_through_for_nan(name: str, width: int, tmp_path: Path) -> None:
    function, is_lean = SOFTMAX_MAXIMA[name]
    x = torch.randn(4, width, generator=torch.Generator().manual_seed(0))
    subdnn = capture_function(function, x)
    [model] = Skeletons(None).find([subdnn])
    assert is_lean == ("IsNaN" not in kinds_of(model))
    [call] = calls_of(OnnxRuntimeBackend(), [subdnn], tmp_path).values()
    for number, place in itertools.product((NAN, INFINITY, -INFINITY, 0.5), (0, width - 1)):
        x[0, place] = number
        x[2] = number
        found = call(x.numpy())
        expected = function(x)
        pairs = (
            zip(found, expected, strict=True) if isinstance(found, list) else [(found, expected)]
        )
        for one, other in pairs:
            np.testing.assert_allclose(one, other.numpy(), rtol=1e-5, atol=1e-6)
