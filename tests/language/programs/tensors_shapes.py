"""Shapes, sizes, views and loops over parts of tensors."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def shape_spellings(x):
    """shape, size, dim, numel, len, ndim and negative indices are known numbers."""
    batch, width = x.shape
    if x.sum() > 0:
        x = x.reshape(width, batch)
    sizes = x.size(0), x.size(-1), x.dim(), x.numel(), len(x), x.ndim, x.shape[-1]
    return x.view(-1), sizes, tuple(x.size()), batch * width


@case(inputs=BOTH)
def shape_as_value(x):
    """torch.Size is passed to views, compared, sliced, concatenated and returned."""
    y = torch.zeros(x.shape[:1] + (4,))
    if x.sum() > 0:
        y = y.new_ones(x.size())
    return y, x.shape, x.shape == (2, 3), list(x.shape), x.shape.numel(), x.shape[1:]


@case(inputs=[(noise(1, 4, 6),), (-noise(1, 4, 6).abs(),)])
class AttentionHeads(nn.Module):
    """view, transpose and reshape as attention code does it."""

    def __init__(self, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(6, 18)
        self.proj = nn.Linear(6, 6)

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        weights = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
        if x.mean() < 0:
            mask = torch.tril(torch.ones(n, n)).bool()
            weights = weights.masked_fill(~mask, float("-inf"))
        y = weights.softmax(dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(b, n, c))


@case(inputs=BOTH)
def chunks_and_splits(x):
    """chunk, split, unbind and unpacking of their results; a loop over them."""
    a, b, c = x.chunk(3, dim=1)
    parts = torch.split(x, [1, 2], dim=1)
    total = torch.zeros(2, 1)
    for i, part in enumerate(parts):
        if part.sum() > 0:
            total = total + part[:, :1] * (i + 1)
    top, bottom = torch.unbind(x)
    return a - b * c, total, top + bottom, len(parts)


@case(inputs=BOTH)
def indexing_forms(x):
    """Integers, slices, None, Ellipsis, lists, tensors and bool masks of known size."""
    if x.sum() > 0:
        return x[0], x[:, 1], x[..., -1], x[None, :, 0], x[1:, ::2]
    return x[[1, 0]], x[torch.tensor([1, 1, 0])], x[0, [2, 0]], x[-1][-1], x[:, -2:]


@case(inputs=BOTH)
def shape_tests_are_known(x):
    """Tests on shapes are decided at compile time, in asserts as well."""
    if x.shape[0] != x.shape[1]:  # known
        x = x.t()
    assert x.shape == (3, 2), f"got {x.shape}"  # known
    if x.size(1) == 2 and x.sum() > 0:  # known
        x = torch.cat((x, x.new_zeros(x.size(0), 1)), dim=1)
    return x


@case(inputs=BOTH)
def loops_over_dimensions(x):
    """Loops over range(x.size(i)) fill lists that are stacked."""
    columns = []
    for i in range(x.size(1)):
        column = x[:, i]
        if column.mean() > 1:
            column = column / column.norm()
        columns.append(column)
    return torch.stack(columns, dim=1)


@case(inputs=BOTH)
def unpacking_tensor_results(x):
    """Results with several tensors: unpacked, indexed and by field name."""
    values, indices = x.max(dim=1)
    top = x.topk(2, dim=1)
    if values.sum() > 0:
        values = top.values[:, 1]
    ordered, order = torch.sort(x, dim=1, descending=True)
    return values, indices, top[1], ordered, order, torch.min(x, 0)[0], x.aminmax().max


@case(inputs=BOTH)
def expand_and_broadcast(x):
    """expand, repeat, unsqueeze, squeeze, broadcasting of arms' results."""
    row = x[:1] if x.sum() > 0 else x.mean(0, keepdim=True)
    grid = row.unsqueeze(1).expand(1, 4, 3)
    return grid + row, row.repeat(2, 1), row.squeeze(0), row.squeeze(1).shape, grid.stride(1)


@case(inputs=BOTH)
def dtype_and_device(x):
    """dtype, device and type tests; conversions keep or change the dtype."""
    y = x.to(torch.int64)
    if x.dtype == torch.float32 and x.is_floating_point():  # known
        y = y + 1
    if y.sum() > 0:
        y = y.to(x.dtype)
    z = torch.arange(3, device=x.device, dtype=x.dtype)
    return y, z, x.type(torch.float64), x.to(z), y.type_as(x), (x > 0).float(), x.int(), x.bool()


@case(inputs=BOTH)
def integer_division_of_sizes(x):
    """Arithmetic on sizes with //, %, ** and max chooses strides and paddings."""
    h, w = x.size()
    pad = max(0, 4 - w) + h % 2
    y = nn.functional.pad(x, (pad, pad // 2))
    if y.sum() > 0:
        y = y[:, : y.shape[1] // 2]
    return y, -(-w // h), w**0.5


@case(inputs=[(noise(3, 2).abs(),), (-noise(3, 2).abs(),)])
def tensor_from_numbers(x):
    """torch.tensor, as_tensor, full, arange, linspace, eye and zeros_like from known numbers."""
    weights = torch.tensor([0.2, 0.8])
    y = x * weights
    if y.sum() > 0:
        y = y + torch.arange(6).view(3, 2)
    else:
        y = y - torch.full((3, 1), 0.5)
    extra = torch.linspace(0, 1, 3), torch.eye(2), torch.zeros_like(x), torch.tensor(3)
    return y, extra, torch.ones(2, dtype=torch.long), torch.empty(0).shape, torch.as_tensor([True])


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)])
def zero_sized_results(x):
    """A slice of size zero behaves as a tensor like any other."""
    empty = x[:0]
    rest = x[2:]
    if x.sum() > 0:
        empty = torch.cat([empty, rest], dim=0)
    return empty, rest.shape, empty.sum(), torch.cat([empty, x]), empty.numel() == 0


@case(inputs=[(noise(2, 3, 4), 2), (-noise(2, 3, 4), 5), (noise(2, 3, 4), 0)])
def cut_and_joined_sizes(x, n: int):
    """What is cut from a torch.Size, joined to it or repeated is one, with its text and methods."""
    rest, both = x.shape[1:], (n,) + x.shape[:1]
    if x.sum() > 0:
        rest = rest + (n,)
    rest += (1,)
    kinds = [isinstance(s, torch.Size) for s in (rest, both, x.shape[::-1], 2 * rest, tuple(rest))]
    texts = str(x.shape[:2]), f"{x.shape[-1:] * 2}", repr(sum([x.shape[:1], x.shape[1:]], ()))
    return kinds, texts, rest.numel(), both.numel(), torch.zeros(both)


@case(inputs=[(POSITIVE,)], slow=True)
def sizes_and_lists(x):
    """A torch.Size is not joined to a list: a TypeError, with the text of Python or of torch."""
    texts = []
    for left, right in (x.shape[1:], [1]), ([1], x.shape):
        try:
            left + right
        except TypeError as error:
            texts.append(str(error))
    return texts


@case(inputs=[(POSITIVE,)], refused="DYCL038")
def size_joined_to_a_float(x):
    """A torch.Size takes integers only."""
    return x.shape + (x.sum().item(),)  # <- refused


@case(inputs=[(noise(6), [2, 3], [3, 1]), (noise(6), [3, 2], [1, 3])], messages=False, refused_on_host="DYCL404")
def strided_by_arguments(x, sizes, steps):
    """Sizes and strides of a view are numbers of the caller."""
    return x * x.as_strided(sizes, steps).reshape(-1).sum()


@case(inputs=[(torch.ones(2, 3), 1), (torch.ones(2, 3), 0), (torch.ones(2, 3), 2), (torch.ones(2, 3), -1)])
def sizes_cut_at_run_time(x, n):
    """x.shape[:n] is a torch.Size, of as many sizes as run time says."""
    lead = x.shape[:n]
    if len(lead) == 0:
        return isinstance(lead, torch.Size), x
    return str(lead), lead.numel(), x.new_ones(lead + (2,)), x.shape[n:].numel()
