"""Graphs with averages are in operators for which ONNX Runtime has its fast kernel."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper
from torch import Tensor

from dycl.backends.onnx_graphs.older_operators import with_fast_averages
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function

AVERAGE = helper.make_node("AveragePool", ["x"], ["average"], kernel_shape=[2, 2])
OLDER, KNOWN = 18, 20

BESIDE = {
    "the largest number": (helper.make_node("ReduceMax", ["other"], ["y"]), TensorProto.FLOAT),
    "a view": (helper.make_node("Reshape", ["other", "sizes"], ["y"]), TensorProto.FLOAT),
    "booleans as they are": (helper.make_node("Identity", ["other"], ["y"]), TensorProto.BOOL),
    "a border": (helper.make_node("Pad", ["other", "sizes"], ["y"]), TensorProto.FLOAT),
}
NOT_IN_BOTH = {
    "the largest boolean": (helper.make_node("ReduceMax", ["other"], ["y"]), TensorProto.BOOL),
    "infinities of half precision": (
        helper.make_node("IsInf", ["other"], ["y"]),
        TensorProto.FLOAT16,
    ),
    "an operator that is newer": (helper.make_node("Gelu", ["other"], ["y"]), TensorProto.FLOAT),
    "a border that goes around": (
        helper.make_node("Pad", ["other", "sizes"], ["y"], mode="wrap"),
        TensorProto.FLOAT,
    ),
    "a mode of another name": (
        helper.make_node("Resize", ["other", "", "", "sizes"], ["y"]),
        TensorProto.FLOAT,
    ),
}


def version_of(*nodes: onnx.NodeProto, element: int = TensorProto.FLOAT) -> int:
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 8, 8]),
        helper.make_tensor_value_info("other", element, [3]),
        helper.make_tensor_value_info("sizes", TensorProto.INT64, [2]),
    ]
    outputs = [helper.make_empty_tensor_value_info(node.output[0]) for node in nodes]
    graph = helper.make_graph(list(nodes), "graph", inputs, outputs)
    imports = [helper.make_opsetid("", KNOWN)]
    model = with_fast_averages(helper.make_model(graph, opset_imports=imports, ir_version=10))
    version: int = model.opset_import[0].version
    return version


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_the_same_in_both_versions_is_in_the_older_one(name: str) -> None:
    node, element = BESIDE[name]
    assert version_of(AVERAGE, node, element=element) == OLDER
    assert version_of(node, element=element) == KNOWN


@pytest.mark.parametrize("name", NOT_IN_BOTH)
def test_what_is_not_stays_as_it_is(name: str) -> None:
    node, element = NOT_IN_BOTH[name]
    assert version_of(AVERAGE, node, element=element) == KNOWN


@pytest.mark.parametrize("attributes", [{"ceil_mode": 1}, {"dilations": [2, 2]}])
def test_windows_that_the_older_kernel_takes_for_others_stay(attributes: dict[str, Any]) -> None:
    node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[3, 3], **attributes)
    assert version_of(node) == KNOWN


def test_operators_in_the_arms_of_a_choice_count() -> None:
    value = helper.make_empty_tensor_value_info("inner")
    arm = helper.make_graph([helper.make_node("Gelu", ["x"], ["inner"])], "arm", [], [value])
    node = helper.make_node("If", ["other"], ["y"], then_branch=arm, else_branch=arm)
    assert version_of(AVERAGE, node, element=TensorProto.BOOL) == KNOWN


WINDOWS: dict[str, Callable[[Tensor], Tensor]] = {
    "without a border": lambda x: F.avg_pool2d(x, 8),
    "with a border": lambda x: F.avg_pool2d(x, 3, stride=2, padding=1),
    "without what is in the border": lambda x: F.avg_pool2d(
        x, 3, padding=1, count_include_pad=False
    ),
    "that ends beyond the image": lambda x: F.avg_pool2d(x, 3, stride=2, ceil_mode=True),
    "across channels": lambda x: F.avg_pool3d(x.unsqueeze(1), (3, 1, 1), 1, (1, 0, 0)),
    "of a line": lambda x: F.avg_pool1d(x.flatten(2)[0], 5, 2),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_averages_are_those_of_pytorch(name: str, tmp_path: Path) -> None:
    function = WINDOWS[name]
    image = torch.randn(2, 16, 16, 16, generator=torch.Generator().manual_seed(0))
    special = image.clone()
    special.view(-1)[:: 1 + image.numel() // 7] = float("inf")
    special.view(-1)[5 :: 1 + image.numel() // 5] = float("nan")

    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        return function(x), function(x).amax()

    [call] = calls_of(OnnxRuntimeBackend(), [capture_function(both, image)], tmp_path).values()
    for given in (image, special):
        for found, expected in zip(call(given.numpy()), both(given), strict=True):
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-6)
