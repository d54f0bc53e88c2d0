"""Graphs that find at least one element, and what is known to raise for no content."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from dycl.one_onnx.clamping import finding_one
from dycl.one_onnx.sure import is_sure

Nodes = list[onnx.NodeProto]


def model(
    shape: Sequence[int | str] | None,
    nodes: Nodes,
    output: str,
    *,
    kind: int = TensorProto.BOOL,
    **numbers: Any,
) -> onnx.ModelProto:
    """Return a graph of an input ``x``."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", kind, shape)],
        [helper.make_tensor_value_info(output, TensorProto.INT64, None)],
        [numpy_helper.from_array(np.array(n, np.int64), name) for name, n in numbers.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def run(found: onnx.ModelProto, x: np.ndarray) -> list[np.ndarray]:
    """Return what a graph computes."""
    session = onnxruntime.InferenceSession(found.SerializeToString())
    return list(session.run(None, {"x": x}))


FOUND = helper.make_node("NonZero", ["x"], ["n"])


def test_where_nothing_is_found_all_elements_are() -> None:
    squeezed = model([4], [FOUND, helper.make_node("Squeeze", ["n", "a"], ["y"])], "y", a=[0])
    clamped = finding_one(squeezed, 0, 0)
    assert clamped is not None
    for mask, places, is_found in (
        ([0, 1, 0, 1], [1, 3], True),
        ([1, 1, 1, 1], [0, 1, 2, 3], True),
        ([0, 0, 0, 0], [0, 1, 2, 3], False),
        ([0, 0, 0, 1], [3], True),
    ):
        found, truth = run(clamped, np.array(mask, np.bool_))
        assert (found.tolist(), truth.tolist()) == (places, [is_found])


def test_masks_of_several_dimensions_are_left_alone() -> None:
    whole = model([2, 3], [FOUND, helper.make_node("Transpose", ["n"], ["y"])], "y")
    assert finding_one(whole, 0, 0) is None


@pytest.mark.parametrize(
    ("nodes", "numbers"),
    [
        ([helper.make_node("Slice", ["n", "a", "b", "b"], ["y"])], {"a": [1], "b": [4]}),
        ([helper.make_node("Concat", ["n", "n"], ["y"], axis=1)], {}),
        ([helper.make_node("Reshape", ["n", "a"], ["y"])], {"a": [2, -1]}),
    ],
)
def test_sizes_that_are_not_what_was_found(nodes: Nodes, numbers: dict[str, Any]) -> None:
    other = model([4], [FOUND, *nodes], "y", **numbers)
    assert finding_one(other, 0, 1) is None


def test_masks_of_unknown_no_or_great_size_are_left_alone() -> None:
    shapes: tuple[Sequence[int | str], ...] = (["n"], [0], [5000])
    for shape in shapes:
        squeezed = model(shape, [FOUND, helper.make_node("Squeeze", ["n", "a"], ["y"])], "y", a=[0])
        assert finding_one(squeezed, 0, 0) is None


def test_places_that_are_found_are_in_range() -> None:
    nodes = [
        FOUND,
        helper.make_node("Squeeze", ["n", "a"], ["p"]),
        helper.make_node("Gather", ["table", "p"], ["y"], "looking up"),
    ]
    assert is_sure(model([3], nodes, "y", a=[0], table=[5, 6, 7]), frozenset())
    assert not is_sure(model([4], nodes, "y", a=[0], table=[5, 6, 7]), frozenset())
    assert is_sure(model([4], nodes, "y", a=[0], table=[5, 6, 7]), {"looking up"}), "it may raise"


@pytest.mark.parametrize(
    ("nodes", "is_so"),
    [
        ([helper.make_node("Gather", ["table", "x"], ["y"])], False),
        ([helper.make_node("Div", ["x", "x"], ["y"])], False),
        ([helper.make_node("Mul", ["x", "x"], ["y"])], True),
        ([helper.make_node("Reshape", ["x", "rows"], ["y"])], True),
        ([helper.make_node("Reshape", ["x", "many"], ["y"])], False),
        ([helper.make_node("TopK", ["x", "two"], ["y", "z"], axis=1)], True),
        ([helper.make_node("TopK", ["x", "two"], ["y", "z"], axis=0)], False),
        ([helper.make_node("Tile", ["x", "rows"], ["y"])], False),
    ],
)
def test_what_raises_for_some_content_or_size(nodes: Nodes, is_so: bool) -> None:
    numbers = {"table": [1, 2], "rows": [-1, 2], "many": [-1, 5], "two": [2]}
    whole = model(["n", 4], nodes, "y", kind=TensorProto.INT64, **numbers)
    assert is_sure(whole, frozenset()) is is_so


def test_pictures_of_unknown_shape_may_be_smaller_than_the_kernel() -> None:
    conv = helper.make_node("Conv", ["x", "w"], ["y"])
    weight = numpy_helper.from_array(np.ones((1, 1, 3, 3), np.float32), "w")
    shapes: tuple[tuple[Sequence[int | str] | None, bool], ...] = (
        (None, False),
        ([1, 1, "h", 8], False),
        ([1, 1, 8, 8], True),
    )
    for shape, is_so in shapes:
        whole = model(shape, [conv], "y", kind=TensorProto.FLOAT)
        whole.graph.initializer.append(weight)
        assert is_sure(whole, frozenset()) is is_so, shape


def test_places_that_wrap_around_are_other_places() -> None:
    for kind, is_so in ((TensorProto.INT32, True), (TensorProto.UINT8, False)):
        nodes = [
            helper.make_node("Cast", ["negative"], ["n"], to=kind),
            helper.make_node("Cast", ["n"], ["p"], to=TensorProto.INT64),
            helper.make_node("Gather", ["table", "p"], ["y"]),
        ]
        whole = model([3], nodes, "y", table=[5, 6, 7], negative=[-3, 2])
        assert is_sure(whole, frozenset()) is is_so
