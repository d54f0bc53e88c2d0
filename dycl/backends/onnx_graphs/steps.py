"""One step of a recurrent layer as plain operators, in the order that ONNX keeps gates in."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnxscript import ir

KINDS = ("LSTM", "GRU", "RNN")
"""Operators of recurrent layers."""


class Nodes:
    """Nodes that are being added, under names that nothing else in the model has."""

    def __init__(self, prefix: str) -> None:
        """Begin all names with ``prefix``."""
        self.made: list[ir.Node] = []
        self._prefix = prefix
        self._values = 0

    def many(self, kind: str, count: int, *inputs: ir.Value, **attributes: Any) -> list[ir.Value]:
        """Add a node; return its results."""
        node = ir.node(kind, list(inputs), attributes, num_outputs=count)
        for output in node.outputs:
            output.name = self._name()
        self.made.append(node)
        return list(node.outputs)

    def add(self, kind: str, *inputs: ir.Value, **attributes: Any) -> ir.Value:
        """Add a node; return its only result."""
        return self.many(kind, 1, *inputs, **attributes)[0]

    def constant(self, value: Any) -> ir.Value:
        """Add a constant."""
        return self.add("Constant", value=ir.tensor(np.asarray(value)))

    def value(self, like: ir.Value) -> ir.Value:
        """Return an input for a graph of these nodes, of the type of ``like``."""
        return ir.Value(name=self._name(), type=like.type)

    def inner(self, name: str) -> "Nodes":
        """Return nodes for a graph inside of one of these."""
        return Nodes(f"{self._prefix}_{name}")

    def _name(self) -> str:
        self._values += 1
        return f"{self._prefix}_{self._values}"


def step(
    kind: str, part: ir.Value, hidden: ir.Value, states: Sequence[ir.Value], nodes: Nodes
) -> list[ir.Value]:
    """Return the next states; ``part`` is what the inputs give, ``hidden`` what the state gives."""
    match kind:
        case "LSTM":
            return _lstm(nodes.add("Add", part, hidden), states[1], nodes)
        case "GRU":
            return [_gru(part, hidden, states[0], nodes)]
        case "RNN with relu":
            return [nodes.add("Relu", nodes.add("Add", part, hidden))]
        case _:
            return [nodes.add("Tanh", nodes.add("Add", part, hidden))]


def _lstm(gates: ir.Value, cell: ir.Value, nodes: Nodes) -> list[ir.Value]:
    into, out, kept, new = nodes.many("Split", 4, gates, num_outputs=4, axis=-1)
    left = nodes.add("Mul", _open(kept, nodes), cell)
    added = nodes.add("Mul", _open(into, nodes), nodes.add("Tanh", new))
    after = nodes.add("Add", left, added)
    return [nodes.add("Mul", _open(out, nodes), nodes.add("Tanh", after)), after]


def _gru(part: ir.Value, hidden: ir.Value, state: ir.Value, nodes: Nodes) -> ir.Value:
    """Return ``new + update * (state - new)``, as PyTorch writes it."""
    of_input = nodes.many("Split", 3, part, num_outputs=3, axis=-1)
    of_state = nodes.many("Split", 3, hidden, num_outputs=3, axis=-1)
    update, reset = (
        _open(nodes.add("Add", *pair), nodes) for pair in zip(of_input[:2], of_state, strict=False)
    )
    remembered = nodes.add("Mul", reset, of_state[2])
    new = nodes.add("Tanh", nodes.add("Add", of_input[2], remembered))
    moved = nodes.add("Mul", update, nodes.add("Sub", state, new))
    return nodes.add("Add", new, moved)


def _open(gate: ir.Value, nodes: Nodes) -> ir.Value:
    """Return how open a gate is: a sigmoid that reaches 0 as PyTorch's does."""
    power = nodes.add("Exp", nodes.add("Neg", gate))
    one = nodes.add("CastLike", nodes.constant(np.float32(1)), gate)
    return nodes.add("Reciprocal", nodes.add("Add", power, one))
