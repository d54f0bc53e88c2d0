"""Losses of classes, in operations that do not ask how many examples there are.

PyTorch's own code asks whether there are any. Backends have a loss of their own that takes a class
that is none for some number; looking it up, as here, raises.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

_LOSS = ("input", "target", "weight", "size_average", "ignore_index", "reduce", "reduction")
_PARAMETERS: dict[Callable[..., Any], tuple[str, ...]] = {
    functional.nll_loss: _LOSS,
    functional.cross_entropy: (*_LOSS, "label_smoothing"),
    functional.multi_margin_loss: (
        *("input", "target", "p", "margin", "weight", "size_average", "reduce", "reduction"),
    ),
}
_OF_OLD = ("size_average", "reduce")
_LINEAR = getattr(functional, "linear_cross_entropy", None)
"""Calls ``F.cross_entropy``, unseen by a mode that runs it. Not in every version of PyTorch."""


class TracedLosses(TorchFunctionMode):
    """While active, ``F.cross_entropy`` and the like are what they are made of."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Respell what needs it."""
        kwargs = dict(kwargs or {})
        if torch.is_autocast_enabled("cpu"):  # which converts the operands of this, not of others
            return func(*args, **kwargs)
        if func is _LINEAR:
            return linear_cross_entropy(*args, **kwargs)
        if func in _PARAMETERS:
            given = dict(zip(_PARAMETERS[func], args, strict=False)) | kwargs
            if all(given.pop(name, None) is None for name in _OF_OLD):
                return _LOSSES[func](**given)
        return func(*args, **kwargs)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """``F.nll_loss``."""
    counted, places, factors = _looked_up(input, target, weight, ignore_index)
    dim = _class_dim(input)
    chosen = -input.gather(dim, places.unsqueeze(dim)).squeeze(dim)
    zero = input.new_zeros(())
    return _reduced(torch.where(counted, chosen * factors, zero), factors, reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """``F.cross_entropy``."""
    dim = _class_dim(input)
    logarithms = torch.log_softmax(input, dim)
    if target.is_floating_point():
        return _of_shares(logarithms, target, weight, reduction, label_smoothing)
    loss = nll_loss(logarithms, target, weight, ignore_index, reduction)
    if label_smoothing == 0:
        return loss
    counted, _, factors = _looked_up(input, target, weight, ignore_index)
    all_classes = -_weighted(logarithms, weight).sum(dim)
    spread = torch.where(counted, all_classes, input.new_zeros(()))
    share = label_smoothing / input.shape[dim]
    return loss * (1 - label_smoothing) + _reduced(spread, factors, reduction) * share


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: object = None,
) -> Tensor:
    """``F.linear_cross_entropy``: its options say how memory is saved."""
    shape = (*input.shape[:-1], *linear_weight.shape[:-1])
    bias = None if linear_bias is None else linear_bias.flatten()
    logits = functional.linear(input, linear_weight.flatten(0, -2), bias).reshape(shape)
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(logits, target, weight, ignored, reduction, label_smoothing)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``F.multi_margin_loss``: what is NaN is not above zero, and counts nothing."""
    rows, classes = input.reshape(-1, input.shape[-1]), target.reshape(-1, 1)
    apart = margin - rows.gather(1, classes) + rows
    counted = (apart > 0) & (torch.arange(rows.shape[1]) != classes)
    each = apart if p == 1 else apart * apart
    if weight is not None:
        each = each * weight[classes]
    losses = torch.where(counted, each, input.new_zeros(())).sum(1) / rows.shape[1]
    match reduction:
        case "mean":
            return losses.mean()
        case "sum":
            return losses.sum()
        case _:
            return losses


def _of_shares(
    logarithms: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    """Return the loss where each class has a share of the target."""
    dim = _class_dim(logarithms)
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / logarithms.shape[dim]
    loss = -(_weighted(logarithms * target, weight)).sum(dim)
    return loss.mean() if reduction == "mean" else _reduced(loss, loss, reduction)


def _looked_up(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return which examples count, their classes, and how much each counts."""
    counted = target != ignore_index
    chosen = torch.where(counted, target.long(), torch.zeros((), dtype=torch.int64))
    classes = torch.arange(input.shape[_class_dim(input)]).unsqueeze(1)
    places = torch.embedding(classes, chosen).squeeze(-1)  # as `gather`, with the error of a loss
    if weight is None:
        return counted, places, counted.to(input.dtype)
    return counted, places, torch.where(counted, weight[places], weight.new_zeros(()))


def _reduced(loss: Tensor, factors: Tensor, reduction: str) -> Tensor:
    match reduction:
        case "mean":
            return loss.sum() / factors.sum()
        case "sum":
            return loss.sum()
        case _:
            return loss


def _weighted(x: Tensor, weight: Tensor | None) -> Tensor:
    if weight is None:
        return x
    return x * weight.reshape([-1, *[1] * (x.dim() - 1 - _class_dim(x))])


def _class_dim(x: Tensor) -> int:
    return 0 if x.dim() == 1 else 1


_LOSSES: dict[Callable[..., Any], Callable[..., Tensor]] = {
    functional.nll_loss: nll_loss,
    functional.cross_entropy: cross_entropy,
    functional.multi_margin_loss: multi_margin_loss,
}
