"""Sub-DNNs whose weights alone differ share the file of a graph."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import nn

from dycl.backends.interface import Artifact
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.backends.onnxruntime.compacting import compacted
from dycl.backends.running import load_artifact
from dycl.capture import CapturedSubDnn
from dycl.testing.calls import compile_alone
from dycl.testing.subdnns import capture_function

X = torch.randn(1, 6, generator=torch.Generator().manual_seed(0))
BACKEND = OnnxRuntimeBackend()
Layer = Callable[[torch.Tensor], torch.Tensor]


class Scaled(nn.Module):
    """Has a large weight, a small one, and numbers of its own."""

    def __init__(self, seed: int, scale: float = 2.0, order: tuple[int, ...] = (0, 1)) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.linear = nn.Linear(6, 64)
        self.small = nn.Parameter(torch.randn(64))
        self.scale = nn.Parameter(torch.tensor(scale))
        self.order: torch.Tensor
        self.register_buffer("order", torch.tensor(order))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Use all of them."""
        y: torch.Tensor = (self.linear(x) * self.small)[:, self.order] * self.scale
        return y


def compile_all(
    layers: list[Scaled], directory: Path
) -> list[tuple[Scaled, CapturedSubDnn, Artifact]]:
    subdnns = [
        capture_function(layer.eval(), X, name=f"subdnn_{number}")
        for number, layer in enumerate(layers)
    ]
    artifacts = compile_alone(BACKEND, subdnns, directory)
    return list(zip(layers, subdnns, artifacts, strict=True))


def require_results(made: list[tuple[Scaled, CapturedSubDnn, Artifact]], directory: Path) -> None:
    for layer, subdnn, artifact in made:
        call = load_artifact(BACKEND, subdnn, artifact, directory)
        with torch.no_grad():
            expected = layer(X).numpy()
        np.testing.assert_allclose(call(X.numpy()), expected, rtol=1e-5, atol=1e-6)


def test_each_has_its_own_weights(tmp_path: Path) -> None:
    made = compile_all([Scaled(seed) for seed in (1, 2, 3)], tmp_path)
    assert {artifact.file for _, _, artifact in made} == {"subdnn_0.onnx"}
    assert len({tuple(artifact.settings["weights"]) for _, _, artifact in made}) == 3  # type: ignore[arg-type]
    require_results(made, tmp_path)


@pytest.mark.parametrize("other", [Scaled(2, scale=3.0), Scaled(2, order=(1, 5))])
def test_single_numbers_and_integers_are_part_of_a_graph(tmp_path: Path, other: Scaled) -> None:
    made = compile_all([Scaled(1), other, Scaled(3)], tmp_path)
    files = [artifact.file for _, _, artifact in made]
    assert files == ["subdnn_0.onnx", "subdnn_1.onnx", "subdnn_0.onnx"]
    assert "weights" not in made[1][2].settings
    require_results(made, tmp_path)


def test_a_shared_file_is_a_whole_graph(tmp_path: Path) -> None:
    first, *_ = compile_all([Scaled(1), Scaled(2)], tmp_path)
    path = tmp_path / first[2].file
    onnx.checker.check_model(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    with torch.no_grad():
        expected = first[0](X).numpy()
    np.testing.assert_allclose(session.run(None, {"x0": X.numpy()})[0], expected, rtol=1e-5)


def test_what_is_alike_in_all_stays_in_the_file(tmp_path: Path) -> None:
    layers = [Scaled(1), Scaled(2)]
    layers[1].small = layers[0].small
    made = compile_all(layers, tmp_path)
    places = json.loads((tmp_path / "graphs.json").read_text())["subdnn_0.onnx"]["places"]
    assert [len(artifact.settings["weights"]) for _, _, artifact in made] == [2, 2]  # type: ignore[arg-type]
    assert len(places) == 2
    require_results(made, tmp_path)


@pytest.mark.parametrize("weights", [None, [0], [0] * 9])
def test_a_shared_graph_without_all_weights_is_not_loaded(
    tmp_path: Path, weights: list[int] | None
) -> None:
    *_, (_, subdnn, artifact) = compile_all([Scaled(1), Scaled(2)], tmp_path)
    settings: dict[str, Any] = {} if weights is None else {"weights": weights}
    with pytest.raises(ValueError, match=r"zip\(\)"):
        load_artifact(BACKEND, subdnn, replace(artifact, settings=settings), tmp_path)


def test_a_graph_of_its_own_needs_no_description(tmp_path: Path) -> None:
    [(_, _, artifact)] = compile_all([Scaled(1)], tmp_path)
    assert not artifact.settings and artifact.uses == ("weights.bin",)
    assert {path.name for path in tmp_path.iterdir()} == {"subdnn_0.onnx", "weights.bin"}


def test_compacted_graphs_do_the_same() -> None:
    image = np.random.default_rng(0).standard_normal((1, 2, 9, 9), np.float32)
    model = pooling_model()
    small = compacted(model)
    assert small.ByteSize() < 0.6 * model.ByteSize()
    assert compacted(small) == small
    results = []
    for each in (model, small):
        data, providers = each.SerializeToString(), ["CPUExecutionProvider"]
        session = onnxruntime.InferenceSession(data, providers=providers)
        results.append(session.run(None, {"x": image, "b": np.array(True)})[0])
    np.testing.assert_array_equal(*results)
    wide = next(node for node in small.graph.node if node.output[0] == "wide")
    assert {attribute.name for attribute in wide.attribute} == {"kernel_shape", "dilations"}


def pooling_model() -> onnx.ModelProto:
    """Return a graph that says what it need not say, inside of an arm too."""
    said: dict[str, Any] = {
        "auto_pad": "NOTSET", "ceil_mode": 0, "storage_order": 0, "pads": [0] * 4,
        "strides": [1, 1], "kernel_shape": [2, 2],
    }  # fmt: skip
    node, value = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    wide = node("MaxPool", ["x"], ["wide"], "a_name", "words", dilations=[2, 2], **said)
    arms = [
        onnx.helper.make_graph(
            [node("MaxPool", ["wide"], [name], name, "words", dilations=[1, 1], **said)],
            name,
            [],
            [value(name, onnx.TensorProto.FLOAT, None)],
        )
        for name in ("u", "v")
    ]
    choice = node("If", ["b"], ["y"], then_branch=arms[0], else_branch=arms[1])
    graph = onnx.helper.make_graph(
        [wide, choice],
        "pooling",
        [
            value("x", onnx.TensorProto.FLOAT, [1, 2, 9, 9]),
            value("b", onnx.TensorProto.BOOL, []),
        ],
        [value("y", onnx.TensorProto.FLOAT, None)],
    )
    imports = [onnx.helper.make_opsetid("", 20)]
    return onnx.helper.make_model(graph, opset_imports=imports, ir_version=10)
