"""Exceptions of user classes that leave the program, with their arguments and attributes"""

from typing import Any

from torch import Tensor, nn

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case


class ModelError(Exception):
    """The base of the model's exceptions."""


class Rejected(ModelError):
    """Raised with a message."""


class OutOfRange(ValueError):
    """A builtin under another name."""


class EarlyExit(Exception):
    """Carries the result."""

    def __init__(self, result: Any, layer: int) -> None:
        super().__init__(f"exit at layer {layer}")
        self.result = result
        self.layer = layer


class Plain(Exception):
    """Has an own __init__ that tells the base class nothing."""

    def __init__(self, code: int) -> None:
        self.code = code


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def messages(x: Tensor) -> Any:
    """Exceptions with a message, below an own base and below a builtin"""
    if x.sum() > 0:
        raise Rejected("too large", 3)
    if x.sum() < 0:
        raise OutOfRange
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,), (POSITIVE * 20,)])
class Attributes(nn.Module):
    """An exception that carries tensors and numbers as attributes"""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))

    def forward(self, x: Tensor) -> Any:
        for number, layer in enumerate(self.layers):
            if x.sum() < 0:
                raise EarlyExit(x, number)
            x = layer(x).abs()
        if x.max() > 0.7:
            raise Plain(number)
        return x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def caught_outside(x: Tensor) -> Any:
    """One is caught inside, what is raised from there leaves"""
    try:
        if x.sum() > 0:
            raise EarlyExit(x * 2, 7)
    except EarlyExit as early:
        if early.layer > 3:  # known
            raise Rejected(early.result.sum().item()) from early
    return x
