"""Recurrent layers as the runtime's own operators: one for each layer, both directions in it."""

from collections.abc import Sequence

from dycl.backends.onnx_graphs.translations.values import Value, axes, op

_OPERATORS = {"lstm": op.LSTM, "gru": op.GRU, "rnn_tanh": op.RNN, "rnn_relu": op.RNN}

_GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
"""Where ONNX's gates are among PyTorch's: input, output, forget, cell; update, reset, new."""


def recurrent(
    kind: str,
    x: Value,
    states: Sequence[Value],
    weights: Sequence[Value],
    biases: bool,
    layers: int,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Value, ...]:
    """Translate ``dycl::recurrent``."""
    directions = 2 if bidirectional else 1
    width = int(states[0].shape[-1])
    attributes: dict[str, object] = {
        "hidden_size": width,
        "direction": "bidirectional" if bidirectional else "forward",
    }
    if kind == "gru":
        attributes["linear_before_reset"] = 1
    if kind == "rnn_relu":
        attributes["activations"] = ["Relu"] * directions
    given = op.Transpose(x, perm=[1, 0, 2]) if batch_first else x
    starts = [_layers_of(state, layers) for state in states]
    ends: list[list[Value]] = [[] for _ in states]
    count = len(weights) // layers
    for layer in range(layers):
        own = _weights(kind, weights[layer * count : (layer + 1) * count], directions, biases)
        outputs, *last = _OPERATORS[kind](
            given, *own, None, *(parts[layer] for parts in starts), **attributes
        )
        for kept, state in zip(ends, last, strict=False):  # only LSTMs have a second
            kept.append(state)
        shape = op.Constant(value_ints=[0, 0, directions * width])
        given = op.Reshape(op.Transpose(outputs, perm=[0, 2, 1, 3]), shape)
    outputs = op.Transpose(given, perm=[1, 0, 2]) if batch_first else given
    return outputs, *(parts[0] if layers == 1 else op.Concat(*parts, axis=0) for parts in ends)


def _layers_of(state: Value, layers: int) -> list[Value]:
    """Return the part of a state that belongs to each layer."""
    return [state] if layers == 1 else list(op.Split(state, num_outputs=layers, axis=0))


def _weights(
    kind: str, weights: Sequence[Value], directions: int, biases: bool
) -> tuple[Value | None, ...]:
    """Return a layer's weights of inputs, of states, and biases, as ONNX wants them."""
    count = len(weights) // directions
    by_direction = [weights[d * count : (d + 1) * count] for d in range(directions)]
    columns = [[_reordered(kind, of[i]) for of in by_direction] for i in range(count)]
    inputs, hidden = (_stacked(column) for column in columns[:2])
    if not biases:
        return inputs, hidden, None
    both = [op.Concat(*pair, axis=0) for pair in zip(columns[2], columns[3], strict=True)]
    return inputs, hidden, _stacked(both)


def _reordered(kind: str, weight: Value) -> Value:
    gates = _GATES[kind]
    if len(gates) == 1:
        return weight
    parts = op.Split(weight, num_outputs=len(gates), axis=0)
    return op.Concat(*(parts[gate] for gate in gates), axis=0)


def _stacked(parts: Sequence[Value]) -> Value:
    lifted = [op.Unsqueeze(part, axes(0)) for part in parts]
    return lifted[0] if len(lifted) == 1 else op.Concat(*lifted, axis=0)
