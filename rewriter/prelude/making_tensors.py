"""Functions of torch whose sizes or elements are found at run time, in operations that say so."""

import math

import torch


def one_hot(tensor, num_classes=-1):
    """``F.one_hot``, with PyTorch's errors."""
    if tensor.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    else:
        if tensor.min() < 0:
            raise RuntimeError("Class values must be non-negative.")
        if num_classes == -1:
            num_classes = int(tensor.max()) + 1
        elif tensor.max() >= num_classes:
            raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor.unsqueeze(-1) == torch.arange(num_classes)).long()


def stacked(data, dtype):
    """``torch.tensor`` of a nest of numbers and tensors with one element."""
    if isinstance(data, torch.Tensor):
        return data.detach().reshape(()).to(dtype)
    if isinstance(data, (int, float, bool)):
        return torch.tensor(data, dtype=dtype)
    return torch.stack([stacked(item, dtype) for item in data])


def checked(data, dtype):
    """``stacked`` where a number that the element type does not have is an error."""
    if isinstance(data, torch.Tensor):
        return torch.tensor(data.item(), dtype=dtype)
    if isinstance(data, (int, float, bool)):
        return torch.tensor(data, dtype=dtype)
    return torch.stack([checked(item, dtype) for item in data])


def filled(data, shape, dtype):
    """``torch.tensor`` of a nest that has a shape for certain: a rule of its own."""
    return torch.tensor(data, dtype=dtype).reshape(shape)


def require_width(data, width):
    """Raise what PyTorch does where rows are not of one length."""
    for row in data:
        if len(row) != width:
            raise ValueError(f"expected sequence of length {width} at dim 1 (got {len(row)})")


def rows(data, dtype, element):
    """``torch.tensor`` of a list of rows; ``element`` is what it is of where no type is given.

    PyTorch takes the shape from what is first, and compares only where there are elements.
    """
    if len(data) == 0:
        return torch.tensor([], dtype=dtype)
    width = len(data[0])
    if width == 0:
        return torch.zeros(len(data), 0, dtype=dtype)
    require_width(data, width)
    return filled(data, (len(data), width), dtype or element)


def matrices(data, dtype, element):
    """``torch.tensor`` of a list of lists of rows."""
    if len(data) == 0:
        return torch.tensor([], dtype=dtype)
    height = len(data[0])
    if height == 0:
        return torch.zeros(len(data), 0, dtype=dtype)
    width = len(data[0][0])
    if width == 0:
        return torch.zeros(len(data), height, 0, dtype=dtype)
    for matrix in data:
        if len(matrix) != height:
            raise ValueError(f"expected sequence of length {height} at dim 1 (got {len(matrix)})")
        for row in matrix:
            if len(row) != width:
                raise ValueError(f"expected sequence of length {width} at dim 2 (got {len(row)})")
    return filled(data, (len(data), height, width), dtype or element)


def of_tensors(data, dtype):
    """``torch.tensor`` of a list of tensors without dimensions."""
    if len(data) == 0:
        return torch.tensor([], dtype=dtype)
    return torch.stack(data) if dtype is None else torch.stack(data).to(dtype)


def rows_of_tensors(data, dtype):
    """``torch.tensor`` of a list of rows of tensors without dimensions."""
    if len(data) == 0:
        return torch.tensor([], dtype=dtype)
    width = len(data[0])
    if width == 0:
        return torch.zeros(len(data), 0, dtype=dtype)
    require_width(data, width)
    items = of_tensors([item for row in data for item in row], dtype)
    return items.reshape(len(data), width)


def arange(start, end):
    """``torch.arange`` from a known integer to a float of run time."""
    if math.isinf(end) or math.isnan(end):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if end < start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return torch.arange(start, math.ceil(end)).to(torch.get_default_dtype())


def stepped(start, end, step, *, dtype=None):
    """``torch.arange`` of integers by a step that may be any."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if end < start if step > 0 else end > start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = (end - start + step - 1) // step if step > 0 else (start - end - step - 1) // -step
    numbers = torch.arange(count) * step + start
    return numbers if dtype is None else numbers.to(dtype)


def stepped_by_floats(start, end, step=1, *, dtype=None):
    """``torch.arange`` where an end or the step is a float."""
    if not (step > 0 or step < 0):
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError("unsupported range")
    if end < start if step > 0 else end > start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = math.ceil((end - start) / step)
    numbers = torch.arange(count).to(torch.float64) * step + start
    return numbers.to(dtype or torch.get_default_dtype())


def spanned(start, end, step=1):
    """``torch.range``, whose end is included."""
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError("unsupported range")
    if end < start if step > 0 else end > start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = int((end - start) / step + 1)
    numbers = torch.arange(count).to(torch.float64) * step + start
    return numbers.to(torch.get_default_dtype())


def places(start, stop, step):
    """Return what a range holds, as an index: nothing where it does not lead from end to end."""
    if stop < start if step > 0 else stop > start:
        stop = start
    return torch.arange(start, stop, step)


def where_one_is_true(tensor: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Return ``tensor[truth]`` of a tensor with one truth: the tensor in one row, or no rows."""
    return tensor.unsqueeze(0)[truth.unsqueeze(0)]
