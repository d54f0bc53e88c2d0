"""Recurrent layers over a number of steps of run time: one kernel for each layer and direction.

What the inputs give to the gates is one matrix product for all steps. A kernel then goes from step
to step; it keeps a row for each, which holds the states and, as room to work in, what the
states give to the gates:

    row 0       states given      |
    row s + 1   states after s    |   gates at s
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.kernels import Statement, emit_statements, load, loop, store
from dycl.backends.tvm.lowering import LOWERINGS, lowers, unsupported
from dycl.backends.tvm.operands import zero
from dycl.backends.tvm.sizes import Size, dimensions
from dycl.backends.tvm.tensors import Expression, Tensor, type_name

Read = Callable[[int], Expression]
"""Reads a number of one of the gates at the current place."""


def _lstm(inputs: Read, hidden: Read, states: Sequence[Expression]) -> list[Expression]:
    into, kept, new, out = (inputs(gate) + hidden(gate) for gate in range(4))
    cell = tirx.sigmoid(kept) * states[1] + tirx.sigmoid(into) * tirx.tanh(new)
    return [tirx.sigmoid(out) * tirx.tanh(cell), cell]


def _gru(inputs: Read, hidden: Read, states: Sequence[Expression]) -> list[Expression]:
    reset, update = (tirx.sigmoid(inputs(gate) + hidden(gate)) for gate in range(2))
    new = tirx.tanh(inputs(2) + reset * hidden(2))
    return [new + update * formulas.difference(states[0], new)]


def _rnn_tanh(inputs: Read, hidden: Read, _states: Sequence[Expression]) -> list[Expression]:
    return [tirx.tanh(inputs(0) + hidden(0))]


def _rnn_relu(inputs: Read, hidden: Read, _states: Sequence[Expression]) -> list[Expression]:
    total = inputs(0) + hidden(0)
    return [formulas.maximum(total, formulas.constant(0, formulas.dtype_of(total)))]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """A kind of recurrent layer: its gates, in PyTorch's order, and the states after a step."""

    gates: int
    after: Callable[[Read, Read, Sequence[Expression]], list[Expression]]


_KINDS = {
    "lstm": _Kind(gates=4, after=_lstm),
    "gru": _Kind(gates=3, after=_gru),
    "rnn_tanh": _Kind(gates=1, after=_rnn_tanh),
    "rnn_relu": _Kind(gates=1, after=_rnn_relu),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pass:
    """One direction of one layer."""

    kind: _Kind
    place: int
    """Which of the states are its first."""
    backwards: bool
    width: int
    """Numbers in a state of a sample."""

    def rows(
        self, emitter: Emitter, x: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor]
    ) -> Tensor:
        """Return the rows [steps + 1, batch, numbers] that the kernel leaves."""
        gates = self.kind.gates * self.width
        steps, batch, features = x.shape
        inside, across, *biases = weights
        flat = emitter.reshape(x, (steps * batch, features))
        given = LOWERINGS["mm.default"](emitter, flat, LOWERINGS["t.default"](emitter, inside))
        assert isinstance(given, Tensor)
        given = emitter.reshape(given, (steps, batch, gates))
        if biases:
            bias = emitter.reshape(biases[0], (1, 1, gates))
            given = emitter.pointwise("add", lambda a, b: a + b, (given, bias))
        turned = LOWERINGS["t.default"](emitter, across)
        assert isinstance(turned, Tensor)
        rows: tuple[Size, ...] = (steps + 1, batch, len(states) * self.width + gates)
        operands = [given, turned, *states, *biases[1:]]

        def make(out: Expression, *arrays: Expression) -> Statement:
            return self._statements(out, arrays, dimensions((steps, batch)), len(states))

        return emit_statements(emitter, "recurrent", make, operands, rows, x.dtype)

    def _statements(
        self, out: Expression, arrays: Sequence[Expression], sizes: Sequence[Expression], count: int
    ) -> Statement:
        """Return what writes all rows; the arrays are as ``rows`` lists them."""
        given, across, *rest = arrays
        states, biases = rest[:count], rest[count:]
        steps, batch = sizes
        width, gates = self.width, self.kind.gates * self.width
        first = count * width

        def begin(n: Expression, k: Expression) -> Statement:
            return _both(
                store(out, load(state, _index(self.place), n, k), zero(), n, k + s * width)
                for s, state in enumerate(states)
            )

        def clear(s: Expression, n: Expression, j: Expression) -> Statement:
            kind = formulas.dtype_of(load(given, zero(), zero(), zero()))
            value = load(biases[0], j) if biases else formulas.constant(0, kind)
            return store(out, value, s + 1, n, first + j)

        def gather(s: Expression, n: Expression, k: Expression) -> Statement:
            # bound to a name: the compiler cannot know that the rows of two steps are apart
            state = load(out, s, n, k)
            bound = tirx.Var("state", formulas.dtype_of(state))

            def add(j: Expression) -> Statement:
                sum_so_far = load(out, s + 1, n, first + j)
                return store(out, sum_so_far + bound * load(across, k, j), s + 1, n, first + j)

            return tirx.SeqStmt([tirx.Bind(bound, state), loop(_index(gates), add)])

        def advance(s: Expression, n: Expression, k: Expression) -> Statement:
            time = steps - 1 - s if self.backwards else s
            before = [load(out, s, n, k + i * width) for i in range(count)]
            after = self.kind.after(
                lambda gate: load(given, time, n, k + gate * width),
                lambda gate: load(out, s + 1, n, first + k + gate * width),
                before,
            )
            return _both(
                store(out, value, s + 1, n, k + i * width) for i, value in enumerate(after)
            )

        def step(s: Expression, n: Expression) -> Statement:
            return _both(
                [
                    loop(_index(gates), lambda j: clear(s, n, j)),
                    loop(_index(width), lambda k: gather(s, n, k)),
                    loop(_index(width), lambda k: advance(s, n, k)),
                ]
            )

        started = loop(batch, lambda n: loop(_index(width), lambda k: begin(n, k)))
        return _both([started, loop(steps, lambda s: loop(batch, lambda n: step(s, n)))])


def _index(value: int) -> Expression:
    return tirx.const(value, "int64")


def _both(statements: Iterable[Statement]) -> Statement:
    listed = list(statements)
    return listed[0] if len(listed) == 1 else tirx.SeqStmt(listed)


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
            one = _Pass(kind=_KINDS[kind], place=place, backwards=direction == 1, width=int(width))
            own = weights[place * count : (place + 1) * count]
            rows.append(one.rows(emitter, given, states, own))
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
