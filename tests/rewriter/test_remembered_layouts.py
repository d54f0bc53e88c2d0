"""What is remembered of an operation is what trying it anew would give."""

from collections.abc import Callable, Mapping
from typing import cast

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

import dycl
from rewriter.diagnostics import CompileError
from rewriter.evaluation.leaf import evaluation, remembering
from rewriter.evaluation.leaf.operation import Fakes, Operation
from rewriter.evaluation.leaf.trying import result_on_fakes
from rewriter.evaluation.observation import Observer
from rewriter.printing import runnable
from rewriter.storages import storage_key


class Layers(nn.Module):
    """The same layers again and again, some in place, some on views."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(3, 3, 3, padding=1) for _ in range(4))
        self.norms = nn.ModuleList(nn.BatchNorm2d(3) for _ in range(4))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer, norm in zip(self.layers, self.norms, strict=True):
            y = self.relu(norm(layer(x)))
            y = y.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
            y += x.contiguous().view(1, 3, 16).squeeze(0).view_as(x)
            x = torch.cat([y, y.abs()], 2)[:, :, :4]
            if x.mean().item() > 0.0:
                x = x.clone()
        return x


def test_what_is_remembered_is_what_is_found_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    recalled = 0
    tries: list[Operation] = []

    def trying(operation: Operation, fakes: Fakes, observer: Observer) -> object:
        tries.append(operation)
        return result_on_fakes(operation, fakes, observer)

    def tried(
        operation: Operation, fakes: Fakes, contents: Mapping[int, torch.Tensor]
    ) -> tuple[object, Observer]:
        nonlocal recalled
        before = len(tries)
        result, observer = remembering.tried(operation, fakes, contents)
        if len(tries) == before:
            recalled += 1
            anew = Observer(contents)
            assert _told(result_on_fakes(operation, fakes, anew), anew, fakes) == _told(
                result, observer, fakes
            )
        return result, observer

    monkeypatch.setattr(remembering, "result_on_fakes", trying)
    monkeypatch.setattr(evaluation, "tried", tried)
    dycl.rewrite(Layers().eval(), (torch.ones(1, 3, 4, 4),))
    assert recalled > 25


def _shares_memory(leaf: object, result: FakeTensor) -> bool:
    return isinstance(leaf, torch.Tensor) and storage_key(leaf) == storage_key(result)


def _told(result: object, observer: Observer, fakes: Fakes) -> object:
    assert isinstance(result, FakeTensor)
    return (
        (result.dtype, result.shape, result.stride(), result.storage_offset(), result.device),
        result.untyped_storage().nbytes(),
        [leaf is result for leaf in fakes.leaves()],
        [_shares_memory(leaf, result) for leaf in fakes.leaves()],
        {id(tensor) for tensor in observer.written},
        (observer.random, observer.may_raise, len(observer.reshaped)),
    )


class Picking(nn.Module):
    """Picks columns whose numbers are in buffers, where an error may be caught."""

    def __init__(self, *columns: int) -> None:
        super().__init__()
        self.names = [f"columns{number}" for number in range(len(columns))]
        for name, column in zip(self.names, columns, strict=True):
            self.register_buffer(name, torch.tensor([column]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            for name in self.names:
                x = x + x.index_select(1, getattr(self, name))
        except IndexError:
            return x
        return x * 2.0


def test_what_integers_a_tensor_holds_is_not_remembered() -> None:
    x = torch.ones(2, 4)
    dycl.rewrite(Picking(1, 1, 3), (x,))
    with pytest.raises(CompileError, match=r"every path .* raises: RuntimeError"):
        dycl.rewrite(Picking(1, 1, 4), (x,))


def _transposed(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    results = []
    for number in range(3):
        y = x + number
        torch.Tensor.transpose_(y, 0, 1)
        z = y.contiguous()  # a copy: y lies transposed
        z.mul_(2.0)
        results += [y, z]
    return tuple(results)


def _moved(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    results = []
    for number in range(3):
        y = x + number
        torch.as_strided_(y, (2, 2), (1, 2))
        z = y.contiguous()
        z.mul_(2.0)
        results += [y, z]
    return tuple(results)


@pytest.mark.parametrize("function", [_transposed, _moved])
def test_operands_that_lie_otherwise_afterwards_are_not_remembered(
    function: Callable[[torch.Tensor], tuple[torch.Tensor, ...]],
) -> None:
    x = torch.arange(4.0).reshape(2, 2)
    program = dycl.rewrite(function, (x,))
    found = runnable(program, function)(x)
    assert all(map(torch.equal, cast(tuple[torch.Tensor, ...], found), function(x)))
