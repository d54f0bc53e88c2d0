"""Whatever way arguments are given: right ones give the same, wrong ones are refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import dycl

X, Y = torch.arange(6.0).reshape(2, 3), torch.tensor(0.5)
x, y = X.numpy(), Y.numpy()


def scaled(x: Tensor, y: Tensor, factor: float = 2.0, bias: float = 1.0) -> Tensor:
    """Scale an array."""
    if x.sum() > 3:
        x = x * factor
    return x * y + bias


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> dycl.CompiledModel:
    return dycl.compile(scaled, (X, Y), output=tmp_path_factory.mktemp("ways") / "scaled_dycl")


@pytest.mark.parametrize(
    "call",
    [
        lambda host: host(x, y),
        lambda host: host(x, y=y),
        lambda host: host(y=y, x=x),
        lambda host: host(X, Y),
        lambda host: host(np.asfortranarray(x), y),
        lambda host: host(np.stack([x, x], -1)[..., 0], y),
        lambda host: host(x.view(np.memmap), y),
        lambda host: host(x, np.float32(0.5)),
        lambda host: host(x.astype(np.dtype("f4", metadata={"made": "here"})), y),
    ],
)
def test_right_arguments_give_the_same(
    host: dycl.CompiledModel, call: Callable[[dycl.CompiledModel], Any]
) -> None:
    for _ in range(2):
        np.testing.assert_allclose(call(host), scaled(X, Y).numpy())


@pytest.mark.parametrize(
    "arguments",
    [
        (), (x,), (x, y, 3.0), (x, y, 2.0, 1.0, 0.0), (x, x), (y, x), (x[:1], y), (x.T, y),
        (x.astype(np.float64), y), (x.astype(">f4"), y), (x.tolist(), y), (x, 0.5), (x[None], y),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(
    host: dycl.CompiledModel, arguments: tuple[object, ...]
) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        host(*arguments)
    assert type(caught.value).__name__ == "InputError"


def test_calls_are_observed_in_whatever_way_arguments_are_given(host: dycl.CompiledModel) -> None:
    for args, kwargs in (((x, y), {}), ((), {"y": y, "x": x})):
        events: list[Any] = []
        with host.observe(events.append):
            host(*args, **kwargs)
        assert [event[0] for event in events].count("branch") == 1
