"""Sparse matrices of the model: graphs that features are sent along."""

import warnings

import torch
from torch import nn

from tests.language.harness import case

FEATURES = torch.tensor([[1.0, -2.0], [0.5, 3.0], [-1.0, 4.0]])
ROWS = [(FEATURES,), (-FEATURES,), (torch.full((3, 2), float("inf")),)]
EDGES = torch.tensor([[0.0, 2.0, 0.0], [1.0, 0.0, 0.5], [0.0, 0.0, 3.0]])


class _Graph(nn.Module):
    def __init__(self):
        super().__init__()
        places = torch.tensor([[0, 1, 1, 2, 1], [1, 0, 2, 2, 0]])
        weights = torch.tensor([2.0, 1.0, 0.5, 3.0, 0.25])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns that some of it is in beta state
            edges = torch.sparse_coo_tensor(places, weights, (3, 3), check_invariants=True)
            self.register_buffer("edges", edges)
            self.compressed = EDGES.to_sparse_csr()


@case(inputs=ROWS)
class GraphConvolutions(_Graph):
    """Products with a sparse buffer, whose places may be given twice; 0 times inf is not computed."""

    def forward(self, x):
        h = torch.sparse.mm(self.edges, x)
        if h.sum() > 2:
            h = torch.spmm(self.edges, h).relu()
        return h, self.edges @ x, self.edges.matmul(x[:, 0]), torch.mv(self.edges, x[:, 1])


@case(inputs=ROWS)
class CompressedRows(_Graph):
    """Products with a matrix of compressed rows."""

    def forward(self, x):
        for _ in range(2):
            x = self.compressed @ x
        return x, self.compressed.mm(x), torch.matmul(self.compressed, x[:, 0])


@case(inputs=ROWS, refused="DYCL032")
class MadeDense(_Graph):
    """Other operations on sparse tensors."""

    def forward(self, x):
        return self.edges.to_dense() @ x  # <- refused


@case(inputs=ROWS, refused="DYCL032")
class OfAnotherType(_Graph):
    """A product with another element type, which PyTorch has not."""

    def forward(self, x):
        return self.edges @ x.double()  # <- refused


@case(inputs=ROWS)
class OneOfTwo(_Graph):
    """Which of two matrices it is depends on the input."""

    def forward(self, x):
        matrix = self.edges if x.sum() > 0 else self.compressed
        return matrix @ x


@case(inputs=ROWS, refused="DYCL032")
class WrittenInto(_Graph):
    """A product into a tensor that is given."""

    def forward(self, x):
        return torch.mm(self.edges, x, out=torch.empty(3, 2))  # <- refused


@case(inputs=[(torch.eye(3),), (torch.ones(3, 3),)], refused="DYCL032")
def made_of_edges(x):
    """A sparse matrix is made of as many edges as the input has."""
    edges = x.nonzero().t()
    matrix = torch.sparse_coo_tensor(edges, x[edges[0], edges[1]], (3, 3))  # <- refused
    return matrix @ x


@case(inputs=[(torch.ones(3), torch.tensor([True, True, False]))], refused="DYCL032")
def compressed_rows_in_a_try(x, mask):
    """Rows in compressed form, of any number of elements, in a `try`"""
    values = x[mask]
    try:
        rows, columns = torch.tensor([0, 1, 2, 2]), torch.arange(3)[mask]
        made = torch.sparse_csr_tensor(rows, columns, values, size=(3, 3))  # <- refused
        return made @ torch.eye(3)
    except RuntimeError:  # never
        return x  # never
