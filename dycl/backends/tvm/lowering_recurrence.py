"""Recurrent layers over a number of steps of run time: one kernel for each layer and direction.

What the inputs give to the gates is one matrix product for all steps.
"""

from collections.abc import Sequence

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.kernels import Statement, emit_statements
from dycl.backends.tvm.lowering import LOWERINGS, lowers, unsupported
from dycl.backends.tvm.recurrent_steps import KINDS, Groups, Steps
from dycl.backends.tvm.sizes import dimensions
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


def _rows(
    emitter: Emitter,
    x: Tensor,
    states: Sequence[Tensor],
    weights: Sequence[Tensor],
    kind: str,
    direction: tuple[int, bool],
) -> Tensor:
    """Return the rows [steps + 1, batch, numbers] that the kernel leaves.

    ``direction`` says which of the states are its first, and whether it goes backwards.
    """
    inside, across, *biases = weights
    width = int(states[0].shape[-1])
    gates = KINDS[kind].gates * width
    steps, batch, features = x.shape
    flat = emitter.reshape(x, (steps * batch, features))
    given = LOWERINGS["mm.default"](emitter, flat, _turned(emitter, inside))
    assert isinstance(given, Tensor)
    if biases:
        given = emitter.pointwise("add", lambda a, b: a + b, (given, biases[0]))
    given = emitter.reshape(given, (steps, batch, gates))
    place, backwards = direction
    groups = Groups(numbers=gates, lanes=max(1, emitter.lanes * 4 // x.dtype.itemsize))
    kernel = Steps(
        kind=KINDS[kind],
        place=place,
        backwards=backwards,
        width=width,
        states=len(states),
        groups=groups,
        dtype=x.type_name,
    )
    turned = _packed(emitter, _turned(emitter, across), groups)
    bias = biases[1] if biases else emitter.constant(torch.zeros(gates, dtype=x.dtype))
    operands = [given, turned, _packed(emitter, bias, groups), *states]

    def make(out: Expression, *arrays: Expression) -> Statement:
        return kernel.statements(out, arrays, dimensions((steps, batch)))

    shape = (steps + 1, batch, kernel.row)
    return emit_statements(emitter, "recurrent", make, operands, shape, x.dtype)


def _turned(emitter: Emitter, weight: Tensor) -> Tensor:
    """Return the transpose of a matrix."""
    made = emitter.derive([weight], torch.t) or LOWERINGS["t.default"](emitter, weight)
    assert isinstance(made, Tensor)
    return made


def _packed(emitter: Emitter, weight: Tensor, groups: Groups) -> Tensor:
    """Return ``[..., gates]`` as ``[groups, ..., numbers of a group]``."""
    derived = emitter.derive([weight], groups.packed)
    if derived is not None:
        return derived

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        group, *outer, inner = index
        place = group * groups.width + inner
        nothing = formulas.constant(0, weight.type_name)
        return tirx.if_then_else(place < groups.numbers, a(*outer, place), nothing)

    shape = (groups.count, *weight.shape[:-1], groups.width)
    return emitter.compute("pack", element, [weight], shape, weight.dtype)


@lowers("dycl.recurrent.default")
def _recurrent(
    emitter: Emitter,
    kind: str,
    x: Tensor,
    states: Sequence[Tensor],
    weights: Sequence[Tensor],
    biases: bool,
    layers: int,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, ...]:
    if x.dtype not in (torch.float32, torch.float64):
        raise unsupported(f"recurrent layers of {type_name(x.dtype)}")
    given = LOWERINGS["transpose.int"](emitter, x, 0, 1) if batch_first else x
    assert isinstance(given, Tensor)
    emitter.sizes.demand_at_least(given.shape[0], 1)
    emitter.sizes.demand_equal(given.shape[1], states[0].shape[1])
    width = states[0].shape[-1]
    directions = 2 if bidirectional else 1
    count = 4 if biases else 2
    all_rows: list[Tensor] = []
    for layer in range(layers):
        rows = []
        for direction in range(directions):
            place = layer * directions + direction
            own = weights[place * count : (place + 1) * count]
            rows.append(_rows(emitter, given, states, own, kind, (place, direction == 1)))
        given = _outputs(emitter, rows, int(width))
        all_rows += rows
    outputs = LOWERINGS["transpose.int"](emitter, given, 0, 1) if batch_first else given
    assert isinstance(outputs, Tensor)
    return outputs, *(_last(emitter, all_rows, x, i) for i, x in enumerate(states))


def _outputs(emitter: Emitter, rows: Sequence[Tensor], width: int) -> Tensor:
    """Return the outputs of a layer [steps, batch, directions * width] in the order of time."""
    after, batch, _ = rows[0].shape
    (end,) = dimensions((after,))

    def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
        time, n, k = index
        value = arrays[0](time + 1, n, k if len(arrays) == 1 else tirx.floormod(k, width))
        if len(arrays) == 1:
            return value
        backwards = arrays[1](end - 1 - time, n, tirx.floormod(k, width))
        return tirx.Select(k < width, value, backwards)

    shape = (after - 1, batch, width * len(rows))
    return emitter.compute("outputs", element, rows, shape, rows[0].dtype)


def _last(emitter: Emitter, rows: Sequence[Tensor], state: Tensor, number: int) -> Tensor:
    """Return the last states [layers * directions, batch, width] of a kind."""
    width = state.shape[2]
    (end,) = dimensions((rows[0].shape[0],))

    def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
        place, n, k = index
        values = [array(end - 1, n, k + number * int(width)) for array in arrays]
        found = values[-1]
        for i, value in reversed(list(enumerate(values[:-1]))):
            found = tirx.Select(formulas.equal(place, i), value, found)
        return found

    shape = (len(rows), rows[0].shape[1], width)
    return emitter.compute("last", element, rows, shape, state.dtype)
