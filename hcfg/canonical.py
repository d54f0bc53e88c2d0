"""Operations as text that does not depend on names, addresses or weights' values.

Tensors are numbered in the order in which they appear: ``%0`` is the first input. Weights
stand with element type, shape and strides, so that equal text means equal up to weights.
Tensors that are no weights (``torch.tensor([0.5])`` in the user's code) stand with content.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from rewriter.contents import content_hash


def _beginning() -> list[str]:
    """Return what says how numbers become floats, where that is not as usual."""
    default = torch.get_default_dtype()
    return [] if default == torch.float32 else [f"floats are {default}"]


@dataclass(slots=True, kw_only=True)
class Canonical:
    """Numbers tensors and collects lines."""

    weights: Mapping[int, torch.Tensor]
    lines: list[str] = field(default_factory=_beginning)
    used_weights: list[torch.Tensor] = field(default_factory=list)
    opaque: bool = False
    """True when an argument has no text that says all about it."""
    _numbers: dict[int, int] = field(default_factory=dict)
    _alive: list[torch.Tensor] = field(default_factory=list)
    """Numbered tensors, held so that no ``id`` is given out twice."""

    def add_input(self, fake: torch.Tensor) -> None:
        """Number an input."""
        self.lines.append(f"{self._number(fake)} = input {geometry(fake)}")

    def add_number(self, number: int | torch.SymInt, low: int | None, high: int | None) -> None:
        """Write down a number that is known only at run time, and its bounds."""
        self.lines.append(f"{number} = number in [{low}, {high}]")

    def add_operation(
        self,
        function: Any,
        args: Sequence[object],
        kwargs: Mapping[str, object],
        results: Sequence[torch.Tensor],
    ) -> None:
        """Write down an operation and number its results."""
        arguments = [self._text(value) for value in args]
        arguments += [f"{name}={self._text(value)}" for name, value in sorted(kwargs.items())]
        numbers = ", ".join(self._number(result) for result in results)
        self.lines.append(f"{numbers} = {function}({', '.join(arguments)})")

    def add_outputs(self, outputs: Sequence[torch.Tensor]) -> None:
        """Write down what is returned."""
        self.lines.append(f"return {', '.join(self._tensor(output) for output in outputs)}")

    def _number(self, tensor: torch.Tensor) -> str:
        if id(tensor) not in self._numbers:
            self._numbers[id(tensor)] = len(self._numbers)
            self._alive.append(tensor)
        return f"%{self._numbers[id(tensor)]}"

    def _tensor(self, tensor: torch.Tensor) -> str:
        if id(tensor) in self._numbers or isinstance(tensor, FakeTensor):
            return self._number(tensor)
        number = self._number(tensor)
        if id(tensor) in self.weights:
            self.used_weights.append(tensor)
            self.lines.append(f"{number} = weight {geometry(tensor)}")
        else:
            self.lines.append(f"{number} = literal {geometry(tensor)} {content_hash(tensor)}")
        return number

    def _text(self, value: object) -> str:
        match value:
            case torch.Tensor():
                return self._tensor(value)
            case list() | tuple():
                return f"[{', '.join(self._text(item) for item in value)}]"
            case None | bool() | int() | float() | complex() | str():
                return repr(value)
            case torch.dtype() | torch.device() | torch.layout() | torch.memory_format():
                return str(value)
            case torch.SymInt() | torch.SymFloat() | torch.SymBool():
                return str(value)
            case _:  # values of any library: a script object, a generator
                self.opaque = True
                return type(value).__qualname__


def geometry(tensor: torch.Tensor) -> str:
    """Return element type, shape, strides and device as text."""
    shape, strides = (", ".join(map(str, sizes)) for sizes in (tensor.shape, tensor.stride()))
    return f"{tensor.dtype}[{shape}] strides [{strides}] on {tensor.device}"
