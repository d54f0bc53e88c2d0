"""Tensors parted by lists of sizes that only exist at run time."""

import operator


def split(tensor, split_size_or_sections, dim=0):
    """``torch.split`` by a list of sizes: a part for each."""
    sizes = [operator.index(size) for size in split_size_or_sections]
    total = 0
    for size in sizes:
        if size < 0:
            raise RuntimeError(
                "split_with_sizes expects split_sizes have only non-negative entries, "
                f"but got split_sizes={sizes}"
            )
        total += size
    if total != tensor.shape[dim]:
        raise RuntimeError(
            "split_with_sizes expects split_sizes to sum exactly to "
            f"{tensor.shape[dim]} (input tensor's size at dimension {dim}), "
            f"but got split_sizes={sizes}"
        )
    parts, start = [], 0
    for size in sizes:
        parts.append(tensor.narrow(dim, start, size))
        start += size
    return tuple(parts)


def split_with_sizes(tensor, split_sizes, dim=0):
    """``torch.split_with_sizes``."""
    return split(tensor, split_sizes, dim)
