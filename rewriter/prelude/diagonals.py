"""Diagonals written in place, in operations that do not ask how memory is laid out."""

import torch


def fill_diagonal_(tensor, fill_value):
    """``fill_diagonal_`` of a matrix, where the diagonal does not begin anew below it."""
    rows, columns = tensor.shape
    return tensor.masked_fill_(torch.eye(rows, columns, dtype=torch.bool), fill_value)
