"""Sub-DNNs that choose elements by content, which may be none: random content chooses some."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from dycl.backends.trials import inputs_at, trials
from dycl.capture import CapturedSubDnn

_aten = torch.ops.aten
_CHOOSING = (_aten.nonzero.default, _aten.masked_select.default)
_TRUTHS = (torch.bool, torch.uint8)


def widest(subdnn: CapturedSubDnn) -> Mapping[str, int]:
    """Return the sizes among those tried that leave the most to choose from."""
    return max(trials(subdnn), key=_least)


def _least(values: Mapping[str, int]) -> int:
    return min(values.values(), default=0)


def may_choose_nothing(subdnn: CapturedSubDnn) -> bool:
    """Return whether a sub-DNN takes elements by a mask, or asks where something is."""
    inputs = inputs_at(subdnn, widest(subdnn), 0)
    seen = _Seen()
    try:
        with seen, torch.no_grad():
            subdnn.module(*inputs or ())
    except Exception:  # the user's operators may refuse what is tried
        return seen.chooses
    return seen.chooses


class _Seen(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types here
    """While open, notes whether content decides how many elements there are."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.chooses = False

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Look at the operation, and run it."""
        by_mask = func is _aten.index.Tensor and any(
            places is not None and places.dtype in _TRUTHS for places in args[1]
        )
        self.chooses = self.chooses or by_mask or func in _CHOOSING
        return func(*args, **(kwargs or {}))
