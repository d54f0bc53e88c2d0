"""Graphs for a GPU: which operators run there, and what is asked beside them. No GPU is needed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from dycl.backends.onnxruntime.device_graphs import device_graph


def graph_with(operator: str, *inputs: tuple[str, int, Sequence[Any]], **options: Any) -> Any:
    """Return a model of one operator."""
    values = [onnx.helper.make_tensor_value_info(*each) for each in inputs]
    results = ["y", "z"] if operator == "TopK" else ["y"]
    node = onnx.helper.make_node(operator, [each[0] for each in inputs], results, **options)
    graph = onnx.helper.make_graph([node], "g", values, [onnx.ValueInfoProto(name="y")])
    versions = [onnx.helper.make_opsetid(*each) for each in (("", 20), ("com.microsoft", 1))]
    return onnx.helper.make_model(graph, opset_imports=versions, ir_version=10)


FLOAT, INT64 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
_LAYER = (("x", FLOAT, [4, 1, 2]), ("w", FLOAT, [1, 3, 2]), ("r", FLOAT, [1, 3, 3]))
_GATED = (("x", FLOAT, [4, 1, 2]), ("w", FLOAT, [1, 9, 2]), ("r", FLOAT, [1, 9, 3]))
_LENGTHS = (("b", FLOAT, [1, 6]), ("n", onnx.TensorProto.INT32, [1]))
ON_CPU = {
    "layers with lengths": graph_with("RNN", *_LAYER, *_LENGTHS, hidden_size=3),
    "layers with other functions": graph_with("RNN", *_LAYER, hidden_size=3, activations=["Relu"]),
    "gates that reset before the product": graph_with("GRU", *_GATED, hidden_size=3),
    "places that may be one": graph_with(
        "ScatterND", ("x", FLOAT, [4]), ("i", INT64, [2, 1]), ("u", FLOAT, [2])
    ),
    "elements that may be one": graph_with(
        "ScatterElements", ("x", FLOAT, [4]), ("i", INT64, [2]), ("u", FLOAT, [2])
    ),
    "nothing to look up in": graph_with("GatherElements", ("x", FLOAT, [0]), ("i", INT64, [2])),
    "maxima, which may be NaN": graph_with(
        "ScatterElements", ("x", FLOAT, [4]), ("i", INT64, [1]), ("u", FLOAT, [1]), reduction="max"
    ),
    "powers of integers": graph_with("Pow", ("x", INT64, [4]), ("n", INT64, [4])),
    "the mean of integers": graph_with("ReduceMean", ("x", INT64, [4])),
    "a reduction of what is not known": graph_with("ReduceSum", ("x", 0, [4])),
    "an unknown operator": graph_with("Hardmax", ("x", FLOAT, [4])),
    "another domain": graph_with("FusedConv", ("x", FLOAT, [1]), domain="com.microsoft"),
}


@pytest.mark.parametrize("name", ON_CPU)
def test_what_is_not_known_to_be_equal_runs_on_the_cpu(name: str) -> None:
    assert device_graph(ON_CPU[name]) is None


def test_a_place_counted_from_the_end_may_be_another_one() -> None:
    model = graph_with("ScatterND", ("x", FLOAT, [4]), ("i", INT64, [2, 1]), ("u", FLOAT, [2]))
    del model.graph.input[1]
    for places, taken in (([3, -1], False), ([3, 0], True), ([-2, -1], True), ([1, 1], False)):
        del model.graph.initializer[:]
        content = np.array(places, np.int64).reshape(2, 1)
        model.graph.initializer.append(onnx.numpy_helper.from_array(content, "i"))
        assert (device_graph(model) is not None) is taken


@pytest.mark.parametrize(("size", "taken"), [(3, True), (1, False), ("n", False)])
def test_norms_are_taken_of_more_than_one_number_each(size: int | str, taken: bool) -> None:
    model = graph_with("ReduceL1", ("x", FLOAT, [2, size]), ("a", INT64, [1]))
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1], np.int64), "a"))
    assert (device_graph(model) is not None) is taken


LARGE = 2**24


@pytest.mark.parametrize(
    ("operator", "rows", "told"),
    [
        ("ReduceSum", [[1, 2], [3, -4]], False),
        ("ReduceSum", [[1, 2], [LARGE, 1]], True),
        ("ReduceSum", [[LARGE, -LARGE], [1, 1]], True),
        ("ReduceProd", [[1, 0], [-3, 4]], False),
        ("ReduceProd", [[LARGE, 0], [1, 1]], True),
        ("ReduceProd", [[2**12, 2**12 + 1], [1, 1]], True),
        ("ReduceMax", [[2**20] * 2] * 16, False),
        ("ReduceMax", [[LARGE, LARGE + 1], [1, 1]], True),
        ("ReduceMin", [[-LARGE, -LARGE - 1], [1, 1]], True),
    ],
)
def test_reductions_of_large_integers_are_told(
    operator: str, rows: list[list[int]], told: bool
) -> None:
    made = device_graph(graph_with(operator, ("x", INT64, ["n", 2]), ("a", INT64, [1])))
    assert made is not None and made[1]
    session = onnxruntime.InferenceSession(made[0].SerializeToString())
    feeds = {"x": np.array(rows, np.int64), "a": np.array([1], np.int64)}
    assert session.run(["on_host"], feeds)[0] == told


def test_truths_are_counted_on_the_device_without_asking() -> None:
    model = graph_with("ReduceSum", ("x", INT64, [8]))
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.BOOL
    model.graph.node[0].input[0] = "n"
    model.graph.node.insert(0, onnx.helper.make_node("Cast", ["x"], ["n"], to=INT64))
    made = device_graph(model)
    assert made is not None and not made[1]


@pytest.mark.parametrize(
    ("row", "largest", "told"),
    [
        ([1.0, 3.0, 2.0, 0.0], 1, False),
        ([1.0, float("nan"), 2.0, 0.0], 1, True),
        ([3.0, 3.0, 1.0, 0.0], 1, True),  # in the order
        ([3.0, 1.0, 1.0, 0.0], 1, True),  # one of two
        ([3.0, 2.0, 0.0, 0.0], 1, False),  # of what is left out
        ([3.0, 2.0, 0.0, 0.0], 0, True),
        ([3.0, 2.0, 2.0, 0.0], 0, True),
    ],
)
def test_elements_that_may_come_in_any_order_are_told(
    row: list[float], largest: int, told: bool
) -> None:
    model = graph_with("TopK", ("x", FLOAT, [2, 4]), ("k", INT64, [1]), largest=largest)
    model.graph.input.pop()
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([2], np.int64), "k"))
    made = device_graph(model)
    assert made is not None and made[1]
    session = onnxruntime.InferenceSession(made[0].SerializeToString())
    floats = np.array([[4.0, 3.0, 2.0, 1.0], row], np.float32)
    assert session.run(["on_host"], {"x": floats})[0] == told


def test_one_place_is_written_on_the_device() -> None:
    model = graph_with("ScatterND", ("x", FLOAT, [4]), ("i", INT64, [1, 1]), ("u", FLOAT, [1]))
    made = device_graph(model)
    assert made is not None and made[1]


def test_layers_as_pytorch_has_them_run_on_the_device() -> None:
    for model in (
        graph_with("RNN", *_LAYER, hidden_size=3),
        graph_with("GRU", *_GATED, hidden_size=3, linear_before_reset=1),
    ):
        made = device_graph(model)
        assert made is not None and not made[1]
