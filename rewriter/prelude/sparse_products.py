"""Products with a sparse matrix of the model, from its elements and their places."""

import torch


def times_matrix(rows, columns, elements, height, matrix):
    """A sparse matrix times a dense one: what is no element adds nothing, not even ``0 * inf``."""
    products = elements.unsqueeze(1) * matrix[columns]
    return torch.zeros(height, matrix.size(1), dtype=elements.dtype).index_add(0, rows, products)


def times_vector(rows, columns, elements, height, vector):
    """A sparse matrix times a vector."""
    return torch.zeros(height, dtype=elements.dtype).index_add(0, rows, elements * vector[columns])
