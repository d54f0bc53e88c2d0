"""What tells that a graph which is right for finite numbers may have been wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper

import dycl
from dycl.backends.onnxruntime.finite_graphs import wholly_told, with_sums_of_squares

POOL: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}


def model_of(*nodes: onnx.NodeProto) -> onnx.ModelProto:
    """Return a graph of these nodes."""
    results = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        for node in nodes
        for name in node.output
    ]
    image = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 8, 8])
    return helper.make_model(helper.make_graph(list(nodes), "pools", [image], results))


def summed(*nodes: onnx.NodeProto) -> list[str]:
    """Return what sums of squares are taken of in a graph of these nodes."""
    model = model_of(*nodes)
    names = with_sums_of_squares(model)
    sums = [node for node in model.graph.node if node.op_type == "ReduceSumSquare"]
    assert [node.output[0] for node in sums] == names
    return [node.input[0] for node in sums]


def test_averages_over_the_same_windows_tell() -> None:
    largest = helper.make_node("MaxPool", ["x"], ["m"], **POOL, dilations=[1, 1], ceil_mode=0)
    average = helper.make_node("AveragePool", ["x"], ["a"], **POOL, pads=[0, 0, 0, 0])
    assert summed(largest, average) == ["a"]
    assert summed(average, largest) == ["a"]


def test_averages_over_everything_tell() -> None:
    pools = [helper.make_node("MaxPool", ["x"], [name], **POOL) for name in "mn"]
    assert summed(*pools, helper.make_node("GlobalAveragePool", ["x"], ["a"])) == ["a"]


@pytest.mark.parametrize(
    "other",
    [
        helper.make_node("AveragePool", ["x"], ["a"], kernel_shape=[2, 2], strides=[1, 1]),
        helper.make_node("AveragePool", ["x"], ["a"], **POOL, pads=[1, 1, 1, 1]),
        helper.make_node("AveragePool", ["x"], ["a"], **POOL, ceil_mode=1),
        helper.make_node("AveragePool", ["m"], ["a"], **POOL),
        helper.make_node("Relu", ["x"], ["a"]),
    ],
)
def test_other_averages_do_not(other: onnx.NodeProto) -> None:
    assert summed(helper.make_node("MaxPool", ["x"], ["m"], **POOL), other) == ["x"]


def test_windows_do_not_tell_of_all_elements() -> None:
    largest = helper.make_node("MaxPool", ["x"], ["m"], **POOL)
    average = helper.make_node("AveragePool", ["x"], ["a"], **POOL)
    whole = helper.make_node("GlobalAveragePool", ["x"], ["a"])
    assert wholly_told(model_of(largest)) == {"x"}
    assert wholly_told(model_of(largest, average)) == set()
    assert wholly_told(model_of(largest, whole)) == {"x"}


def test_what_is_known_to_be_finite_is_not_summed() -> None:
    model = model_of(helper.make_node("MaxPool", ["x"], ["m"], **POOL))
    assert with_sums_of_squares(model, ["x"]) == []
    assert [node.op_type for node in model.graph.node] == ["MaxPool"]


class Mixed(torch.nn.Module):
    """Pools in two ways, as exits of shallow-deep networks do, and decides by the result."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 16, 3, padding=1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the image that is pooled, and the pooled one."""
        x = self.conv(x)
        pooled = 0.3 * F.max_pool2d(x, 4) + 0.0 * F.avg_pool2d(x, 4).nan_to_num(0.0, 0.0, 0.0)
        return (x, pooled) if pooled.mean() > 0 else (x * 2, pooled)


@pytest.mark.parametrize("special", [0.0, torch.nan, torch.inf, -torch.inf, 1e30, -3e38])
def test_special_numbers_are_found_by_averages(special: float, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Mixed().eval()
    x = torch.randn(1, 3, 16, 16)
    host = dycl.compile(model, (x,), output=tmp_path / "mixed")
    x[0, 1, 3, 3] = special
    with torch.no_grad():
        wanted = model(x)
    for found, each in zip(host(x.numpy()), wanted, strict=True):
        np.testing.assert_allclose(found, each.numpy(), 1e-4, 1e-4)
