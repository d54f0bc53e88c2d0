"""Operators written plainly compute what they did, and only where nothing shares their memory."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from dycl.backends.onnx_graphs.plain_operators import write_plainly

Function = Callable[[Tensor], Any]


class Network(nn.Module):
    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function
        self.convolution = nn.Conv1d(3, 3, 1)
        self.norm = nn.BatchNorm1d(3)
        self.norm.running_mean = torch.tensor([0.5, -1.0, 2.0])

    def forward(self, x: Tensor) -> Any:
        return self.function(self.norm(self.convolution(x)))


def written(x: Tensor) -> tuple[Tensor, Tensor]:
    y = F.relu(x, inplace=True)
    y += 1
    return x, y.flatten(1)


def written_twice(x: Tensor) -> Tensor:
    y = x * 2
    z = y.exp()
    y.mul_(z)
    y.sub_(1, alpha=3)
    return z + y


def before_and_after(x: Tensor) -> list[Tensor]:
    before = x.sigmoid()
    x.clamp_(0, 1)
    return [before, x.reshape(-1), x.view(3, 2)[0]]


def converted(x: Tensor) -> tuple[Tensor, Tensor]:
    return (1 - x).to(torch.float64), x.to(torch.int64)


def left_out(x: Tensor) -> Tensor:
    return F.dropout(x.exp(), 0.25, training=False) + 1


def turned(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.transpose(1, 2).flatten(), x.transpose(1, 2).reshape(3, 2)


@pytest.mark.parametrize(
    "function", [written, written_twice, before_and_after, converted, turned, left_out]
)
def test_all_is_plain_and_computes_the_same(function: Function) -> None:
    program = exported(function)
    x = torch.linspace(-2, 2, 6).reshape(1, 3, 2)
    expected = flat(program.module()(x.clone()))
    write_plainly(program)
    assert {str(node.target) for node in program.graph.nodes} & NOT_PLAIN == set()
    assert all_equal(flat(program.module()(x.clone())), expected)


def looked_at_as_it_lies(x: Tensor) -> Tensor:
    return x.transpose(1, 2).reshape(1, -1, 3).transpose(1, 2).reshape(6)


def test_what_later_ones_lie_by_stays() -> None:
    program = exported(looked_at_as_it_lies)
    x = torch.linspace(-2, 2, 6).reshape(1, 3, 2)
    expected = flat(program.module()(x))
    write_plainly(program)
    assert all_equal(flat(program.run_decompositions({}).module()(x)), expected)


NOT_PLAIN = {
    f"aten.{name}"
    for name in (
        *("batch_norm.default", "relu_.default", "add_.Tensor", "mul_.Tensor", "sub_.Tensor"),
        *("clamp_.default", "rsub.Scalar", "to.dtype", "reshape.default", "flatten.using_ints"),
        *("_assert_tensor_metadata.default", "dropout.default"),
    )
}


def seen_elsewhere(x: Tensor) -> tuple[Tensor, Tensor]:
    column = x[:, 0]
    x.add_(1)
    return column, x


def the_same_in_other_words(x: Tensor) -> tuple[Tensor, Tensor]:
    same = F.dropout(x, training=False)
    x.add_(1)
    return same, x


def part_of_another(x: Tensor) -> Tensor:
    x[0].add_(1)
    return x


def taken_for_floats(x: Tensor) -> tuple[Tensor, Tensor]:
    counts = x.sign().to(torch.int32) * 2
    counts.mul_(3)
    halves = x.to(torch.float16) * 2
    halves.add_(x)
    return counts, halves


def written_through_another_shape(x: Tensor) -> Tensor:
    row = x.reshape(3, 2)[0]
    row.add_(1)
    return x


@pytest.mark.parametrize(
    "function",
    [
        written_through_another_shape,
        seen_elsewhere,
        the_same_in_other_words,
        part_of_another,
        taken_for_floats,
    ],
)
def test_what_shares_memory_or_converts_is_left(function: Function) -> None:
    program = exported(function)
    x = torch.linspace(-2, 2, 6).reshape(1, 3, 2)
    expected = flat(program.module()(x.clone()))
    write_plainly(program)
    assert any(str(node.target).endswith("_.Tensor") for node in program.graph.nodes)
    assert all_equal(flat(program.module()(x.clone())), expected)


def test_normalisation_by_the_batch_is_left() -> None:
    network = Network(torch.neg).train()
    with torch.no_grad():
        program = torch.export.export(network, (torch.ones(1, 3, 2),), strict=False)
    write_plainly(program)
    assert "aten.batch_norm.default" in {str(node.target) for node in program.graph.nodes}


def exported(function: Function) -> torch.export.ExportedProgram:
    with torch.no_grad():
        torch.manual_seed(0)
        network = Network(function).eval()
        return torch.export.export(network, (torch.ones(1, 3, 2),), strict=False)


def flat(result: Any) -> list[Tensor]:
    return [result] if isinstance(result, Tensor) else [*result]


def all_equal(found: list[Tensor], expected: list[Tensor]) -> bool:
    return len(found) == len(expected) and all(
        torch.equal(a, b) and a.dtype == b.dtype for a, b in zip(found, expected, strict=True)
    )
