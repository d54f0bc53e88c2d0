"""Functions of torch that ask much about sizes, in operations that ask little."""

import torch

from rewriter.prelude.repeating import repeating


def _place(input, dim):
    """Return a dimension counted from the front."""
    if not -input.dim() <= dim < input.dim():
        out_of_range(dim, input.dim())
    return dim % input.dim()


def out_of_range(dim, most):
    """Raise the error of a dimension that is none of ``most``."""
    expected = f"expected to be in range of [{-most}, {most - 1}]"
    raise IndexError(f"Dimension out of range ({expected}, but got {dim})")


def _whole(place):
    return (slice(None),) * place


def diff(input, n=1, dim=-1, prepend=None, append=None):
    """``torch.diff``."""
    if input.dim() == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    rows = [row for row in (prepend, input, append) if row is not None]
    if any(row.dim() != input.dim() for row in rows):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    result = torch.cat(rows, dim) if len(rows) > 1 else input.clone()
    place = _place(input, dim)
    for _ in range(n):
        later = result[(*_whole(place), slice(1, None))]
        earlier = result.narrow(place, 0, later.shape[place])
        result = later.logical_xor(earlier) if result.dtype == torch.bool else later - earlier
    return result


def take_along_dim(input, indices, dim=None):
    """``torch.take_along_dim``: a place beyond the end counts from the beginning again."""
    if indices.dtype != torch.int64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long")
    if dim is None:
        return input.reshape(-1).gather(0, indices.reshape(-1))
    if input.dim() != indices.dim():
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {input.dim()} dimensions for input, and {indices.dim()} dimensions for "
            "indices"
        )
    place = _place(input, dim)
    size = input.shape[place]
    sizes = list(input.shape)
    sizes[place] = 1
    wide = indices + torch.zeros(sizes, dtype=torch.int64)
    sizes = list(wide.shape)
    sizes[place] = size
    if size == 0 and wide.numel() > 0:
        raise RuntimeError("ZeroDivisionError")
    return input.expand(sizes).gather(place, wide.remainder(max(size, 1)))


def kron(input, other):
    """``torch.kron``: each element of one times all of the other."""
    rank = max(input.dim(), other.dim())
    ones, others = [1] * (rank - input.dim()), [1] * (rank - other.dim())
    first, second = [*ones, *input.shape], [*others, *other.shape]
    left = input.reshape([size for one in first for size in (one, 1)])
    right = other.reshape([size for one in second for size in (1, one)])
    return (left * right).reshape([one * two for one, two in zip(first, second, strict=True)])


def unfold(input, dimension, size, step):
    """``Tensor.unfold``: windows, copied."""
    place = 0 if input.dim() == 0 else _place(input, dimension)
    row = input.reshape(1) if input.dim() == 0 else input
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > row.shape[place]:
        raise RuntimeError(
            f"maximum size for tensor at dimension {place} is {row.shape[place]} but size is {size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    starts = torch.arange(0, row.shape[place] - size + 1, step)
    windows = row[(*_whole(place), starts + torch.arange(size).unsqueeze(1))]
    return windows[:, 0] if input.dim() == 0 else windows.movedim(place, -1)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """``torch.repeat_interleave``: so many times each, by one number or a tensor of them."""
    row = input.reshape(-1) if dim is None else input
    place = 0 if dim is None else _place(input, dim)
    if isinstance(repeats, torch.Tensor):
        result = torch.repeat_interleave(row, repeats, place)
        if output_size is not None and result.shape[place] != output_size:
            raise RuntimeError("allocated size does not match required size")
        return result
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    count = row.shape[place] * repeats
    if output_size is not None and count != output_size:
        raise RuntimeError(
            f"repeat_interleave: Invalid output_size, expected {count} but got {output_size}"
        )
    each = torch.zeros(repeats, dtype=torch.int64)
    return row.index_select(place, (torch.arange(row.shape[place]).unsqueeze(1) + each).flatten())


def unflatten(input, dim, sizes):
    """``Tensor.unflatten``: the size that is not given is computed."""
    place = _place(input, dim)
    whole, given, named, sizes = input.shape[place], 1, str(list(sizes)), list(sizes)
    for size in sizes:
        if not is_number(size, -1):
            given = given * size
    left = [number for number, size in enumerate(sizes) if is_number(size, -1)]
    if len(left) > 1:
        raise RuntimeError("only one dimension can be inferred")
    is_ambiguous = given <= 0 and len(left) > 0
    if left and given > 0:
        sizes[left[0]] = whole // given
        given = given * sizes[left[0]]
    if is_ambiguous or given != whole:
        for number, size in enumerate([] if left else sizes):
            if size == -1:  # known at run time only
                return unflatten(input, dim, [*sizes[:number], -1, *sizes[number + 1 :]])
        raise RuntimeError(
            f"unflatten: Provided sizes {named} don't multiply up to the size of dim {place} "
            f"({whole}) in the input tensor"
        )
    return input.view(*input.shape[:place], *sizes, *input.shape[place + 1 :])


def pad(input, pad, mode="constant", value=None):
    """``F.pad``, by numbers that may be negative: elements are left out."""
    if len(pad) % 2 != 0:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) // 2 > input.dim():
        raise RuntimeError("Padding length should be less than or equal to two times the input dim")
    if mode != "constant":
        return repeating(input, pad, mode, value)
    result = input
    for number in range(len(pad) // 2):
        before, after = pad[2 * number], pad[2 * number + 1]
        if not (is_number(before, 0) and is_number(after, 0)):
            place = input.dim() - 1 - number
            result = _padded(result, place, before, after, 0 if value is None else value)
    return result


def is_number(number, wanted):
    """Return whether a number is known, and the one that is wanted: a rule of its own."""
    return number == wanted


def _padded(input, place, before, after, value):
    size = input.shape[place]
    if size + min(before, 0) + min(after, 0) < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if size == 0:
        sizes = list(input.shape)
        sizes[place] = before + after
        return input.new_full(sizes, value)
    places = torch.arange(size + before + after) - before
    is_inside = ((places >= 0) & (places < size)).reshape(-1, *[1] * (input.dim() - 1 - place))
    chosen = input.index_select(place, places.clamp(0, size - 1))
    return torch.where(is_inside, chosen, input.new_full((), value))


def cov(input, *, correction=1, fweights=None, aweights=None):
    """``torch.cov``."""
    if input.dim() > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.dim()} dimensions"
        )
    if input.dtype == torch.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.reshape(1, -1) if input.dim() < 2 else input
    if fweights is None and aweights is None:
        rows = rows - (rows.sum(1) / rows.shape[1]).unsqueeze(1)
        found = (rows @ rows.t()) / max(rows.shape[1] - correction, 0)
    else:
        found = _weighted_cov(rows, correction, fweights, aweights)
    return found[0, 0] if input.dim() < 2 else found.squeeze()


def _weighted_cov(rows, correction, fweights, aweights):
    count, weights = rows.shape[1], None
    if fweights is not None:
        _check_weights("fweights", fweights, count)
        if fweights.is_floating_point() or fweights.dtype == torch.bool:
            raise RuntimeError(
                f"cov(): expected fweights to have integral dtype but got fweights with "
                f"{fweights.dtype} dtype"
            )
        weights = fweights
    if aweights is not None:
        _check_weights("aweights", aweights, count)
        if not aweights.is_floating_point():
            raise RuntimeError(
                f"cov(): expected aweights to have floating point dtype but got aweights with "
                f"{aweights.dtype} dtype"
            )
        weights = aweights if weights is None else weights * aweights
    total = weights.sum()
    if count != 0 and total == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    if aweights is not None and correction != 0:
        norm = total - correction * (weights * aweights).sum() / total
    else:
        norm = total - correction
    apart = rows - ((rows * weights).sum(1) / total).unsqueeze(1)
    return apart @ (apart * weights).t() / norm.clamp(min=0)


def _check_weights(name, weights, count):
    if weights.dim() > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
            f"{weights.dim()} dimensions"
        )
    if weights.numel() != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the "
            f"input but got {weights.numel()} != {count}"
        )
    if not (weights >= 0).all():
        raise RuntimeError(f"cov(): {name} cannot be negative")


def corrcoef(input):
    """``torch.corrcoef``."""
    if input.dim() > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input.dim()} dimensions"
        )
    found = cov(input)
    if found.dim() == 0:
        return found / found
    deviations = found.diagonal().sqrt()
    found = found / deviations.unsqueeze(1) / deviations.unsqueeze(0)
    return found.clip(-1, 1)


def _wanted(sizes):
    return tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes


def count_of(input, *sizes):
    """Return how many elements ``input.resize_`` is asked for."""
    count = 1
    for size in _wanted(sizes):
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}")
        count = count * size
    return count


def count_of_other(input, other):
    """Return how many elements ``input.resize_as_`` is asked for."""
    return other.numel()


def resized(input, *sizes):
    """``input.resize_``, of a tensor that lies by rows, to no more elements than it has."""
    count = count_of(input, *sizes)
    if count > input.numel():
        raise NotImplementedError("resize_ to more elements than there are: they hold anything")
    return input.view(-1)[:count].view(_wanted(sizes))


def resized_as(input, other):
    """``input.resize_as_``, likewise."""
    return resized(input, *other.shape)
