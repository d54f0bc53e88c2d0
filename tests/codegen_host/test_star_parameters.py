"""Entry points with ``*rest`` and ``**named``: what a call may pass, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import dycl

X = torch.arange(6.0).reshape(2, 3)


def weighted(x: Tensor, *rest: float, bias: float = 0.0, **named: Tensor) -> object:
    """Use every kind of parameter."""
    if x.sum() > bias:
        x = x * (rest[0] if rest else 2.0)
    return x + named.get("shift", 1.0), rest, list(named)


@pytest.fixture(scope="module")
def positional(tmp_path_factory: pytest.TempPathFactory) -> dycl.CompiledModel:
    folder = tmp_path_factory.mktemp("positional")
    return dycl.compile(weighted, (X, 2.0, 3.0), output=folder / "weighted_dycl")


@pytest.fixture(scope="module")
def keyword(tmp_path_factory: pytest.TempPathFactory) -> dycl.CompiledModel:
    folder = tmp_path_factory.mktemp("keyword")
    example = {"x": X, "bias": 0.5, "shift": X, "scale": X}
    return dycl.compile(weighted, example, output=folder / "weighted_dycl")


def test_rest_is_a_tuple_of_numbers(positional: dycl.CompiledModel) -> None:
    for x in (X, -X):
        y, rest, named = positional(x, 4.0, 5.0)
        np.testing.assert_allclose(y, (x * 4 if x.sum() > 0 else x) + 1)
        assert (rest, named) == ((4.0, 5.0), [])
    assert "def forward(x, *rest, bias=0.0):" in positional.host_source


def test_named_is_a_dict_in_the_order_of_the_example(keyword: dycl.CompiledModel) -> None:
    for x in (X, -X):
        y, rest, named = keyword(x, bias=0.0, shift=X + 1, scale=X)
        np.testing.assert_allclose(y, (x * 2 if x.sum() > 0 else x) + X + 1)
        assert (rest, named) == ((), ["shift", "scale"])
    assert "def forward(x, *, bias, **named):" in keyword.host_source


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((X, 2.0), "rest: expected a tuple of 2, got one of 1"),
        ((X,), "rest: expected a tuple of 2, got one of 0"),
        ((X, 2.0, 3.0, 4.0), "rest: expected a tuple of 2, got one of 3"),
        ((X, 2.0, "a"), "rest[1]: expected a Python float, got str 'a'"),
    ],
)
def test_other_positional_arguments_are_refused(
    positional: dycl.CompiledModel, args: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ValueError) as caught:
        positional(*args)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"bias": 0.0, "shift": X, "scale": X, "z": X},
            "z: there is no such argument; expected the arguments x, bias, shift, scale",
        ),
        (
            {"bias": 0.0, "shift": X},
            "named: expected a dict with the keys ['shift', 'scale'], in this order, "
            "got one with the keys ['shift']",
        ),
        (
            {"bias": 0.0, "scale": X, "shift": X},
            "named: expected a dict with the keys ['shift', 'scale'], in this order, "
            "got one with the keys ['scale', 'shift']",
        ),
        ({"shift": X, "scale": X}, "bias: is missing; expected a Python float"),
    ],
)
def test_other_keyword_arguments_are_refused(
    keyword: dycl.CompiledModel, given: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError) as caught:
        keyword(X, **given)
    assert str(caught.value) == message


def test_manifest_and_verification_know_star_parameters(
    positional: dycl.CompiledModel, keyword: dycl.CompiledModel
) -> None:
    manifests = [
        json.loads(Path(compiled.path, "manifest.json").read_text(encoding="utf-8"))
        for compiled in (positional, keyword)
    ]
    stars = [[(item["name"], item["star"]) for item in m["inputs"]] for m in manifests]
    assert stars == [
        [("x", ""), ("rest", "*"), ("bias", "")],
        [("x", ""), ("bias", ""), ("named", "**")],
    ]
    assert dycl.verify(weighted, positional, [(X, 2.0, 3.0), (-X, 2.0, 3.0)]).passed
    given = {"bias": 0.5, "shift": X, "scale": X}
    assert dycl.verify(weighted, keyword, [{"x": X, **given}, {"x": -X, **given}]).passed
