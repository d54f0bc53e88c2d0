"""``module.to(dtype)``, ``module.eval()`` and the like: taken where they change nothing."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import nn

from rewriter.known_paths import is_library
from rewriter.values import Known, Value

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
        case "to", [str() | torch.device() | torch.dtype()], {} if not named:
            return _is_there(module, given[0])
        case "to", [], {"dtype": torch.dtype() as dtype} if len(named) == 1:
            return _holds(module, dtype)
        case _ if name in CONVERTING and not given and not named:
            return _holds(module, CONVERTING[name])
        case _:
            return False


def _content(value: Value) -> object:
    return value.value if isinstance(value, Known) else ...


def _is_there(module: nn.Module, wanted: object) -> bool:
    """Return whether a module is of a type, or on a device, already."""
    if isinstance(wanted, torch.dtype):
        return _holds(module, wanted)
    return str(wanted) == "cpu" and _holds(module, None)


def _holds(module: nn.Module, dtype: torch.dtype | None) -> bool:
    """Return whether all tensors are on the CPU, and those of numbers with fractions of a type."""
    tensors = [*module.parameters(), *module.buffers()]
    return _is_torchs(module, "_apply") and all(
        tensor.device.type == "cpu"
        and (dtype is None or tensor.dtype is dtype or not _is_converted(tensor))
        for tensor in tensors
    )


def _is_converted(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _is_in_mode(module: nn.Module, *, training: bool) -> bool:
    return _is_torchs(module, "train") and all(m.training is training for m in module.modules())


def _is_torchs(module: nn.Module, name: str) -> bool:
    """Return whether no module in a module has a method of its own that would be called."""
    methods: list[Callable[..., object]] = [getattr(type(m), name) for m in module.modules()]
    return all(is_library(method.__module__) for method in methods)
