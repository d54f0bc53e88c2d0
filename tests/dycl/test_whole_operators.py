"""Programs with nothing to take apart are exported without that, and come out the same."""

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import torch
from torch import Tensor, nn
from torch.onnx._internal.exporter import _fx_passes

from dycl.backends.onnx_graphs.whole_operators import is_whole, whole_operators_kept

Program = torch.export.ExportedProgram
ADDED = torch.ops.aten.add.Tensor
LINEAR = torch.ops.aten.linear.default
VIEWED = torch.ops.aten.view.default
PARTED = torch.ops.aten.topk.default
COUNTED = torch.ops.aten.sym_size.int
VIEWS = {torch.ops.aten.atleast_2d.default, torch.ops.aten.movedim.int}
TRANSLATED = {ADDED, LINEAR, VIEWED, PARTED, COUNTED, *VIEWS, torch.ops.aten.add_.Tensor}


class Function(nn.Module):
    def __init__(self, function: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)


def exported(function: Callable[[Tensor], Any], **options: Any) -> Program:
    with torch.no_grad():
        return torch.export.export(Function(function), (torch.ones(2, 3),), strict=False, **options)


def in_place(x: Tensor) -> Tensor:
    y = x + 1
    y.add_(x)
    return y


def in_place_in_part(x: Tensor) -> Tensor:
    y = x + 1
    y[0].add_(1)
    return y


def on_one_of_two(x: Tensor) -> Tensor:
    result: Tensor = torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y + 2, (x,))
    return result


@pytest.mark.parametrize(
    ("function", "whole"),
    [
        (lambda x: (x + x).view(3, 2), True),
        (lambda x: x.topk(2)[0] + 1, True),
        (lambda x: (x + x).exp(), False),
        (in_place, False),
        (on_one_of_two, False),
        (lambda x: torch.ops.aten.atleast_2d(x) + x, False),
        (lambda x: x.movedim(0, 1), False),
    ],
)
def test_all_is_translated_and_nothing_is_written(
    function: Callable[[Tensor], Any], whole: bool
) -> None:
    assert is_whole(exported(function), TRANSLATED) is whole


def test_sizes_that_vary_are_traced_anew() -> None:
    varying = exported(
        lambda x: x + x, dynamic_shapes={"x": {0: torch.export.Dim("n", min=2, max=9)}}
    )
    assert not is_whole(varying, TRANSLATED)


def test_what_is_not_used_is_traced_anew() -> None:
    program = exported(lambda x: x + x)
    (output,) = [node for node in program.graph.nodes if node.op == "output"]
    with program.graph.inserting_before(output):
        unused = program.graph.call_function(ADDED, (output.args[0][0], 1))
    unused.meta["val"] = output.args[0][0].meta["val"]
    assert not is_whole(program, TRANSLATED)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.norm = nn.LayerNorm(3)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        values, places = self.norm(self.linear(x)).softmax(-1).topk(2)
        return torch.cat([values, x.clamp(0, 1)], 1), places


def onnx_of(program: Program) -> bytes:
    found = torch.onnx.export(program, dynamo=True, optimize=False, verbose=False)
    assert found is not None
    return bytes(found.model_proto.SerializeToString())


def test_the_graph_is_that_of_the_decomposed_program() -> None:
    with torch.no_grad():
        program = torch.export.export(Network().eval(), (torch.ones(2, 3),), strict=False)
    expected = onnx_of(program)
    traced = mock.Mock(wraps=Program.run_decompositions)
    with mock.patch.object(Program, "run_decompositions", traced), whole_operators_kept():
        found = onnx_of(program)
    traced.assert_not_called()
    assert found == expected


def test_what_is_to_be_taken_apart_is() -> None:
    program = exported(in_place_in_part)
    expected = onnx_of(program)
    with whole_operators_kept():
        assert onnx_of(program) == expected


def test_a_pytorch_without_that_step_decomposes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_fx_passes, "decompose_with_registry")
    with whole_operators_kept():
        assert not hasattr(_fx_passes, "decompose_with_registry")
