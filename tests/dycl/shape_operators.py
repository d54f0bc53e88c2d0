"""Operators that change a tensor's shape or choose parts of it, each with its operand."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from tests.dycl.operator_operands import EMPTY, IMAGE, INFINITY, SPECIAL, SQUARE, TOKENS, X


def in_place(x: torch.Tensor) -> torch.Tensor:
    x[:, 0] = 0
    x.add_(1).mul_(2)
    x[..., 1:3] += 5
    return x


def views(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    view = x.view(-1)
    view[0] = 9.0
    return x, view, x.transpose(0, 1), x[0]


SHAPES: dict[str, tuple[Callable[..., object], torch.Tensor]] = {
    "view": (lambda x: x.view(6, -1), X),
    "reshape of transposed": (lambda x: x.transpose(0, 2).reshape(-1), X),
    "flatten": (lambda x: x.flatten(1), X),
    "permute": (lambda x: x.permute(2, 0, 1), X),
    "transpose": (lambda x: x.transpose(0, 2), X),
    "squeeze": (lambda x: x.unsqueeze(0).squeeze(), X),
    "expand": (lambda x: x.unsqueeze(1).expand(2, 5, 3, 4), X),
    "repeat": (lambda x: x.repeat(2, 1, 3), X),
    "repeat interleave": (lambda x: x.repeat_interleave(2, 1), X),
    "chunk": (lambda x: x.chunk(2, 2), X),
    "split": (lambda x: x.split([1, 3], 2), X),
    "unbind": (lambda x: x.unbind(1), X),
    "stack": (lambda x: torch.stack([x, x + 1], 1), X),
    "concatenation": (lambda x: torch.cat([x, x * 2], -1), X),
    "concatenation with empty": (lambda x: torch.cat([x[:0], x]), X),
    "concatenation with empty of one dimension": (
        lambda x: torch.cat([torch.empty(0), x, x], -1),
        X,
    ),
    "concatenation of nothing": (lambda x: torch.cat([x.new_empty(0), x.new_empty(0)]), X),
    "narrow": (lambda x: x.narrow(2, 1, 2), X),
    "slice with step": (lambda x: x[:, ::2, 1:], X),
    "slice past the end": (lambda x: x[:, 1:99], X),
    "negative index": (lambda x: x[-1, :, -2], X),
    "new axis": (lambda x: x[:, None, ..., 0], X),
    "index by list": (lambda x: x[:, [2, 0]], X),
    "index by tensors": (lambda x: x[torch.tensor([0, 1]), torch.tensor([2, 0])], X),
    "index by separated tensors": (lambda x: x[torch.tensor([0, 1]), :, torch.tensor([3, 0])], X),
    "flip": (lambda x: x.flip(0, 2), X),
    "roll": (lambda x: x.roll(1, 2), X),
    "roll flat": (lambda x: x.roll(5), X),
    "tril": (torch.tril, SQUARE),
    "triu": (lambda x: x.triu(1), SQUARE),
    "diagonal": (lambda x: x.diagonal(dim1=1, dim2=2), SQUARE),
    "unfold": (lambda x: x.unfold(2, 2, 1), X),
    "movedim": (lambda x: x.movedim(0, 2), X),
    "contiguous": (lambda x: x.transpose(0, 1).contiguous(), X),
    "pixel shuffle": (lambda x: F.pixel_shuffle(x, 2), IMAGE),
    "pixel unshuffle": (lambda x: F.pixel_unshuffle(x[..., :8, :6], 2), IMAGE),
    "pad": (lambda x: F.pad(x, (1, 2, 0, 1), value=3.0), X),
    "negative pad": (lambda x: F.pad(x, (-1, 1)), X),
    "reflect pad": (lambda x: F.pad(x, (1, 2), mode="reflect"), X),
    "replicate pad": (lambda x: F.pad(x, (1, 2), mode="replicate"), X),
    "circular pad": (lambda x: F.pad(x, (1, 2), mode="circular"), X),
    "image to columns": (lambda x: F.unfold(x, 3, padding=1), IMAGE),
    "in place": (in_place, X),
    "views of one storage": (views, X),
    "input returned": (lambda x: (x, x, x + 1), X),
    "empty through": (lambda x: (x * 2, x.sum(), x.shape and torch.relu(x)), EMPTY),
    "scalar tensors": (lambda x: (x.sum(), x.mean() > 0, x.numel() + x[0, 0, 0]), X),
    "ones like": (lambda x: torch.ones_like(x) + torch.zeros(4), X),
    "arange": (lambda x: x + torch.arange(0, 2, 0.5), X),
    "linspace": (lambda x: x + torch.linspace(0, 1, 4), X),
    "full": (lambda x: x + torch.full((4,), 2.5), X),
    "eye": (lambda x: x + torch.eye(4)[:3], X),
    "one hot": (lambda x: F.one_hot(x, 7), TOKENS),
    "one hot of one": (lambda x: F.one_hot(x[0, 0], 7), TOKENS),
    "meshgrid": (
        lambda x: torch.meshgrid(x, torch.arange(2.0), indexing="ij"),
        torch.arange(3.0),
    ),
    "masked fill": (lambda x: x.masked_fill(x > 0, -INFINITY), X),
    "where": (lambda x: torch.where(x > 0, x, torch.tensor(-1.0)), SPECIAL),
    "fill diagonal by mask": (lambda x: x * (1 - torch.eye(4)), SQUARE),
}
