"""Recurrent layers over short sequences, step by step, in few operators.

The states are matrices throughout, so that each product is one operator that adds its bias, or what
the inputs give; PyTorch's own decompositions carry a dimension of one size along.
"""

from collections.abc import Callable, Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

_Step = Callable[[Tensor, Sequence[Tensor], Sequence[Tensor], bool], tuple[Tensor, ...]]


def unrolled(
    kind: str,
    x: Tensor,
    states: Sequence[Tensor],
    weights: Sequence[Tensor],
    biases: bool,
    layers: int,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, ...]:
    """Return the outputs over time, and the last states.

    ``kind`` is ``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``; ``x`` is (time, batch, numbers), or
    (batch, time, numbers) where ``batch_first``; each of ``states`` is (layers * directions, batch,
    hidden); ``weights`` are those of PyTorch's layer, in its order.
    """
    directions = 2 if bidirectional else 1
    count = len(weights) // (layers * directions)
    time = 1 if batch_first else 0
    # one step is a matrix from here on, without a dimension for time
    given = x.squeeze(time) if x.shape[time] == 1 else x.transpose(0, time)
    starts = [_unstacked(state) for state in states]
    ends: list[tuple[Tensor, ...]] = []
    for layer in range(layers):
        columns: list[list[Tensor]] = []
        for direction in range(directions):
            run = layer * directions + direction
            own = weights[run * count : (run + 1) * count]
            state = [parts[run] for parts in starts]
            outputs, end = _run(kind, given, state, own, biases, backward=direction == 1)
            columns.append(outputs)
            ends.append(end)
        rows = [_joined(row) for row in zip(*columns, strict=True)]
        given = rows[0] if len(rows) == 1 else torch.stack(rows)
    outputs_over_time = given.unsqueeze(time) if x.shape[time] == 1 else given.transpose(0, time)
    return outputs_over_time, *(_stacked(parts) for parts in zip(*ends, strict=True))


def _unstacked(state: Tensor) -> list[Tensor]:
    return [state.squeeze(0)] if state.shape[0] == 1 else list(state.unbind(0))


def _stacked(parts: Sequence[Tensor]) -> Tensor:
    return parts[0].unsqueeze(0) if len(parts) == 1 else torch.stack(tuple(parts))


def _joined(directions: Sequence[Tensor]) -> Tensor:
    return directions[0] if len(directions) == 1 else torch.cat(tuple(directions), 1)


def _run(
    kind: str,
    given: Tensor,
    states: Sequence[Tensor],
    weights: Sequence[Tensor],
    biases: bool,
    *,
    backward: bool,
) -> tuple[list[Tensor], tuple[Tensor, ...]]:
    """Return what one layer gives in one direction: its output at each step, its last states."""
    # one bias does where the sums of inputs and state are never apart
    bias = None
    if biases:
        bias = weights[2] if kind == "gru" else weights[2] + weights[3]
    products = F.linear(given, weights[0], bias)
    parts = [products] if products.dim() == 2 else list(products.unbind(0))
    outputs = []
    current = tuple(states)
    for part in reversed(parts) if backward else parts:
        current = _STEPS[kind](part, current, weights, biases)
        outputs.append(current[0])
    return outputs[::-1] if backward else outputs, current


def _lstm(
    part: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor], biases: bool
) -> tuple[Tensor, ...]:
    hidden, cell = states
    into, kept, new, out = torch.addmm(part, hidden, weights[1].t()).chunk(4, 1)
    cell = kept.sigmoid() * cell + into.sigmoid() * new.tanh()
    hidden = out.sigmoid() * cell.tanh()
    is_projected = len(weights) == (5 if biases else 3)
    return (F.linear(hidden, weights[-1]) if is_projected else hidden), cell


def _gru(
    part: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor], biases: bool
) -> tuple[Tensor, ...]:
    [state] = states
    width = state.shape[1]
    of_state = F.linear(state, weights[1], weights[3] if biases else None)
    gates, gates_of_state = part[:, : 2 * width], of_state[:, : 2 * width]
    reset, update = (gates + gates_of_state).sigmoid().chunk(2, 1)
    new = (part[:, 2 * width :] + reset * of_state[:, 2 * width :]).tanh()
    return (new + update * (state - new),)


def _tanh(
    part: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor], biases: bool
) -> tuple[Tensor, ...]:
    return (torch.addmm(part, states[0], weights[1].t()).tanh(),)


def _relu(
    part: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor], biases: bool
) -> tuple[Tensor, ...]:
    return (torch.addmm(part, states[0], weights[1].t()).relu(),)


_STEPS: Mapping[str, _Step] = {"lstm": _lstm, "gru": _gru, "rnn_tanh": _tanh, "rnn_relu": _relu}
