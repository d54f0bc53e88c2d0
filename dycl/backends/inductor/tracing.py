"""Spells a sub-DNN for the compiler: weights are inputs, sizes of run time are inputs too.

``torch.export`` takes the sizes of inputs for larger than one, and ahead of time nobody tests what
else the compiler takes them for. So an input with sizes of run time comes as a vector, and its
sizes come as numbers of their own, of which the compiler knows the bounds only (*unbacked*): where
a decision hangs on one of them, it fails.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._prims_common import make_contiguous_strides_for
from torch.export import Dim, ExportedProgram

from dycl.capture import CapturedSubDnn
from dycl.capture.autocasts import without_autocasts
from dycl.capture.captured import bounded
from dycl.capture.own_weights import call_with
from dycl.capture.size_places import SizePlace, size_places
from hcfg.sizes import is_made_of
from hcfg.traced_layers import RECURRENT
from rewriter.program import ScalarSpec
from rewriter.size_texts import value_of


def _library() -> Any:
    return torch.library.Library("dycl_inductor", "FRAGMENT")  # type: ignore[no-untyped-call]


_LIBRARY = _library()
if not hasattr(torch.ops.dycl_inductor, "recurrent"):  # a package may have been loaded before
    _LIBRARY.define(str(RECURRENT._schema).removeprefix("dycl::"))
    _LIBRARY.impl("recurrent", RECURRENT, "CPU")
_LIBRARY.impl("recurrent", RECURRENT, "Meta")
"""``dycl::recurrent`` by another name, for loaders define it where there is no dycl."""


class FixedSize(Exception):
    """Tracing took a size that is known only at run time for a number."""


def traced(subdnn: CapturedSubDnn) -> ExportedProgram:
    """Return a sub-DNN that takes its inputs, then the sizes at ``size_places``, then its weights.

    Inputs with sizes of run time are vectors, integers and sizes are tensors of rank 0.
    """
    places = size_places(subdnn)
    weights = tuple(weight.tensor.detach().contiguous() for weight in subdnn.weights)
    inputs = tuple(
        x.new_zeros(_EXAMPLE) if _is_open(subdnn, number) else x
        for number, x in enumerate(subdnn.example_inputs())
    )
    sizes = tuple(torch.tensor(_EXAMPLE) for _ in places)
    dynamic = tuple(
        {0: Dim(f"n{number}", min=0)} if _is_open(subdnn, number) else None
        for number in range(len(inputs))
    )
    exported = torch.export.export(
        _Flat(subdnn, places),
        (*inputs, *sizes, *weights),
        dynamic_shapes=((*dynamic, *(None for _ in (*sizes, *weights))),),
        strict=False,
    )
    exported = without_autocasts(exported)
    _require_open(exported)
    for node in exported.graph.nodes:
        if node.target is RECURRENT:
            node.target = torch.ops.dycl_inductor.recurrent.default
        if node.target is torch.ops.aten.slice.Tensor:
            node.args = _with_bounds(node.args)
    return exported


def _with_bounds(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a slice's arguments with numbers for bounds left out: C++ is written of them."""
    left_out: tuple[Any, ...] = (0, None, None)
    x, dim, start, end, *step = (*arguments, *left_out[len(arguments) - 1 :])
    return (x, dim, 0 if start is None else start, sys.maxsize if end is None else end, *step)


def _require_open(exported: ExportedProgram) -> None:
    """Raise where what was exported holds for one particular number only."""
    for node in exported.graph.nodes:
        number = node.meta.get("val")
        if isinstance(number, torch.SymInt) and number.node.expr.is_number:
            raise FixedSize(f"it holds only where a size or an integer is {number}")


_EXAMPLE = 3
"""A size, and the length of a vector: ``torch.export`` takes lengths of 0 and 1 for fixed."""


def _is_open(subdnn: CapturedSubDnn, number: int) -> bool:
    return any(isinstance(size, str) for size in subdnn.inputs[number].shape)


class _Flat(nn.Module):
    """A sub-DNN in the form that ``traced`` describes.

    The compiler writes small weights into the code, which then serves one sub-DNN only.
    """

    def __init__(self, subdnn: CapturedSubDnn, places: Sequence[SizePlace]) -> None:
        super().__init__()
        self.training = False
        self._subdnn = (subdnn,)  # in a tuple: its weights are not those of this module
        self._places = tuple(places)

    def forward(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """Return the outputs."""
        subdnn = self._subdnn[0]
        count = len(subdnn.inputs)
        first_weight = count + len(self._places)
        symbols = self._symbols(tensors[count:first_weight])
        inputs = _inputs(subdnn, tensors[:count], symbols)
        return call_with(subdnn, tensors[first_weight:], inputs)

    def _symbols(self, sizes: Sequence[Tensor]) -> dict[str, int]:
        symbols: dict[str, int] = {}
        for place, size in zip(self._places, sizes, strict=True):
            low, high = place.bounds.minimum, place.bounds.maximum
            symbols[place.symbol] = bounded(size, ScalarSpec(type=int, minimum=low, maximum=high))
        return symbols


def _inputs(
    subdnn: CapturedSubDnn, tensors: Sequence[Tensor], symbols: Mapping[str, int]
) -> tuple[Tensor | int, ...]:
    values: list[Tensor | int] = []
    for number, (port, x) in enumerate(zip(subdnn.inputs, tensors, strict=True)):
        if port.number is not None and is_made_of(port.number.size, symbols):
            values.append(value_of(port.number.size, symbols))
        elif port.number is not None:
            values.append(bounded(x, port.number))
        elif _is_open(subdnn, number):
            shape = [value_of(size, symbols) for size in port.shape]
            values.append(x.as_strided(shape, make_contiguous_strides_for(shape)))
        else:
            values.append(x)
    return tuple(values)
