"""``torch.nn.functional.grouped_mm``: rows of a matrix, each times the matrix of its group."""

import torch


def grouped_mm(mat_a, mat_b, *, offs):
    """Rows of ``mat_a`` end their group at ``offs``; those of no group hold anything in PyTorch."""
    groups = mat_b.shape[0]
    rows = torch.arange(mat_a.shape[0], device=mat_a.device)
    group = (rows.unsqueeze(1) >= offs).sum(1)
    if mat_a.shape[0] <= groups:
        return torch.bmm(mat_a.unsqueeze(1), mat_b[group.clamp(max=groups - 1)]).squeeze(1)
    result = torch.mm(mat_a, mat_b[0])
    for number in range(1, groups):
        result = torch.where((group >= number).unsqueeze(1), torch.mm(mat_a, mat_b[number]), result)
    return result
