"""Operations that raise for some content of their operands, and whose decompositions do not.

PyTorch's kernel of ``binary_cross_entropy`` raises for a number outside of [0, 1]; what it is
decomposed to gives another number. Here the operand is taken together with an element of a row
of one, whose place is out of range where PyTorch raises: looking it up raises on every backend.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode


def checked(x: Tensor, valid: Tensor) -> Tensor:
    """Return a tensor as it is; raise where any element is not valid."""
    place = valid.logical_not().any().to(torch.int64).reshape(1)
    is_invalid = torch.zeros(1, dtype=torch.bool).gather(0, place).reshape(())
    return torch.where(is_invalid, torch.zeros((), dtype=x.dtype), x)


def _probabilities(x: Tensor) -> Tensor:
    return checked(x, (x >= 0) & (x <= 1))


def _counts(x: Tensor) -> Tensor:
    return checked(x, x >= 0)


_FUNCTIONAL_BAG = tuple(inspect.signature(functional.embedding_bag).parameters)
_BAG = ("weight", "indices", "offsets", "scale_grad_by_freq", "mode", "sparse",
        "per_sample_weights", "include_last_offset", "padding_idx")  # fmt: skip


def with_checked_bags(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``embedding_bag``, with indices and offsets that raise.

    They are long ones: what the operation is decomposed to computes with places of its own.
    """
    places = "input" if "input" in given else "indices"
    indices, offsets = given[places].long(), given.get("offsets")
    weight = given["weight"]
    checks = {places: checked(indices, (indices >= 0) & (indices < weight.shape[0]))}
    if offsets is not None:
        offsets = offsets.long()
        count = indices.shape[0]
        orders = [offsets[1:] >= offsets[:-1], offsets[:1] == 0, offsets <= count]
        if given.get("include_last_offset"):
            orders.append(offsets[-1:] == count)
        checks["offsets"] = checked(offsets, torch.cat(orders))
    return given | checks


_BAGS = frozenset({"embedding_bag", "_embedding_bag", "_embedding_bag_forward_only"})


def _operation(func: Callable[..., Any]) -> str:
    """Return the name of a function, or of the operator that an overload is of."""
    packet: Any = getattr(func, "overloadpacket", func)
    return str(getattr(packet, "__name__", ""))


_UNPOOLING = (functional.max_unpool1d, functional.max_unpool2d, functional.max_unpool3d)


def with_checked_places(
    func: Callable[..., Tensor], args: Sequence[Any], given: Mapping[str, Any]
) -> Sequence[Any]:
    """Return the arguments of a ``max_unpool``, with indices that raise."""
    bound = inspect.signature(func).bind(*args, **given)
    whole = func(*bound.args)
    rank = _UNPOOLING.index(func) + 1
    indices = bound.arguments["indices"]
    is_inside = (indices >= 0) & (indices < math.prod(whole.shape[-rank:]))
    bound.arguments["indices"] = checked(indices, is_inside)
    return bound.args


_UNPOOLED = ("self", "indices", "output_size", "stride", "padding")
_UNPOOLING_OPERATORS = (torch.ops.aten.max_unpool2d, torch.ops.aten.max_unpool3d)


def with_checked_elements(args: Sequence[Any], given: Mapping[str, Any]) -> Sequence[Any]:
    """Return the arguments of the operator behind a ``max_unpool``, with indices that raise."""
    operands = {**dict(zip(_UNPOOLED, args, strict=False)), **given}
    indices, sizes = operands["indices"], operands["output_size"]
    is_inside = (indices >= 0) & (indices < math.prod(sizes))
    operands["indices"] = checked(indices, is_inside)
    return [operands[name] for name in _UNPOOLED if name in operands]


class CheckedBags(TorchFunctionMode):
    """While active, ``embedding_bag`` raises for offsets that decrease or do not end rightly.

    PyTorch raises as well, or gives what lay in memory before, by the kernel that it takes: that
    is nothing to compare compiled code with.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Check the operands of ``embedding_bag``."""
        given = dict(kwargs or {})
        if _operation(func) not in _BAGS:
            return func(*args, **given)
        parameters = _FUNCTIONAL_BAG if func is functional.embedding_bag else _BAG
        given |= dict(zip(parameters, args, strict=False))
        result = func(**with_checked_bags(given))
        if isinstance(result, Tensor):
            return result
        kind = torch.promote_types(given["indices"].dtype, given["offsets"].dtype)
        bags, *places = result
        return (bags, *(each.to(kind) for each in places))


class CheckedContent(TorchFunctionMode):
    """While active, the operations above raise for what PyTorch raises for."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Check the operands of what needs it."""
        given = dict(kwargs or {})
        if func in _UNPOOLING:
            return func(*with_checked_places(func, args, given))
        if getattr(func, "overloadpacket", func) in _UNPOOLING_OPERATORS:
            return func(*with_checked_elements(args, given))
        check = _CHECKS.get(_operation(func))
        if check is None:
            return func(*args, **given)
        checked, names, find_places = check
        places = find_places(args, given)
        for name in given.keys() & names:
            given[name] = _where_tensor(checked, given[name])
        values = [
            _where_tensor(checked, value) if place in places else value
            for place, value in enumerate(args)
        ]
        return func(*values, **given)


def _where_tensor(check: Callable[[Tensor], Tensor], value: Any) -> Any:
    return check(value) if isinstance(value, Tensor) else value


def _place_of_counts(args: Sequence[object], given: Mapping[str, object]) -> Sequence[int]:
    """Return where ``repeat_interleave`` has its counts; what is repeated may come first."""
    return () if "repeats" in given else (min(len(args) - 1, 1),)


_Check = tuple[
    Callable[[Tensor], Tensor],
    frozenset[str],
    Callable[[Sequence[object], Mapping[str, object]], Sequence[int]],
]
_CHECKS: dict[str, _Check] = {
    "binary_cross_entropy": (_probabilities, frozenset({"input", "target"}), lambda *_: (0, 1)),
    "bincount": (_counts, frozenset({"input"}), lambda *_: (0,)),
    "repeat_interleave": (_counts, frozenset({"repeats"}), _place_of_counts),
}
"""By name: the check, and which operands it is for."""
