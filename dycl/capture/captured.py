"""What the capture of one sub-DNN gives to the backends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations
from typing import Any

import torch
from torch import nn
from torch.fx.experimental import _config

from dycl.capture.autocasts import without_autocasts
from dycl.capture.holder import Holder
from dycl.capture.own_weights import call_with_own, hold_weights
from hcfg.graph import Hcfg, SubDnn, origins
from hcfg.instances import clipped
from hcfg.sizes import range_of
from rewriter.origin import Origin
from rewriter.program import Dimension, ScalarSpec, SymbolRange
from rewriter.size_texts import symbols_in, value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """One input or output of a sub-DNN."""

    name: str
    dtype: torch.dtype
    shape: tuple[Dimension, ...]
    number: ScalarSpec | None = None
    """For an integer of the host: its bounds. Backends take it as an int64 of rank 0."""

    @property
    def is_symbolic(self) -> bool:
        """Return whether some size, or the integer itself, is known only at run time."""
        return self.number is not None or any(isinstance(size, str) for size in self.shape)

    @property
    def dtype_name(self) -> str:
        """Return the element type as numpy spells it (``float32``)."""
        return str(self.dtype).removeprefix("torch.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """A tensor of the user's model that a sub-DNN reads.

    Its place in ``CapturedSubDnn.weights`` is its role: sub-DNNs with one structure use
    the weight with the same number in the same way.
    """

    names: tuple[str, ...]
    """Every name under which the module holds it (tied weights have several)."""
    tensor: torch.Tensor = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CapturedSubDnn:
    """A sub-DNN as a module of its own, without anything it does not use."""

    name: str
    """Its node in the graph."""
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    module: Holder = field(repr=False)
    """Takes the inputs in order (tensors, and Python integers for numbers), returns a tuple of
    the outputs; mutates neither."""
    weights: tuple[Weight, ...]
    structure: str
    """Hash of what is computed, up to names and the weights' content."""
    shareable: bool
    """False where ``structure`` does not say everything, so that equality proves nothing."""
    node: SubDnn = field(repr=False)
    graph: Hcfg = field(repr=False)
    floor: int = 0
    """It is traced for symbolic sizes from this one on; smaller ones are tried afterwards."""

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Return the user's lines, without repeats."""
        return origins(self.node)

    @property
    def is_symbolic(self) -> bool:
        """Return whether something about the inputs but their content is known at run time."""
        return any(port.is_symbolic for port in self.inputs)

    def symbols(self) -> dict[str, SymbolRange]:
        """Return the symbols of the inputs' sizes, and which sizes each may stand for."""
        found = dict.fromkeys(n for p in self.inputs for size in p.shape for n in symbols_in(size))
        return {name: range_of(name, self.graph.symbols) for name in found}

    def example_inputs(self) -> tuple[torch.Tensor, ...]:
        """Return tensors that fit the inputs; their content means nothing."""
        sizes = self.sizes_from(_EXAMPLE_SIZE)
        return tuple(_example(port, sizes) for port in self.inputs)

    def sizes_from(self, first: int) -> Mapping[str, int]:
        """Return sizes for the symbols that are as different as their bounds let them be.

        In an order in which there are such inputs: a size that is ``end - begin`` may be below 0.
        """
        ranges = self.symbols()
        orders = permutations(range(first, first + 2 * len(ranges), 2))
        found = (
            {
                name: clipped(size, bounds)
                for size, (name, bounds) in zip(order, ranges.items(), strict=True)
            }
            for order in islice(orders, _MOST_ORDERS)
        )
        alike = {name: clipped(first, bounds) for name, bounds in ranges.items()}
        return next(filter(self.fit, found), alike)

    def fit(self, sizes: Mapping[str, int]) -> bool:
        """Return whether there are inputs of these sizes."""
        return all(value_of(size, sizes) >= 0 for port in self.inputs for size in port.shape)

    def exported_program(self) -> torch.export.ExportedProgram:
        """Return the sub-DNN as an ``ExportedProgram`` with no other weights than its own.

        Symbols of sizes are dynamic dimensions of it, integers are tensors of rank 0. It is made
        anew on every call. Raises what ``torch.export`` raises where an operation fixes a size.
        """
        with torch.no_grad(), _without_guesses:
            exported = torch.export.export(
                _WithOwnWeights(self),
                self.example_inputs(),
                dynamic_shapes=(self._dynamic_shapes(),) if self.is_symbolic else None,
                strict=False,
            )
            return without_autocasts(exported)

    def _dynamic_shapes(self) -> tuple[dict[int, object], ...]:
        dims = {
            name: torch.export.Dim(f"d{number}", min=bounds.minimum, max=bounds.maximum)
            for number, (name, bounds) in enumerate(self.symbols().items())
        }
        return tuple(
            {
                index: value_of(size, dims)
                for index, size in enumerate(port.shape)
                if isinstance(size, str)
            }
            for port in self.inputs
        )

    def opened(self, inputs: Sequence[torch.Tensor]) -> tuple[torch.Tensor | int, ...]:
        """Return what ``module`` takes for ``inputs`` in which integers are tensors."""
        return tuple(
            x if port.number is None else bounded(x, port.number)
            for port, x in zip(self.inputs, inputs, strict=True)
        )


_check: Any = torch._check
_without_guesses: Any = _config.patch(backed_size_oblivious=True)  # type: ignore[attr-defined]
"""Keeps ``torch.export`` from taking dynamic sizes for larger than one."""

_EXAMPLE_SIZE = 3
"""Sizes that stand for symbols in examples: 3, 5, 7, ..."""

_MOST_ORDERS = 5000
"""In how many orders the symbols may get them until all sizes of inputs are possible."""


def _example(port: Port, sizes: Mapping[str, int]) -> torch.Tensor:
    if port.number is not None:
        low, high = port.number.minimum, port.number.maximum
        number = max(2 if high is None else min(2, high), 2 if low is None else low)
        return torch.tensor(number)
    return torch.zeros([int(value_of(size, sizes)) for size in port.shape], dtype=port.dtype)


def bounded(number: torch.Tensor, spec: ScalarSpec) -> int:
    """Return the integer in a tensor of rank 0, with its bounds known to a trace."""
    value = number.item()
    assert not isinstance(value, float)
    if spec.minimum is not None:
        _check(value >= spec.minimum)
    if spec.maximum is not None:
        _check(value <= spec.maximum)
    return value


class _WithOwnWeights(nn.Module):
    """A sub-DNN that holds the weights it touches, as ``w0``, ``w1``, ... and nothing else."""

    def __init__(self, subdnn: CapturedSubDnn) -> None:
        super().__init__()
        self.training = False
        self._subdnn = (subdnn,)  # in a tuple: its weights are not those of this module
        hold_weights(self, subdnn)

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the outputs."""
        (subdnn,) = self._subdnn
        return call_with_own(self, subdnn, subdnn.opened(inputs))
