"""Tensors parted by numbers, and lists of sizes, that only exist at run time."""

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


def split_evenly(tensor, split_size, dim=0):
    """``torch.split`` by one size: so many parts, the last one smaller."""
    if tensor.dim() == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(
            f"split expects split_size be non-negative, but got split_size={split_size}"
        )
    total = tensor.shape[dim]
    if split_size == 0:
        if total != 0:
            raise RuntimeError(
                "split_size can only be 0 if dimension size is 0, "
                f"but got dimension size of {total}"
            )
        return (tensor.narrow(dim, 0, 0),)
    if total == 0:
        return (tensor.narrow(dim, 0, 0),)
    parts, start = [], 0
    while start < total:
        parts.append(tensor.narrow(dim, start, min(split_size, total - start)))
        start += split_size
    return tuple(parts)


def chunk(input, chunks, dim=0):
    """``torch.chunk``: parts of one size, but for the last one."""
    if input.dim() == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    total = input.shape[dim]
    if total == 0:
        return tuple([input.narrow(dim, 0, 0) for _ in range(chunks)])
    size, parts, start = (total + chunks - 1) // chunks, [], 0
    for _ in range(chunks):
        if start >= total:
            break
        parts.append(input.narrow(dim, start, min(size, total - start)))
        start += size
    return tuple(parts)


def tensor_split(input, sections, dim=0):
    """``torch.tensor_split`` into so many parts, the first ones larger by one."""
    if input.dim() == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor")
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    total = input.shape[dim]
    before = (slice(None),) * (dim % input.dim())
    parts, start = [], 0
    for place in range(sections):
        end = start + (total - place + sections - 1) // sections
        parts.append(input[(*before, slice(start, end))])
        start = end
    return tuple(parts)
