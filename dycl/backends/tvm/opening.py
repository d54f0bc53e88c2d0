"""What a function takes: tensors, and the sizes and integers that only run time knows.

TVM finds out a variable from a dimension only where that is the variable itself, and takes sizes
for non-negative. So whatever the sizes are made of is passed as numbers, and checked
by TVM against the tensors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tvm import relax

from dycl.backends.tvm.run_time_sizes import RunTimeSizes
from dycl.backends.tvm.sizes import IN_TEXTS, Size, dimensions, normal, variable_of
from dycl.backends.tvm.tensors import Expression, Tensor, type_name
from dycl.capture import CapturedSubDnn, Port
from dycl.capture.opening import opened_program
from dycl.capture.size_places import size_places
from hcfg.sizes import is_made_of, range_of
from rewriter.size_texts import value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The inputs of a function."""

    values: tuple[Tensor | Size, ...]
    """A tensor or an integer for each input of the sub-DNN."""
    sizes: tuple[tuple[int, int, int, int], ...]
    numbers: tuple[int, ...]
    variables: tuple[Expression, ...]
    """The parameters for sizes, then those for integers."""

    @property
    def places(self) -> tuple[int, ...]:
        """Return which inputs are tensors."""
        return tuple(i for i, value in enumerate(self.values) if isinstance(value, Tensor))

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return those that are tensors."""
        return tuple(value for value in self.values if isinstance(value, Tensor))


def open_program(subdnn: CapturedSubDnn) -> torch.export.ExportedProgram:
    """Return the exported program of a sub-DNN."""
    return opened_program(subdnn) if subdnn.is_symbolic else subdnn.exported_program()


def inputs_of(subdnn: CapturedSubDnn, table: RunTimeSizes) -> Inputs:
    """Return what the function of a sub-DNN takes."""
    places = size_places(subdnn)
    symbols: dict[str, Size] = {}
    for place in places:
        bounds = range_of(place.symbol, subdnn.graph.symbols)
        symbols[place.symbol] = table.add("s", bounds.minimum)
    values = [_value(f"x{i}", port, symbols, table) for i, port in enumerate(subdnn.inputs)]
    numbers = tuple(
        index
        for index, port in enumerate(subdnn.inputs)
        if port.number is not None and not is_made_of(port.number.size, symbols)
    )
    taken = [*symbols.values(), *(values[index] for index in numbers)]
    return Inputs(
        values=tuple(values),
        sizes=tuple((place.port, place.dim, place.factor, place.offset) for place in places),
        numbers=numbers,
        variables=tuple(map(variable_of, taken)),
    )


def _value(name: str, port: Port, symbols: dict[str, Size], table: RunTimeSizes) -> Tensor | Size:
    known = {**IN_TEXTS, **symbols}
    if port.number is not None:
        if is_made_of(port.number.size, symbols):
            return normal(value_of(port.number.size, known))
        return table.add("i", port.number.minimum)
    return parameter(name, [normal(value_of(size, known)) for size in port.shape], port.dtype)


def parameter(name: str, shape: Sequence[Size], dtype: torch.dtype) -> Tensor:
    """Return a parameter that is a tensor."""
    kind = relax.TensorType(relax.ShapeExpr(dimensions(shape)), type_name(dtype))
    variable = relax.Var(name, kind)
    return Tensor(variable=variable, shape=tuple(shape), dtype=dtype, storage=id(variable))
