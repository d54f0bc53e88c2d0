"""Capture: a sub-DNN becomes a module with what it uses, or a diagnostic at its line."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.capture import CapturedSubDnn
from dycl.testing.calls import compile_alone
from dycl.testing.subdnns import capture_lines, graph_of
from rewriter.diagnostics import CompileError

X = torch.randn(2, 4, generator=torch.Generator().manual_seed(0))


class Model(nn.Module):
    """A model of which sub-DNNs use a part."""

    def __init__(self) -> None:
        super().__init__()
        self.used = nn.Linear(4, 4)
        self.unused = nn.Linear(4, 1000)
        self.scale = nn.Parameter(torch.ones(4))
        self.drop = nn.Dropout(0.5)

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        """Use the model without a submodule call."""
        dropped: torch.Tensor = self.drop(self.used(x))
        return dropped * self.scale


def capture_call(function: object, **knowns: object) -> CapturedSubDnn:
    return capture_lines(
        "y = function(x)", knowns={"function": function, **knowns}, inputs={"x": X}, outputs=("y",)
    )


def test_only_what_is_used_is_held() -> None:
    model = Model().eval()
    captured = capture_call(model.scaled)
    assert {id(weight.tensor) for weight in captured.weights} == {
        id(model.used.weight), id(model.used.bias), id(model.scale)
    }  # fmt: skip
    torch.testing.assert_close(captured.module(X)[0], model.scaled(X))


def test_exported_program_computes_the_same() -> None:
    model = Model().eval()
    program = capture_call(model.scaled).exported_program()
    torch.testing.assert_close(program.module()(X)[0], model.scaled(X))
    assert sum(tensor.numel() for tensor in program.state_dict.values()) == 4 * 4 + 4 + 4


def test_modules_keep_their_modes() -> None:
    model = Model().eval()
    model.unused.train()
    captured = capture_call(model.scaled)
    captured.exported_program()
    assert not captured.module.training
    assert [m.training for m in (model, model.used, model.unused, model.drop)] == [
        False, False, True, False
    ]  # fmt: skip


def test_equal_structures_are_found_whatever_the_weights_and_names() -> None:
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    keys = {capture_call(layer).structure for layer in (first, second)}
    assert len(keys) == 1
    assert capture_call(nn.Linear(4, 4, bias=False)).structure not in keys
    assert capture_call(nn.Linear(4, 3)).structure not in keys
    assert capture_call(nn.Sequential(first, nn.ReLU())).structure not in keys


def test_tied_weights_differ_from_separate_ones() -> None:
    separate = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    tied = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    tied[1].weight = tied[0].weight
    captured = capture_call(tied)
    assert captured.structure != capture_call(separate).structure
    assert len(captured.weights) == 3
    assert max(len(weight.names) for weight in captured.weights) == 2


def test_inputs_are_never_written_to(tmp_path: Path) -> None:
    captured = capture_lines(
        "x[:, 0] = 9.0", "y = x.add_(1)", knowns={}, inputs={"x": X}, outputs=("y",)
    )
    given = X.clone()
    result = captured.module(given)[0]
    torch.testing.assert_close(given, X)
    assert result[0, 0].item() == 10.0


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("x.as_strided((2, 2), (1, 2))", "DYCL404"),
        ("x.bfloat16()", "DYCL405"),
        ("torch.complex(x, x)", "DYCL405"),
        ("assert_positive(x)", "DYCL408"),
    ],
)
def test_what_cannot_be_kept_is_refused_at_its_line(call: str, code: str) -> None:
    def assert_positive(x: torch.Tensor) -> torch.Tensor:
        torch._assert_async((x.abs() >= 0).all())
        return x + 1

    with pytest.raises(CompileError) as caught:
        capture_lines(
            "h = torch.relu(x)",
            f"y = {call}",
            "z = torch.tanh(h)",
            knowns={"torch": torch, "assert_positive": assert_positive},
            inputs={"x": X},
            outputs=("y", "z"),
        )
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert diagnostic.origin is not None and diagnostic.origin.line == 2


def test_statistics_updated_without_a_module_are_refused() -> None:
    with pytest.raises(CompileError, match="changes a tensor of the model"):
        capture_lines(
            "y = F.batch_norm(x, mean, variance, training=True)",
            knowns={"F": F, "mean": torch.zeros(4), "variance": torch.ones(4)},
            inputs={"x": X},
            outputs=("y",),
        )


def test_number_known_only_at_run_time_is_refused() -> None:
    from dataclasses import replace

    from dycl.capture import capture
    from hcfg.graph import SubDnn
    from hcfg.recording import record
    from rewriter.program import ScalarSpec

    graph = graph_of("y = x + 1", knowns={}, inputs={"x": X}, outputs=("y",))
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    recording = record("subdnn_0", node, graph)
    number = replace(graph.variables["x"], spec=ScalarSpec(type=float))
    graph = replace(graph, variables={**graph.variables, "x": number})
    with pytest.raises(CompileError, match=r"DYCL407.* x is a number known only at run time"):
        capture("subdnn_0", node, graph, recording)


def test_weights_that_are_views_or_not_contiguous_are_kept(tmp_path: Path) -> None:
    whole = torch.randn(8, 4)
    captured = capture_lines(
        "y = x @ part + strided[0]",
        knowns={"part": whole.t()[:, :3], "strided": whole.t()[:3, ::2].t()},
        inputs={"x": X},
        outputs=("y",),
    )
    [artifact] = compile_alone(OnnxRuntimeBackend(), [captured], tmp_path)
    import onnxruntime

    session = onnxruntime.InferenceSession(str(tmp_path / artifact.file))
    (got,) = session.run(None, {"x0": X.numpy()})
    torch.testing.assert_close(torch.from_numpy(got), captured.module(X)[0])
