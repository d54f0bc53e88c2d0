"""A view that is taken again from how it lies in memory is the view that it was."""

import ast
import random

import pytest
import torch

from rewriter.evaluation.leaf.retaking import retakes_of
from rewriter.values import TensorValue


def _narrowed(view: torch.Tensor, draw: random.Random) -> torch.Tensor:
    dimension = draw.randrange(view.dim())
    start = draw.randrange(view.shape[dimension])
    index: list[slice] = [slice(None)] * view.dim()
    index[dimension] = slice(start, None, draw.choice((1, 1, 2, 3)))
    return view[tuple(index)]


def _view(whole: torch.Tensor, draw: random.Random) -> torch.Tensor:
    view = whole
    for _ in range(draw.randrange(1, 5)):
        match draw.randrange(5) if view.dim() else 1:
            case 0:
                view = view.select(dimension := draw.randrange(view.dim()), -1)
                assert dimension <= view.dim()
            case 1:
                view = view.unsqueeze(draw.randrange(view.dim() + 1))
            case 2:
                view = view.permute(draw.sample(range(view.dim()), view.dim()))
            case 3:
                view = view.view(-1) if view.is_contiguous() else view
            case _:
                view = _narrowed(view, draw)
    return view


def _taken_again(whole: torch.Tensor, expression: ast.expr) -> torch.Tensor:
    code = compile(ast.fix_missing_locations(ast.Expression(expression)), "", "eval")
    made = eval(code, {"whole": whole})
    assert isinstance(made, torch.Tensor)
    return made


@pytest.mark.parametrize("seed", range(60))
def test_views_are_taken_again(seed: int) -> None:
    draw = random.Random(seed)
    memory = torch.arange(100.0)
    whole = draw.choice((memory[:24].view(2, 3, 4), memory[7:31].view(4, 1, 6), memory[:60]))
    view = _view(whole, draw)
    if view.is_contiguous() and view.numel() == whole.numel():
        whole = whole.view(-1)
    found = retakes_of([TensorValue("whole", whole), TensorValue("view", view)])
    for name, expression in found:
        assert name == "view"
        again = _taken_again(whole, expression)
        assert again.tolist() == view.tolist()
        again.fill_(-1)
        assert (view == -1).all()
        assert int((memory == -1).sum()) == view.numel()


def test_most_views_are_found() -> None:
    found = 0
    for seed in range(200):
        whole = torch.zeros(2, 3, 4)
        view = _view(whole, random.Random(seed))
        found += bool(retakes_of([TensorValue("whole", whole), TensorValue("view", view)]))
    assert found > 180


def test_what_is_no_part_is_not_found() -> None:
    memory = torch.arange(24.0)
    whole = memory[:12].view(3, 4)
    for other in (
        memory[6:18],
        memory[12:],
        whole[:1].expand(3, 4),
        whole.view(torch.int32),
        memory.as_strided((2, 4), (5, 1)),
        memory[:0],
    ):
        assert not retakes_of([TensorValue("whole", whole), TensorValue("other", other)])


def test_a_dimension_of_one_place_may_have_any_stride() -> None:
    whole = torch.arange(12.0).as_strided((1, 12), (0, 1))
    view = whole[:, ::2]
    ((_, expression),) = retakes_of([TensorValue("whole", whole), TensorValue("view", view)])
    assert _taken_again(whole, expression).tolist() == view.tolist()
