"""Sparse tensors of the model: products with them are computed from their elements.

Compilers take no sparse tensors, so whatever else is done with one is refused.
"""

import operator
from typing import NoReturn

import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Outcomes
from rewriter.prelude import sparse_products
from rewriter.values import Known

_OF_MATRICES = (torch.mm, torch.spmm, torch.sparse.mm, torch.matmul, operator.matmul)
_OF_VECTORS = (torch.mv, torch.matmul, operator.matmul)
_METHODS = {
    sparse_products.times_matrix: ("Tensor.mm", "Tensor.matmul"),
    sparse_products.times_vector: ("Tensor.mv", "Tensor.matmul"),
}
_FUNCTIONS = {
    sparse_products.times_matrix: _OF_MATRICES,
    sparse_products.times_vector: _OF_VECTORS,
}


def has_sparse(operation: Operation) -> bool:
    """Return whether an operand is a sparse tensor of the model."""
    return any(_is_sparse(known.value) for known in operation.known())


def with_sparse(operation: Operation) -> Outcomes:
    """Evaluate an operation on a sparse tensor, which must be a product with a dense one."""
    sparse = operation.operands[0] if operation.operands else None
    dense = tensor_of(operation.operands[1]) if len(operation.operands) == 2 else None
    if (
        not isinstance(sparse, Known)
        or not _is_sparse(sparse.value)
        or dense is None
        or not _fits(sparse.value, dense)
        or operation.keywords
    ):
        _refuse(operation)
    vector = dense.dim() == 1
    product = sparse_products.times_vector if vector else sparse_products.times_matrix
    by_name = operation.title in _METHODS[product]
    if not by_name and all(operation.compute is not each for each in _FUNCTIONS[product]):
        _refuse(operation)
    rows, columns, elements = map(Known, _parts_of(operation, sparse.value))
    given = [rows, columns, elements, Known(sparse.value.size(0)), operation.operands[1]]
    yield from call_value(
        operation.frame, operation.node, operation.state, Known(product), given, {}
    )


def _is_sparse(content: object) -> bool:
    return isinstance(content, torch.Tensor) and content.layout is not torch.strided


def _fits(sparse: torch.Tensor, dense: torch.Tensor) -> bool:
    """Return whether PyTorch multiplies two tensors, of floats."""
    return (
        sparse.layout in (torch.sparse_coo, torch.sparse_csr)
        and sparse.dim() == 2
        and sparse.dense_dim() == 0
        and dense.dim() in (1, 2)
        and sparse.dtype is dense.dtype
        and sparse.dtype in (torch.float32, torch.float64)
        and isinstance(dense.shape[0], int)
        and dense.shape[0] == sparse.size(1)
    )


def _parts_of(operation: Operation, sparse: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the rows, columns and elements of a matrix, the same tensors each time."""
    found = operation.run.sparse.get(id(sparse))
    if found is None:
        with torch.no_grad():
            plain = sparse.detach().to_sparse(layout=torch.sparse_coo).coalesce()
            rows, columns = (places.clone() for places in plain.indices())
            found = operation.run.sparse[id(sparse)] = (rows, columns, plain.values().clone())
    return found


def _refuse(operation: Operation) -> NoReturn:
    operation.refuse(
        "DYCL032",
        f"{operation.title} of a sparse tensor",
        "multiply a sparse matrix by a dense one of the same type, or make it dense in __init__",
    )
