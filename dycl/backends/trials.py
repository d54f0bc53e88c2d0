"""Inputs to try a compiled sub-DNN with: random content, at several sizes where those vary."""

import random
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from dycl.capture import CapturedSubDnn, Port
from hcfg.instances import assignments, clipped
from hcfg.sizes import is_made_of
from rewriter.program import ScalarSpec, SymbolRange
from rewriter.size_texts import symbols_in, value_of

POSITIVE = 3
"""The seed that gives positive numbers, of which logarithms and roots exist."""

BETWEEN = 4
"""The seed that gives numbers from 0 to 1, as masks and probabilities are."""

NO_TRUTH = ((5, 7), (6, 8))
"""Seeds that give no truth: with positive numbers, and with negative ones. Masks choose nothing."""

_SIZES = (0, 1, 2, 5, 33)
"""Nothing, one (which broadcasts), and some that are neither; the last fills vectors."""

_DRAWN = 12
"""Further assignments, with sizes and numbers drawn apart."""

_LEAST = -2
"""The least number drawn for an integer without a lower bound."""

_SPREAD = 9
_TYPICAL = 16


def trials(subdnn: CapturedSubDnn) -> Iterator[Mapping[str, int]]:
    """Yield values for the symbols and integers of the inputs; once nothing, where all is known.

    Not all of them can come to pass: for some of them PyTorch raises.
    """
    if not subdnn.is_symbolic:
        yield {}
        return
    ranges = _ranges(subdnn)
    seen: list[Mapping[str, int]] = []
    for values in (*assignments(list(ranges), ranges, _SIZES), *_drawn(ranges)):
        if values not in seen:
            seen.append(values)
            yield values


def _ranges(subdnn: CapturedSubDnn) -> dict[str, SymbolRange]:
    ranges = subdnn.symbols()
    for port in subdnn.inputs:
        if port.number is not None and not is_made_of(port.number.size, ranges):
            low = _LEAST if port.number.minimum is None else port.number.minimum
            ranges[port.name] = SymbolRange(minimum=low, maximum=port.number.maximum)
    return ranges


def _drawn(ranges: Mapping[str, SymbolRange]) -> Iterator[Mapping[str, int]]:
    generator = random.Random(0)
    for _ in range(_DRAWN):
        yield {name: _draw(bounds, generator) for name, bounds in ranges.items()}


def _draw(bounds: SymbolRange, generator: random.Random) -> int:
    high = bounds.minimum + _SPREAD
    return generator.randint(
        bounds.minimum, high if bounds.maximum is None else min(high, bounds.maximum)
    )


def inputs_at(
    subdnn: CapturedSubDnn, values: Mapping[str, int], seed: int
) -> tuple[Tensor | int, ...] | None:
    """Return random inputs for one trial; None where no tensor has these sizes."""
    inputs: list[Tensor | int] = []
    for port in subdnn.inputs:
        if port.number is not None:
            inputs.append(_number(port.name, port.number, values))
            continue
        shape = [int(value_of(size, values)) for size in port.shape]
        if any(size < 0 for size in shape):
            return None
        inputs.append(_random(port, shape, seed))
    return tuple(inputs)


def is_declared(
    subdnn: CapturedSubDnn, values: Mapping[str, int], outputs: Sequence[Tensor]
) -> bool:
    """Return whether the program says these shapes; where not, it does not come here with them.

    It has tested the sizes before, and goes another way where the results have other shapes.
    """
    return all(
        len(port.shape) == output.dim()
        and all(
            value_of(wanted, values) == size
            for wanted, size in zip(port.shape, output.shape, strict=True)
            if all(name in values for name in symbols_in(wanted))
        )
        for port, output in zip(subdnn.outputs, outputs, strict=True)
    )


def typical_inputs(subdnn: CapturedSubDnn) -> tuple[Tensor | int, ...]:
    """Return random inputs of a size that is neither small nor large, to measure with."""
    values = {name: clipped(_TYPICAL, bounds) for name, bounds in _ranges(subdnn).items()}
    if not subdnn.fit(values):
        values |= subdnn.sizes_from(_TYPICAL)
    found = inputs_at(subdnn, values, 0)
    assert found is not None  # not all that sizes are made of is below zero for all of these
    return found


def _number(name: str, spec: ScalarSpec, values: Mapping[str, int]) -> int:
    if name not in values and is_made_of(spec.size, values):
        return int(value_of(spec.size, values))
    return values[name]


def _random(port: Port, shape: Sequence[int], seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    if port.dtype.is_floating_point:
        if seed == BETWEEN:
            return torch.rand(shape, generator=generator).to(port.dtype)
        noise = torch.randn(shape, generator=generator)
        if seed in NO_TRUTH[1]:
            return (-noise.abs() - 0.1).to(port.dtype)
        positive = seed == POSITIVE or seed in NO_TRUTH[0]
        return (noise.abs() + 0.1 if positive else noise).to(port.dtype)
    if port.dtype is torch.bool and seed > BETWEEN:
        return torch.zeros(shape, dtype=port.dtype)
    return torch.randint(0, 2, shape, generator=generator).to(port.dtype)
