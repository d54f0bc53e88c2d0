"""``torch.nn.functional.grouped_mm``: rows of a matrix, each times the matrix of its group."""

import torch


def grouped_mm(mat_a, mat_b, *, offs):
    """Rows of ``mat_a`` end their group at ``offs``; those of no group hold anything in PyTorch.

    Each group is a slice from where the one before ends, and what a later one writes stays.
    """
    length, groups = mat_a.shape[0], mat_b.shape[0]
    rows = torch.arange(length, device=mat_a.device).unsqueeze(1)
    ends = torch.where(offs < 0, offs + length, offs)
    starts = torch.cat([torch.zeros_like(ends[:1]), ends[:-1]])
    is_member = (rows >= starts) & (rows < ends)
    if length <= groups:
        group = torch.where(is_member, torch.arange(groups, device=mat_a.device), 0).amax(1)
        return torch.bmm(mat_a.unsqueeze(1), mat_b[group]).squeeze(1)
    result = torch.mm(mat_a, mat_b[0])
    for number in range(1, groups):
        product = torch.mm(mat_a, mat_b[number])
        result = torch.where(is_member[:, number : number + 1], product, result)
    return result
