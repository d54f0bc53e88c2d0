"""The kernel of a recurrent layer: it goes from step to step, a row for each.

    row 0       states given      |
    row s + 1   states after s    |   gates at s

The gates at a step are room to work in: what the states give to them. They are computed some
vectors at a time, which stay in registers; the weights are laid out for that.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.kernels import Statement, lanes_of, load, loop, store
from dycl.backends.tvm.operands import zero
from dycl.backends.tvm.tensors import Expression

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
class Kind:
    """A kind of recurrent layer: its gates, in PyTorch's order, and the states after a step."""

    gates: int
    after: Callable[[Read, Read, Sequence[Expression]], list[Expression]]


KINDS = {
    "lstm": Kind(gates=4, after=_lstm),
    "gru": Kind(gates=3, after=_gru),
    "rnn_tanh": Kind(gates=1, after=_rnn_tanh),
    "rnn_relu": Kind(gates=1, after=_rnn_relu),
}


_MOST_VECTORS = 8
"""Of gates that are summed up at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """How the numbers of all gates are cut into groups of vectors; the last may have room left."""

    numbers: int
    lanes: int

    @property
    def count(self) -> int:
        """Return how many groups there are."""
        return -(-self.numbers // (self.lanes * _MOST_VECTORS))

    @property
    def vectors(self) -> int:
        """Return how many vectors there are in a group."""
        return -(-self.numbers // (self.lanes * self.count))

    @property
    def width(self) -> int:
        """Return how many numbers there are in a group."""
        return self.vectors * self.lanes

    @property
    def room(self) -> int:
        """Return how many numbers there are in all groups."""
        return self.count * self.width

    def packed(self, weight: torch.Tensor) -> torch.Tensor:
        """Return ``[..., gates]`` as ``[groups, ..., numbers of a group]``."""
        wide = torch.nn.functional.pad(weight, (0, self.room - self.numbers))
        return wide.reshape(*weight.shape[:-1], self.count, self.width).movedim(-2, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The statements of one direction of one layer."""

    kind: Kind
    place: int
    """Which of the states are its first."""
    backwards: bool
    width: int
    """Numbers in a state of a sample."""
    states: int
    groups: Groups
    dtype: str

    @property
    def row(self) -> int:
        """Return how many numbers there are in a row."""
        return self.states * self.width + self.groups.room

    def statements(
        self, out: Expression, arrays: Sequence[Expression], sizes: Sequence[Expression]
    ) -> Statement:
        """Return what writes all rows.

        The arrays are what the inputs give to the gates, packed weights and biases, and the states.
        """
        given, across, bias, *states = arrays
        steps, batch = sizes

        def begin(n: Expression, k: Expression) -> Statement:
            return _both(
                store(out, load(state, _index(self.place), n, k), zero(), n, k + s * self.width)
                for s, state in enumerate(states)
            )

        def step(s: Expression, n: Expression) -> Statement:
            return _both(
                [
                    self._gather(out, across, bias, s, n),
                    loop(_index(self.width), lambda k: self._advance(out, given, steps, s, n, k)),
                ]
            )

        started = loop(batch, lambda n: loop(_index(self.width), lambda k: begin(n, k)))
        return _both([started, loop(steps, lambda s: loop(batch, lambda n: step(s, n)))])

    def _gather(
        self, out: Expression, across: Expression, bias: Expression, s: Expression, n: Expression
    ) -> Statement:
        """Return what writes what the states of a step give to the gates."""
        first, groups = self.states * self.width, self.groups
        sums = tirx.decl_buffer([groups.width], self.dtype, "sums", scope="local")

        def each(body: Callable[[Expression], Statement]) -> Statement:
            return lanes_of(groups.vectors, groups.lanes, body)

        def group(g: Expression) -> Statement:
            def add(k: Expression) -> Statement:
                state = tirx.Var("state", self.dtype)

                def element(j: Expression) -> Statement:
                    return store(sums, load(sums, j) + state * load(across, g, k, j), j)

                return tirx.SeqStmt([tirx.Bind(state, load(out, s, n, k)), each(element)])

            return tirx.SeqStmt(
                [
                    each(lambda j: store(sums, load(bias, g, j), j)),
                    loop(_index(self.width), add),
                    each(
                        lambda j: store(out, load(sums, j), s + 1, n, first + g * groups.width + j)
                    ),
                ]
            )

        return tirx.SeqStmt([tirx.AllocBuffer(sums), loop(_index(groups.count), group)])

    def _advance(
        self,
        out: Expression,
        given: Expression,
        steps: Expression,
        s: Expression,
        n: Expression,
        k: Expression,
    ) -> Statement:
        """Return what writes a number of each state after a step."""
        first = self.states * self.width
        time = steps - 1 - s if self.backwards else s
        after = self.kind.after(
            lambda gate: load(given, time, n, k + gate * self.width),
            lambda gate: load(out, s + 1, n, first + k + gate * self.width),
            [load(out, s, n, k + i * self.width) for i in range(self.states)],
        )
        return _both(
            store(out, value, s + 1, n, k + i * self.width) for i, value in enumerate(after)
        )


def _index(value: int) -> Expression:
    return tirx.const(value, "int64")


def _both(statements: Iterable[Statement]) -> Statement:
    listed = list(statements)
    return listed[0] if len(listed) == 1 else tirx.SeqStmt(listed)
