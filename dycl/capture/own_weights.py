"""Puts a sub-DNN's own tensors in the place of the model's, by whatever way code comes to these.

A module reads its parameters by name, where ``functional_call`` has put others. A list or dict of
them that the module has made, or a function that was made beside them, has the model's still:
traced, their content would be a part of what all sub-DNNs of one structure share.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

if TYPE_CHECKING:
    from dycl.capture.captured import CapturedSubDnn


class _Replaced(TorchFunctionMode):
    """While active, operations get other tensors for certain ones."""

    def __init__(self, others: Mapping[int, Tensor]) -> None:
        """``others`` are by the ``id`` of the tensor that each stands for."""
        super().__init__()
        self._others = others

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call with the others."""
        given = pytree.tree_map_only(Tensor, self._other, (args, dict(kwargs or {})))
        return func(*given[0], **given[1])

    def _other(self, tensor: Tensor) -> Tensor:
        return self._others.get(id(tensor), tensor)


def hold_weights(holder: nn.Module, subdnn: "CapturedSubDnn") -> None:
    """Have a module hold what a sub-DNN reads, as ``w0``, ``w1``, ..."""
    for number, weight in enumerate(subdnn.weights):
        holder.register_buffer(f"w{number}", weight.tensor.detach())


def call_with_own(
    holder: nn.Module, subdnn: "CapturedSubDnn", inputs: Sequence[Tensor | int]
) -> tuple[Tensor, ...]:
    """Run a sub-DNN with the tensors that ``hold_weights`` has given to a module."""
    own = [getattr(holder, f"w{number}") for number in range(len(subdnn.weights))]
    return call_with(subdnn, own, inputs)


def call_with(
    subdnn: "CapturedSubDnn", weights: Sequence[Tensor], inputs: Sequence[Tensor | int]
) -> tuple[Tensor, ...]:
    """Run a sub-DNN with other tensors for its weights, which are given in their order."""
    pairs = list(zip(subdnn.weights, weights, strict=True))
    held = {name: tensor for weight, tensor in pairs for name in weight.names}
    with _Replaced({id(weight.tensor): tensor for weight, tensor in pairs}):
        outputs: tuple[Tensor, ...] = torch.func.functional_call(
            subdnn.module, held, tuple(inputs), tie_weights=False
        )
    return outputs
