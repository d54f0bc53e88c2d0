"""A call that fills tables of modules leaves the model as it is, and what its functions keep."""

import types
from typing import cast

import torch
from torch import nn

from rewriter.keeping.tables import Trial


def _counting() -> tuple[nn.Module, list[int]]:
    calls = [0]

    def count(module: nn.Module, inputs: object, output: torch.Tensor) -> torch.Tensor:
        calls[0] += 1
        return output * calls[0]

    layer = nn.ReLU()
    layer.register_forward_hook(count)
    return nn.Sequential(layer, nn.Identity()), calls


def _twice(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = model(model(x))
    return result


def test_functions_of_the_copy_have_their_own_variables() -> None:
    model, calls = _counting()
    assert Trial(cast(types.FunctionType, _twice), model, (torch.ones(3),)).first_call() is not None
    assert calls == [0]


def test_functions_that_share_variables_go_on_sharing_them() -> None:
    model, calls = _counting()
    model.register_forward_hook(lambda module, inputs, output: output + calls[0])
    found: list[torch.Tensor] = []

    def noted(own: nn.Module, x: torch.Tensor) -> torch.Tensor:
        found.append(own(x))
        return found[-1]

    assert Trial(cast(types.FunctionType, noted), model, (torch.ones(3),)).first_call() is not None
    assert found[0].tolist() == [2, 2, 2]
    assert calls == [0]


def test_functions_of_the_copy_have_their_own_defaults() -> None:
    calls = [0]

    def count(
        module: nn.Module, inputs: object, output: torch.Tensor, calls: list[int] = calls
    ) -> torch.Tensor:
        calls[0] += 1
        return output * calls[0]

    model = nn.ReLU()
    model.register_forward_hook(count)
    model.calls = calls  # type: ignore[assignment]

    def noted(own: nn.Module, x: torch.Tensor) -> object:
        return own(x), own.calls

    assert Trial(cast(types.FunctionType, noted), model, (torch.ones(3),)).first_call() is not None
    assert calls == [0]


TABLE: dict[str, int] = {}


def _fills(x: torch.Tensor) -> torch.Tensor:
    TABLE["calls"] = TABLE.get("calls", 0) + 1
    return x * TABLE["calls"]


def test_a_call_that_settles_nothing_can_be_undone() -> None:
    TABLE["calls"] = 5
    trial = Trial(cast(types.FunctionType, _fills), None, (torch.ones(3),))
    assert trial.first_call() is None
    assert TABLE == {"calls": 7}
    trial.undo()
    assert TABLE == {"calls": 5}
