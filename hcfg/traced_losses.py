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
}
_OF_OLD = ("size_average", "reduce")


class TracedLosses(TorchFunctionMode):
    """While active, ``F.cross_entropy`` and ``F.nll_loss`` are what they are made of."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Respell what needs it."""
        kwargs = dict(kwargs or {})
        if func in _PARAMETERS:
            given = dict(zip(_PARAMETERS[func], args, strict=False)) | kwargs
            if all(given.pop(name, None) is None for name in _OF_OLD):
                return (cross_entropy if func is functional.cross_entropy else nll_loss)(**given)
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
