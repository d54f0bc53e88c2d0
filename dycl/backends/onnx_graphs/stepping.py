"""Recurrent layers step by step, for numbers that ONNX Runtime's own operators get wrong.

Its LSTM, GRU and RNN make numbers of NaN and of infinities that meet, and their gates are never
quite shut, which shows where states are large. So what they give is followed by
``If(all numbers are ordinary, that, Scan)``: the scan computes each step as PyTorch does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import KINDS, Nodes, step

_ORDINARY = 1e10
"""Sums of sizes up to which no product comes near infinity."""

_ORDINARY_STATE = 64.0
"""States up to which the error of a gate is lost in rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    """What a node computes."""

    tensors: tuple[ir.Value, ...]
    """Inputs, weights of inputs, weights of states, and biases if there are any."""
    states: tuple[ir.Value, ...]
    kind: str
    """A kind of step: ``RNN with relu``, or the operator's name."""
    directions: tuple[int, ...]
    """0 for a run through time, 1 for one against it."""


def guard_recurrences(model: ir.Model) -> None:
    """Change, in place, what uses the results of each LSTM, GRU and RNN."""
    for number, node in enumerate(list(model.graph)):
        if node.op_type in KINDS and node.domain == "":
            _guard(model.graph, node, Nodes(f"stepped_{number}"))


def _layer_of(node: ir.Node) -> _Layer:
    attributes = node.attributes
    resets_first = node.op_type == "GRU" and attributes["linear_before_reset"].as_int() == 0
    if node.inputs[4] is not None or resets_first:
        raise NotImplementedError(f"{node.op_type} with options that PyTorch's layers have not")
    direction = attributes["direction"].as_string() if "direction" in attributes else "forward"
    activations = attributes["activations"].as_strings() if "activations" in attributes else ()
    kind = "RNN with relu" if "Relu" in activations else node.op_type
    return _Layer(
        tensors=tuple(value for value in node.inputs[:4] if value is not None),
        states=tuple(value for value in node.inputs[5:7] if value is not None),
        kind=kind,
        directions={"forward": (0,), "reverse": (1,), "bidirectional": (0, 1)}[direction],
    )


def _guard(graph: ir.Graph, node: ir.Node, nodes: Nodes) -> None:
    layer = _layer_of(node)
    old = [output for output in node.outputs if output.uses() or output.is_graph_output()]
    uses = [(value, list(value.uses())) for value in old]
    wanted = [node.outputs.index(value) for value in old]
    same, stepped = nodes.inner("same"), nodes.inner("stepped")
    arms = {
        "then_branch": _arm("same", [same.add("Identity", value) for value in old], same, old),
        "else_branch": _arm("stepped", _scanned(layer, stepped, wanted), stepped, old),
    }
    results = nodes.many("If", len(old), _is_ordinary(layer, node.outputs[0], nodes), **arms)
    for (value, users), result in zip(uses, results, strict=True):
        result.type, result.shape = value.type, value.shape
        for user, index in users:
            user.replace_input_with(index, result)
        for position, output in enumerate(graph.outputs):
            if output is value:
                graph.outputs[position] = result
    graph.insert_after(node, nodes.made)


def _arm(
    name: str, results: Sequence[ir.Value], nodes: Nodes, like: Sequence[ir.Value]
) -> ir.Graph:
    for result, value in zip(results, like, strict=True):
        result.type = value.type
    return ir.Graph([], results, nodes=nodes.made, name=name)


def _is_ordinary(layer: _Layer, outputs: ir.Value, nodes: Nodes) -> ir.Value:
    """Return whether the runtime's own operator computes what PyTorch does, within rounding."""
    grows = layer.kind == "RNN with relu"
    sums = [*layer.tensors, *([outputs] if grows else ())]
    tests = [
        _is_small(nodes.add("ReduceL1", value, keepdims=0), _ORDINARY, nodes) for value in sums
    ]
    for state in layer.states:
        small = _is_small(nodes.add("Abs", state), _ORDINARY_STATE, nodes)
        number = nodes.add("Cast", small, to=ir.DataType.INT32)
        least = nodes.add("ReduceMin", number, keepdims=0)
        tests.append(nodes.add("Cast", least, to=ir.DataType.BOOL))
    result = tests[0]
    for test in tests[1:]:
        result = nodes.add("And", result, test)
    return result


def _is_small(value: ir.Value, limit: float, nodes: Nodes) -> ir.Value:
    """Return where a value is within a limit; NaN is not."""
    return nodes.add("LessOrEqual", value, nodes.constant(np.float32(limit)))


def _scanned(layer: _Layer, nodes: Nodes, wanted: Sequence[int]) -> list[ir.Value]:
    """Return what a node gives: outputs of (time, direction, batch, hidden), and last states."""
    found: list[list[ir.Value]] = [[] for _ in range(1 + len(layer.states))]
    for place, direction in enumerate(layer.directions):
        chosen = nodes.constant(np.int64(place))
        x, *weights = layer.tensors
        own = [nodes.add("Gather", tensor, chosen, axis=0) for tensor in (*weights, *layer.states)]
        given, states = own[: len(weights)], own[len(weights) :]
        *last, outputs = _scan(layer.kind, x, given, states, direction, nodes)
        for parts, part, axis in zip(found, (outputs, *last), (1, 0, 0), strict=False):
            parts.append(nodes.add("Unsqueeze", part, nodes.constant(np.array([axis], np.int64))))
    joined = [nodes.add("Concat", *found[index], axis=1 if index == 0 else 0) for index in wanted]
    return joined


def _scan(
    kind: str,
    x: ir.Value,
    weights: Sequence[ir.Value],
    states: Sequence[ir.Value],
    direction: int,
    nodes: Nodes,
) -> list[ir.Value]:
    """Return the last states and all outputs of one direction."""
    of_inputs, of_states = (nodes.add("Transpose", weight, perm=[1, 0]) for weight in weights[:2])
    halves: list[ir.Value] = []
    parts = nodes.add("MatMul", x, of_inputs)
    if len(weights) > 2:
        halves = nodes.many("Split", 2, weights[2], num_outputs=2, axis=0)
        parts = nodes.add("Add", parts, halves[0])
    inner = nodes.inner(f"step_{direction}")
    before: list[Any] = [inner.value(state) for state in states]
    part = inner.value(x)
    hidden = inner.add("MatMul", before[0], of_states)
    if halves:
        hidden = inner.add("Add", hidden, halves[1])
    after = step(kind, part, hidden, before, inner)
    outputs = [*after, inner.add("Identity", after[0])]
    for output in outputs:
        output.type = x.type
    body = ir.Graph([*before, part], outputs, nodes=inner.made, name="step")
    return nodes.many(
        "Scan",
        len(outputs),
        *states,
        parts,
        body=body,
        num_scan_inputs=1,
        scan_input_directions=[direction],
        scan_output_directions=[direction],
    )
