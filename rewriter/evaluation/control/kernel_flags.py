"""``torch.backends.cudnn.flags(...)``: settings of kernels that are not used on the CPU."""

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known


class KernelFlags:
    """What sets flags while a suite is executed, so that what reads them inside reads these."""

    def __init__(self, make: Callable[..., Any], given: list[object], named: dict[str, object]):
        self.make = make
        self.given, self.named = given, named
        self.is_entered = False

    def set(self) -> contextlib.AbstractContextManager[None]:
        """Set the flags until the suite has been executed."""
        manager: contextlib.AbstractContextManager[None] = self.make(*self.given, **self.named)
        return manager


@special(torch.backends.cudnn.flags)
def flags_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.backends.cudnn.flags(...)`` of known settings, where ``with`` enters it at once."""
    values = [known_object(state, value) for value in [*positional, *keywords.values()]]
    try:
        inspect.signature(torch.backends.cudnn.flags).bind(*positional, **keywords)
    except TypeError:
        frame.refuse("DYCL064", node, "flags of kernels that there are not")
    if not all(each is not None and isinstance(each.value, bool) for each in values):
        frame.refuse("DYCL064", node, "flags of kernels that are no truths")
    contents = [each.value for each in values if each is not None]
    given = contents[: len(positional)]
    named = dict(zip(keywords, contents[len(positional) :], strict=True))
    yield state, Known(KernelFlags(torch.backends.cudnn.flags, given, named))
