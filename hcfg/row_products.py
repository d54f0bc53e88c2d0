"""Statements that choose a row of a tensor, and layers that multiply it by a matrix.

A product with a matrix is along the last dimension alone: it makes no difference whether rows are
chosen along another one before it or after it.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from hcfg.graph import Hcfg
from rewriter.evaluation.tensors.recurrent_cells import of_products
from rewriter.program import ScalarSpec, TensorSpec, TensorStatement, Variable

_LAYERS = (nn.Linear, nn.LSTMCell, nn.GRUCell, nn.RNNCell)
_FLOATS = (torch.float32, torch.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Statements that choose of a tensor what stands at one place of a dimension."""

    source: str
    dim: int
    statements: tuple[TensorStatement, ...]
    """Each is about the result of the one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowProduct:
    """A statement that is a call of a layer with a row."""

    row: str
    weight: Tensor
    bias: Tensor | None
    states: ast.expr | None = None
    """The states of a recurrent cell."""
    rest: Callable[..., object] | None = None
    """The function of the product, the states, ``state_weight`` and ``state_bias`` that computes
    the next states; None where the product is the result."""
    state_weight: Tensor | None = None
    state_bias: Tensor | None = None

    @property
    def bytes(self) -> int:
        """Return how much is read to multiply one row."""
        return self.weight.numel() * self.weight.element_size()


def selection(
    statement: TensorStatement, graph: Hcfg, known: Mapping[str, Selection]
) -> Selection | None:
    """Return which tensor a statement chooses from, as ``x[t]`` and ``x[:, t]`` do.

    ``known`` are results of other ones, of which it may squeeze a dimension. None where it does
    anything else, or something with the last dimension.
    """
    match statement.expression:
        case ast.Subscript(value=ast.Name(id=source), slice=index):
            *others, place = index.elts if isinstance(index, ast.Tuple) else (index,)
            rank = _rank(source, graph.variables)
            if rank is None or len(others) + 1 >= rank or not all(map(_is_all, others)):
                return None
            if not _is_place(place, graph.variables):
                return None
            return Selection(source=source, dim=len(others), statements=(statement,))
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=row), attr="squeeze"),
            args=[ast.Constant(value=int() as dim)],
            keywords=[],
        ) if row in known:
            rank = _rank(row, graph.variables)
            if rank is None or not 0 <= dim < rank - 1:
                return None
            before = known[row]
            return replace(before, statements=(*before.statements, statement))
        case _:  # nothing that is known to keep the last dimension as it is
            return None


def _rank(name: str, variables: Mapping[str, Variable]) -> int | None:
    spec = variables[name].spec if name in variables else None
    return len(spec.shape) if isinstance(spec, TensorSpec) else None


def _is_all(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice) and not (index.lower or index.upper or index.step)


def _is_place(index: ast.expr, variables: Mapping[str, Variable]) -> bool:
    """Return whether an index is one place, which is known only at run time."""
    spec = (
        variables[index.id].spec if isinstance(index, ast.Name) and index.id in variables else None
    )
    if isinstance(spec, ScalarSpec):
        return spec.type is int
    return isinstance(spec, TensorSpec) and spec.dtype is torch.int64 and spec.shape in ((), (1,))


def row_product(statement: TensorStatement, graph: Hcfg) -> RowProduct | None:
    """Return which row a statement multiplies by a matrix, None where it does anything else."""
    match statement.expression:
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=row), *rest], keywords=[]):
            layer = graph.knowns[name].value if name in graph.knowns else None
        case _:  # not a layer that is called
            return None
    rank = _rank(row, graph.variables)
    if rank is None or not isinstance(layer, nn.Module) or not _is_plain(layer):
        return None
    match layer, rest:
        case nn.Linear(), []:
            return RowProduct(row=row, weight=layer.weight, bias=layer.bias)
        case nn.RNNCellBase(), [states] if rank == 2:
            return RowProduct(
                row=row,
                weight=layer.weight_ih,
                bias=layer.bias_ih,
                states=states,
                rest=of_products(layer),
                state_weight=layer.weight_hh,
                state_bias=layer.bias_hh,
            )
        case _:  # without states, or of a vector
            return None


def _is_plain(layer: nn.Module) -> bool:
    """Return whether a layer does what its class says, and nothing else."""
    return (
        type(layer) in _LAYERS
        and not (layer._forward_hooks or layer._forward_pre_hooks)
        and "forward" not in vars(layer)
        and all(type(p) is nn.Parameter and p.dtype in _FLOATS for p in layer.parameters())
        and not any(True for _ in layer.buffers())
    )
