"""Recurrent cells over numbers of rows known only at run time, spelled in operators.

PyTorch's own cells ask whether input and state have as many rows as each other. Spelled out they
take it for granted, as additions do: who traces them tests it, or knows it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import SymInt, Tensor, nn
from torch.nn.functional import linear


def cell(name: str, args: Sequence[Any]) -> Callable[[], object] | None:
    """Return the computation of a function of ``torch._VF``, if it is such a cell on such rows."""
    if name not in _CELLS or len(args) != _ARGUMENTS:
        return None
    rows, states, *weights = args
    hidden = states if isinstance(states, Tensor) else states[0]
    sizes = rows.shape[0], hidden.shape[0]
    if rows.dim() != 2 or hidden.dim() != 2 or not any(isinstance(n, SymInt) for n in sizes):
        return None
    return lambda: _computed(name, rows, states, weights)


def _computed(name: str, rows: Tensor, states: Any, weights: Sequence[Any]) -> object:
    held = (states,) if isinstance(states, Tensor) else tuple(states)
    for state in held:
        torch._check(rows.shape[0] == state.shape[0])  # type: ignore[no-untyped-call]
    for_input, for_hidden, input_bias, hidden_bias = weights
    given = linear(rows, for_input, input_bias)
    kept = linear(held[0], for_hidden, hidden_bias)
    return _CELLS[name](given, kept, *held)


def _lstm(given: Tensor, kept: Tensor, hidden: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
    del hidden
    enter, forget, candidate, leave = (kept + given).chunk(4, 1)
    memory = forget.sigmoid() * memory + enter.sigmoid() * candidate.tanh()
    return leave.sigmoid() * memory.tanh(), memory


def _gru(given: Tensor, kept: Tensor, hidden: Tensor) -> Tensor:
    given_parts, kept_parts = given.chunk(3, 1), kept.chunk(3, 1)
    reset = (kept_parts[0] + given_parts[0]).sigmoid()
    update = (kept_parts[1] + given_parts[1]).sigmoid()
    new = (given_parts[2] + kept_parts[2] * reset).tanh()
    return (hidden - new) * update + new


def _tanh(given: Tensor, kept: Tensor, hidden: Tensor) -> Tensor:
    del hidden
    return (kept + given).tanh()


def _relu(given: Tensor, kept: Tensor, hidden: Tensor) -> Tensor:
    del hidden
    return (kept + given).relu()


_ARGUMENTS = 6
_CELLS: dict[str, Callable[..., object]] = {
    "lstm_cell": _lstm,
    "gru_cell": _gru,
    "rnn_tanh_cell": _tanh,
    "rnn_relu_cell": _relu,
}


def of_products(layer: nn.RNNCellBase) -> Callable[..., object]:
    """Return what computes the next states of a cell of torch's.

    It takes the product of the input and its matrix, the states, and the matrix and the bias of
    the states.
    """
    match layer:
        case nn.LSTMCell():
            return _lstm_of_products
        case nn.GRUCell():
            return _gru_of_products
        case _:
            return _relu_of_products if layer.nonlinearity == "relu" else _tanh_of_products


def _lstm_of_products(
    given: Tensor, states: tuple[Tensor, Tensor], weight: Tensor, bias: Tensor | None
) -> object:
    return _lstm(given, linear(states[0], weight, bias), *states)


def _gru_of_products(given: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> object:
    return _gru(given, linear(hidden, weight, bias), hidden)


def _tanh_of_products(given: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> object:
    return _tanh(given, linear(hidden, weight, bias), hidden)


def _relu_of_products(given: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> object:
    return _relu(given, linear(hidden, weight, bias), hidden)
