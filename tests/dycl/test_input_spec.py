"""Input SPECs: what they mean, and what a wrong one is told."""

import inspect
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from dycl.drawing_inputs import draw_inputs, draw_like, dynamic_shapes
from dycl.errors import UserError
from dycl.input_spec import (
    ConstantRequest,
    NamedRequest,
    SymbolicDimension,
    TensorRequest,
    parse_input_spec,
)

SEQ = SymbolicDimension(name="seq", low=1, high=64)


@pytest.mark.parametrize(
    ("spec", "name", "request_"),
    [
        ("f32[1,3,32,32]", None, TensorRequest(dtype="float32", shape=(1, 3, 32, 32))),
        (" x = f32[1, 3] ", "x", TensorRequest(dtype="float32", shape=(1, 3))),
        ("f64[]", None, TensorRequest(dtype="float64", shape=())),
        ("bool[2]", None, TensorRequest(dtype="bool", shape=(2,))),
        ("tokens=i64[1,seq<=64]", "tokens", TensorRequest(dtype="int64", shape=(1, SEQ))),
        ("i64[1,1<=seq<=64]", None, TensorRequest(dtype="int64", shape=(1, SEQ))),
        (
            "i64[n]",
            None,
            TensorRequest(dtype="int64", shape=(SymbolicDimension(name="n", low=1, high=None),)),
        ),
        ("n=int:5", "n", ConstantRequest(value=5)),
        ("int:-5", None, ConstantRequest(value=-5)),
        ("t=float:0.5", "t", ConstantRequest(value=0.5)),
        ("flag=bool:true", "flag", ConstantRequest(value=True)),
        ("mode=str:a=b[1]", "mode", ConstantRequest(value="a=b[1]")),
        ("mask=none", "mask", ConstantRequest(value=None)),
    ],
)
def test_parse(spec: str, name: str | None, request_: TensorRequest | ConstantRequest) -> None:
    assert parse_input_spec(spec) == NamedRequest(name=name, request=request_)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", "cannot read the input spec ''"),
        ("1,3,32,32", "expected such as f32[1,3,32,32]"),
        ("f32", "cannot read the input spec"),
        ("f32[1,3", "cannot read the input spec"),
        ("float[1]", "unknown element type 'float'"),
        ("f32[1,-3]", "cannot read the dimension '-3'"),
        ("f32[1,,3]", "cannot read the dimension ''"),
        ("f32[seq<64]", "cannot read the dimension 'seq<64'"),
        ("f32[9<=seq<=8]", "has no possible size"),
        ("n=int:five", "'five' in the input spec 'n=int:five' is not of type int"),
        ("flag=bool:yes", "is not of type bool"),
        ("2x=f32[1]", "cannot read the input spec"),
    ],
)
def test_refuse(spec: str, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_input_spec(spec)
    assert expected in caught.value.render()


def entry(tokens: Tensor, n: int = 1, *, mask: Tensor | None = None) -> None:
    """Stand in for an entry point."""


def requests(*specs: str) -> list[NamedRequest]:
    return [parse_input_spec(spec) for spec in specs]


def test_positional_specs_give_a_tuple() -> None:
    drawn = draw_inputs(requests("f32[2,3]", "int:4"), entry, seed=0)
    assert isinstance(drawn, tuple)
    tokens, n = drawn
    assert isinstance(tokens, Tensor)
    assert (tokens.dtype, tokens.shape, n) == (torch.float32, (2, 3), 4)


def test_a_named_spec_names_all() -> None:
    drawn = draw_inputs(requests("i32[5]", "mask=bool[5]"), entry, seed=0)
    assert isinstance(drawn, dict)
    assert list(drawn) == ["tokens", "mask"]
    assert isinstance(drawn["mask"], Tensor)
    assert drawn["mask"].dtype == torch.bool


def test_names_of_a_module_are_those_of_forward() -> None:
    class Net(nn.Module):
        def forward(self, picture: Tensor, scale: float) -> Tensor:
            return picture * scale

    assert "picture" not in inspect.signature(Net().__call__).parameters
    drawn = draw_inputs(requests("f32[1]", "scale=float:2"), Net(), seed=0)
    assert isinstance(drawn, dict)
    assert list(drawn) == ["picture", "scale"]


def test_too_many_positional_specs() -> None:
    with pytest.raises(UserError, match="input 3 has no parameter to go to"):
        draw_inputs(requests("f32[1]", "int:1", "f32[1]", "mask=none"), entry, seed=0)


def test_two_specs_for_one_parameter() -> None:
    with pytest.raises(UserError, match="two inputs for the parameter 'tokens'"):
        draw_inputs(requests("f32[1]", "tokens=f32[1]"), entry, seed=0)


def test_symbolic_dimension_is_one_size_per_name() -> None:
    specs = requests("tokens=i64[1,seq<=64]", "mask=bool[seq<=64]")
    sizes = set()
    for seed in range(8):
        drawn = draw_inputs(specs, entry, seed)
        assert isinstance(drawn, dict)
        tokens, mask = drawn["tokens"], drawn["mask"]
        assert isinstance(tokens, Tensor)
        assert isinstance(mask, Tensor)
        assert tokens.shape[1] == mask.shape[0] <= 64
        sizes.add(mask.shape[0])
    assert len(sizes) > 3


def test_symbolic_dimensions_go_to_export_form() -> None:
    shapes = dynamic_shapes(requests("i64[1,2<=seq<=64]", "n=int:3"), entry)
    assert shapes is not None
    assert list(shapes) == ["tokens"]
    assert list(shapes["tokens"]) == [1]
    assert dynamic_shapes(requests("f32[1]"), entry) is None


def test_drawing_is_repeatable() -> None:
    first, second = (draw_inputs(requests("f32[4]"), entry, seed=3) for _ in range(2))
    assert isinstance(first, tuple)
    assert isinstance(second, tuple)
    assert torch.equal(torch.as_tensor(first[0]), torch.as_tensor(second[0]))


def test_draw_like_keeps_kind_and_range() -> None:
    example = (torch.full((2, 2), 5.0), torch.tensor([3, 7]), [torch.empty(0)], 4, "mode")
    drawn: Any = draw_like(example, seed=1)
    floats, integers, (empty,), number, text = drawn
    assert isinstance(floats, Tensor)
    assert isinstance(integers, Tensor)
    assert floats.shape == (2, 2)
    assert not torch.equal(floats, torch.full((2, 2), 5.0))
    assert set(integers.tolist()) <= {3, 7}
    assert (empty.numel(), number, text) == (0, 4, "mode")
