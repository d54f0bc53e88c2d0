"""Lets PyTorch's exporter see sizes that are known only at run time as unknown numbers.

``torch.export`` takes dynamic sizes for larger than one, and for whatever else the example says.
So each tensor goes into the trace with an example's shape, and out of ``dycl::opened`` with
sizes that are unbacked symbols: of those the trace knows the bounds only, and every decision about
them fails loudly or is written into the graph. What the operators stand for in a backend: the
size is read from the input, and opening does nothing.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from dycl.capture.autocasts import without_autocasts
from dycl.capture.captured import CapturedSubDnn, bounded
from dycl.capture.own_weights import call_with_own, hold_weights
from dycl.capture.size_places import size_places
from hcfg.sizes import is_made_of
from rewriter.size_texts import value_of

_NO_BOUND = -1


@torch.library.custom_op("dycl::size", mutates_args=())
def size(x: Tensor, dim: int, factor: int, offset: int, low: int, high: int) -> int:
    """Return a size, less an offset, by a factor; ``low`` and ``high`` bound the result."""
    return (x.shape[dim] - offset) // factor


@size.register_fake
def _(x: Tensor, dim: int, factor: int, offset: int, low: int, high: int) -> int:
    context = torch.library.get_ctx()
    number: Any = context.new_dynamic_size(min=low, max=None if high == _NO_BOUND else high)
    return number  # type: ignore[no-any-return]  # a SymInt, which stands for an int


@torch.library.custom_op("dycl::opened", mutates_args=())
def opened(x: Tensor, sizes: Sequence[int]) -> Tensor:
    """Return a tensor, which has the given sizes."""
    return x.clone()


@opened.register_fake
def _(x: Tensor, sizes: Sequence[int]) -> Tensor:
    return x.new_empty(sizes)


def open_inputs(subdnn: CapturedSubDnn, inputs: Sequence[Tensor]) -> tuple[Tensor | int, ...]:
    """Return what the module of a sub-DNN takes, with every size of run time unknown."""
    if not subdnn.is_symbolic:
        return tuple(inputs)
    symbols = _symbols(subdnn, inputs)
    values: list[Tensor | int] = []
    for port, x in zip(subdnn.inputs, inputs, strict=True):
        if port.number is not None and is_made_of(port.number.size, symbols):
            values.append(value_of(port.number.size, symbols))
        elif port.number is not None:
            values.append(bounded(x, port.number))
        elif port.is_symbolic:
            values.append(opened(x, [value_of(size, symbols) for size in port.shape]))
        else:
            values.append(x)
    return tuple(values)


def _symbols(subdnn: CapturedSubDnn, inputs: Sequence[Tensor]) -> dict[str, int]:
    """Return the symbols as numbers of the trace, each read from the input that shows it."""
    symbols: dict[str, int] = {}
    for place in size_places(subdnn):
        low, high = place.bounds.minimum, place.bounds.maximum
        symbols[place.symbol] = size(
            inputs[place.port],
            place.dim,
            place.factor,
            place.offset,
            low,
            _NO_BOUND if high is None else high,
        )
    return symbols


class Opened(nn.Module):
    """A sub-DNN that takes tensors and opens them; it holds its weights as ``w0``, ``w1``, ..."""

    def __init__(self, subdnn: CapturedSubDnn) -> None:
        super().__init__()
        self.training = False
        self._subdnn = (subdnn,)  # in a tuple: its weights are not those of this module
        hold_weights(self, subdnn)

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        """Return the outputs."""
        (subdnn,) = self._subdnn
        return call_with_own(self, subdnn, open_inputs(subdnn, inputs))


def opened_program(subdnn: CapturedSubDnn) -> torch.export.ExportedProgram:
    """Return a sub-DNN as an exported program in which its sizes of run time are unknown."""
    with torch.no_grad():
        exported = torch.export.export(Opened(subdnn), subdnn.example_inputs(), strict=False)
        return without_autocasts(exported)
