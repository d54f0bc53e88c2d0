"""Run-time numbers that go back into tensors; shapes that depend on data."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

LONG = noise(2, 6)


@case(inputs=[(LONG, 3), (LONG, 0), (LONG, 6), (LONG, -2), (LONG, 99)])
def slice_by_number(x, n):
    """x[:, :n] with n in, at and outside the bounds."""
    return x[:, :n], x[:, n:], x[:, :n].shape[1]


@case(inputs=[(LONG, 0), (LONG, 5), (LONG, -1)])
def index_by_number(x, i):
    """x[:, i] and x[0, i] with a run-time index, negative too."""
    return x[:, i], x[0, i].item(), x.select(1, i)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def index_by_item(x):
    """The arg-max of one tensor indexes another."""
    best = x[0].argmax().item()
    return x[:, best], x[best % 2]


@case(inputs=[(3,), (0,), (7,)])
def arange_of_number(n):
    """Shapes of new tensors: arange, zeros, ones, full with run-time sizes."""
    return torch.arange(n), torch.zeros(n, 2), torch.full((2, n), 1.5), torch.ones(n + 1).sum()


@case(inputs=[(1,), (3,)])
class EmbedToken(nn.Module):
    """torch.tensor([token]) of a run-time token."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 3)

    def forward(self, token: int):
        y = self.embed(torch.tensor([token]))
        for _ in range(2):
            token = int(y.argmax())
            y = y + self.embed(torch.tensor([token]))
        return y, token


@case(inputs=[(POSITIVE, 2.5), (POSITIVE, 0.0), (NEGATIVE, -1.0)])
def scale_factor(x, scale):
    """A run-time float scales, shifts, bounds and powers tensors."""
    return x * scale, scale - x, x.clamp(max=scale), torch.full_like(x, scale), x / (scale + 5)


@case(inputs=[(POSITIVE, 2), (POSITIVE, 0), (torch.tensor([[1, 2, 3]]).int(), 3)][:2])
def dtype_of_mixed_arithmetic(x, n):
    """int and float run-time numbers promote as Python numbers do."""
    whole = x.long()
    half = n / 2
    return whole * n, (whole * half).dtype == torch.float32, x + n, whole // 2 + n, x > n


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def boolean_mask(x):
    """x[mask] has a shape that depends on the data; empty too."""
    kept = x[x > 0.7]
    return kept, kept.shape[0], kept.sum(), kept.numel() == 0


@case(inputs=[(POSITIVE,), (ZERO,), (MIXED,)])
def nonzero_results(x):
    """nonzero and where with one argument; a loop over the found rows."""
    places = (x > 0).nonzero()
    rows = torch.where(x[:, 0] > 0)[0]
    total = torch.zeros(3)
    for i in rows.tolist():
        total = total + x[i]
    return places, rows, total, len(places)


@case(
    inputs=[(noise(4, 3), torch.tensor([1, 0, 1, 1])), (noise(4, 3), torch.tensor([0, 0, 0, 0]))],
)
def shrinking_beam(states, alive):
    """Finished rows are removed; the rest is processed only if there is one."""
    keep = alive.nonzero().squeeze(1)
    if len(keep) == 0:
        return states.mean(0)
    states = states[keep]
    return states.sum(0) / len(keep)


@case(inputs=[(noise(4, 3), [2, 0]), (noise(4, 3), [1, 1])])
def index_by_list(x, order):
    """A list of run-time numbers indexes a tensor and makes one."""
    picked = x[order]
    return (
        picked,
        torch.tensor(order),
        torch.tensor([order, order]).shape,
        x[torch.tensor(order) + 1],
    )


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def tensor_of_collected_numbers(x):
    """torch.tensor over a run-time list of numbers."""
    picked = [i for i in range(3) if x[0, i] > 0]
    weights = torch.tensor([float(i) for i in picked])
    return weights, weights.sum(), torch.tensor(picked, dtype=torch.long).numel()


@case(inputs=[(LONG, 1), (LONG, 2), (LONG, 3)])
def reshape_by_number(x, n):
    """view, reshape, repeat, expand and chunk with run-time numbers."""
    y = x[:, : n * 2]
    return y.reshape(n, -1).shape, y.reshape(-1, n), x[:1].repeat(n, 1), x.view(-1)[: 6 * n : n]


@case(inputs=[(LONG, 2), (LONG, 0), (LONG, 6)], slow=True)
def store_by_number(x, n):
    """Writing into slices with run-time bounds and at run-time indices."""
    y = torch.zeros(2, 6)
    y[:, :n] = x[:, :n]
    if n < 6:
        y[1, n] = -1
    return y


@case(inputs=[(LONG, 1), (LONG, 4)])
def top_k_by_number(x, k):
    """k of topk, dim sizes of softmax and window sums are run-time numbers."""
    values, indices = x.topk(k, dim=1)
    return values, indices.shape, torch.softmax(x[:, :k], dim=1), x.narrow(1, 0, k).sum(1)


@case(inputs=[(torch.tensor([3, 5]),), (torch.tensor([1, 1]),), (torch.tensor([0, 2]),)])
def mask_from_lengths(lengths):
    """A padding mask as wide as the longest sequence."""
    longest = int(lengths.max())
    return torch.arange(longest)[None, :] < lengths[:, None]


@case(inputs=[(POSITIVE, True), (POSITIVE, False)])
def bool_into_tensor(x, flag):
    """A run-time bool multiplies, fills and becomes a tensor."""
    return x * flag, torch.tensor([flag]), x + (not flag)


@case(inputs=[(noise(3, 5), 2), (noise(3, 5), 0), (noise(3, 5), 5)])
class PrefixAttention(nn.Module):
    """Attention over a prefix of run-time length; NaN of an empty prefix as in eager."""

    def __init__(self):
        super().__init__()
        self.query = nn.Parameter(torch.randn(3))

    def forward(self, memory, n: int):
        prefix = memory[:, :n]
        weights = torch.softmax(self.query @ prefix, dim=-1)
        return (prefix * weights).sum(1), weights.numel()


@case(inputs=[(noise(7), 3), (noise(7), 7), (noise(7), 2)])
def windows_of_runtime_size(x, size):
    """Slices between run-time bounds in a loop with a run-time step."""
    sums = []
    for start in range(0, len(x), size):
        sums.append(x[start : start + size].sum())
    return torch.stack(sums), len(sums)


@case(inputs=[(POSITIVE,), (POSITIVE.flip(1),), (NEGATIVE,)])
def index_counted_from_the_end(x):
    """x[-1 - i] with a run-time i counts from the end, as a number and as a tensor."""
    i = x[0].argmax().item()
    t = x[1].argmin()
    return x[0][-1 - i], x[:, -1 - t], x[-1 - i % 2, t - 3]
