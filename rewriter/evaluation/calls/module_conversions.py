"""``module.to(dtype)``, ``module.eval()`` and the like: taken where they change nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from rewriter.known_paths import is_library
from rewriter.values import Known, TensorValue, Value

CONVERTING: Mapping[str, torch.dtype] = {
    "float": torch.float32,
    "double": torch.float64,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
}
"""Methods that convert the tensors of a module, and what they convert them to."""


def changes_nothing(
    module: nn.Module, name: str, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> bool:
    """Return whether a method of torch's surely leaves a module as it is."""
    given = [_content(value) for value in positional]
    named = {key: _content(value) for key, value in keywords.items()}
    match name, given, named:
        case "eval", [], {} if not named:
            return _is_in_mode(module, training=False)
        case "train", [bool(mode)], {} if not named:
            return _is_in_mode(module, training=mode)
        case "train", [], {} if not named:
            return _is_in_mode(module, training=True)
        case "cpu", [], {} if not named:
            return _holds(module, None)
        case "to", _, _:
            wanted = wanted_by_to(positional, keywords)
            return wanted is not None and _holds(module, wanted.dtype)
        case _ if name in CONVERTING and not given and not named:
            return _holds(module, CONVERTING[name])
        case _:
            return False


def _content(value: Value) -> object:
    return value.value if isinstance(value, Known) else ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the tensors of a module, which are on the CPU, are to be."""

    dtype: torch.dtype | None
    """None where element types stay."""


def wanted_by_to(positional: Sequence[Value], keywords: Mapping[str, Value]) -> Wanted | None:
    """Return what ``module.to()`` is asked for; None for more than a real type and the CPU."""
    given: list[Any] = [_shown(value) for value in positional]
    named: dict[str, Any] = {name: _shown(value) for name, value in keywords.items()}
    if any(content is ... for content in (*given, *named.values())):
        return None
    try:
        device, dtype, _, layout = torch._C._nn._parse_to(*given, **named)
    except (TypeError, RuntimeError):
        return None
    there = layout is None and (device is None or device.type == "cpu")
    return Wanted(dtype) if there and (dtype is None or dtype.is_floating_point) else None


def _shown(value: Value) -> object:
    """Return what a value is to ``module.to()``, which asks a tensor for its type only."""
    if isinstance(value, TensorValue):
        return torch.empty(0, dtype=value.fake.dtype)
    return _content(value)


def _holds(module: nn.Module, dtype: torch.dtype | None) -> bool:
    """Return whether all tensors are on the CPU, and those of numbers with fractions of a type."""
    tensors = [*module.parameters(), *module.buffers()]
    return _is_torchs(module, "_apply") and all(
        tensor.device.type == "cpu"
        and (dtype is None or tensor.dtype is dtype or not is_converted(tensor))
        for tensor in tensors
    )


def is_converted(tensor: torch.Tensor) -> bool:
    """Return whether a module's conversion to a type of real numbers is one of this tensor."""
    return tensor.is_floating_point() or tensor.is_complex()


def _is_in_mode(module: nn.Module, *, training: bool) -> bool:
    return _is_torchs(module, "train") and all(m.training is training for m in module.modules())


def _is_torchs(module: nn.Module, name: str) -> bool:
    """Return whether no module in a module has a method of its own that would be called."""
    methods: list[Callable[..., object]] = [getattr(type(m), name) for m in module.modules()]
    return all(is_library(method.__module__) for method in methods)
