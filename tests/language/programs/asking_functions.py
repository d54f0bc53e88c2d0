"""Functions that ask PyTorch much about sizes: parts, windows, differences, products of matrices."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import case, noise

X = noise(6, 4)
COUNTS = [(X, n) for n in (2, 1, 3, 4, 100, 0, -1)]
MASKED = [(X,), (X.abs() + 1,), (-X.abs(),), (X[[0, 3, 1, 2, 5, 4]],), (X - X[:1] - 0.1,)]


@case(inputs=COUNTS, slow=True)
def chunks(x, n):
    """A number of parts that only the run knows; the last one may be smaller, none is an error"""
    parts = torch.chunk(x, n)
    columns = x.chunk(n, dim=-1)
    return len(parts), parts[-1], torch.stack([part.sum() for part in columns])


@case(inputs=COUNTS)
def tensor_splits(x, n):
    """Parts whose sizes differ by one; there may be more of them than rows"""
    parts = torch.tensor_split(x, n)
    widths = [part.shape[1] for part in x.tensor_split(n, dim=1)]
    return [part.sum(0) for part in parts], widths


@case(inputs=COUNTS, slow=True)
def splits(x, n):
    """Parts of a size of run time: of rows a mask chooses, which may be none; a loop over them"""
    total = x[0] * 0
    for part in x.split(n):
        total = total + part.max(0)[0] * part.shape[0]
    chosen = x[x[:, 0] > 0]
    return total, torch.split(chosen, n)[0], len(x.split(n, dim=1))


@case(inputs=MASKED)
def parts_of_the_chosen(x):
    """A known number of parts of what a mask chooses"""
    chosen = x[x[:, 0] > 0]
    parts = [part.shape[0] for part in torch.tensor_split(chosen, 4)]
    return parts, chosen.tensor_split(2)[1], [part.shape[0] for part in chosen.chunk(2)]


@case(inputs=MASKED)
def halves_of_chosen_columns(x):
    """A gate and what it lets through: halves of the columns, of which there may be too few"""
    gate, passed = x.t()[:, x[:, 0] > 0].chunk(2, dim=1)
    return torch.sigmoid(gate), passed, gate.shape[1]


@case(inputs=[(X, n) for n in (2, 1, 4, 3, 0, -1, 5)], messages=False)
def sizes_left_open(x, n):
    """One size is computed from the others, which may not fit"""
    columns = x[x[:, 0] > 9].unflatten(-1, (-1, n))
    return x.unflatten(1, (n, -1)), x.view(-1, n), x.reshape(n, 3, -1), columns


@case(inputs=[(X, n) for n in (2, 1, 4, 0)], messages=False)
def parts_of_nothing(x, n):
    """A size computed from the others is 0 where there is nothing"""
    return x[6:].unflatten(0, (-1, n)), x[x[:, 0] > 9].unflatten(0, (n, -1))


@case(inputs=[(X, n) for n in (2, 1, 0, 3, -1)], messages=False, slow=True)
def repeated(x, n):
    """Each row so many times, which may be none; the sum may be given, and must be right then"""
    chosen = x[x[:, 0] > 0]
    counts = torch.tensor([1, 0, 2, 1, 1, 0]) * n
    rows = torch.repeat_interleave(x, counts, dim=0, output_size=5 * n)
    every = x.repeat_interleave(n, -1) + 1, torch.repeat_interleave(x, n)
    return *every, rows, chosen.repeat_interleave(n, 0), chosen.repeat_interleave(2, dim=0)


@case(inputs=[(X, torch.tensor([1, 2, 0, 1, 0, 1]), n) for n in (5, 4, 0)], messages=False)
def repeated_to_a_size(x, counts, total):
    """A sum that is not the counts' is an error"""
    return torch.repeat_interleave(x, counts, 0, output_size=total)


@case(inputs=[(X, n) for n in (1, 0, -1, 4, -4, 5, -5)])
def shifted_by_padding(x, n):
    """Padding by a negative number leaves out as much: moved along, as large as before"""
    return F.pad(x, (n, -n)) + x, F.pad(x, (0, 0, -n, n), value=1.5), F.pad(x.long(), (-n, n + 2))


PADS = [(X, *pads) for pads in ((1, 2), (-1, -2), (-2, 3), (-4, 1), (-4, 0), (-2, -3))]


@case(inputs=PADS, messages=False)
def padded_or_cut(x, before, after):
    """Both ends by numbers of run time; what is not there cannot be left out"""
    return F.pad(x, (before, after)), F.pad(x[x[:, 0] > 9], (0, 0, before + 4, after + 3))


@case(inputs=MASKED)
def differences(x):
    """Of what a mask chooses, once and twice, with rows before and after it"""
    chosen = x[x[:, 0] > 0]
    once = chosen.diff(dim=0)
    signs = torch.diff(chosen > 0, dim=0)
    return once, torch.diff(x[x > 0], n=2), signs, chosen.diff(prepend=x[:1], append=x[:1], dim=0)


@case(inputs=MASKED)
def taken_along(x):
    """Sorted rows, the best of each column, all elements; places may be negative"""
    chosen = x[x[:, 0] > 0]
    order = chosen.argsort(1)
    best = torch.take_along_dim(chosen, order[:, -1:], 1)
    backwards = torch.take_along_dim(chosen, torch.tensor([[-1, 0]]), dim=1)
    return torch.take_along_dim(chosen, order, 1), best, chosen.take_along_dim(order), backwards


@case(inputs=[(X, n) for n in (3, 1, 0, 6, -1)], messages=False)
def triangles(x, n):
    """Places above and below the diagonal, of a square, or of any rectangle"""
    rows, columns = torch.triu_indices(n, n, offset=1)
    lower = torch.tril_indices(n, 4, -1)
    pairs = (x @ x.t())[rows, columns]
    return pairs, lower, torch.tril_indices(2, n, dtype=torch.int32), rows.numel()


@case(inputs=MASKED, rounds=True)
def products(x):
    """kron, covariances and correlations of what a mask chooses"""
    chosen = x[x[:, 0] > 0]
    columns = chosen.t()
    return torch.kron(chosen, x[:2]), torch.cov(columns), torch.cov(columns, correction=0), \
        torch.corrcoef(columns), torch.cov(chosen[:, 0])


TIMES, WEIGHTS = torch.tensor([1, 0, 2]), torch.tensor([0.5, 0.2, 1.0])


@case(
    inputs=[(X, TIMES, WEIGHTS), (-X, TIMES, WEIGHTS), (X, TIMES - 1, WEIGHTS),
            (X, TIMES * 0, WEIGHTS), (X, TIMES, WEIGHTS - 0.5)],
    rounds=True,
)  # fmt: skip
def covariances(x, times, weights):
    """Of sizes that are known: observations count several times, or by a weight; PyTorch asks"""
    found = torch.cov(x[:, :3], fweights=times)
    if x.sum() > 0:
        return found, x.cov(correction=9), x.corrcoef(), x[0].corrcoef()
    return torch.cov(x[:, :3], correction=0, fweights=times, aweights=weights), \
        torch.cov(x[0, :3], aweights=weights), x.cov()


@case(inputs=[(X[0],), (-X[0],)])
def combined(x):
    """All pairs, and triples: how many there are is known, though PyTorch chooses them by a mask"""
    pairs = torch.combinations(x)
    if x.sum() > 0:
        return pairs, torch.combinations(x, 3), torch.combinations(x, r=2, with_replacement=True)
    return torch.combinations(x, 3, True), torch.combinations(x, 1), torch.combinations(x, 0), \
        torch.combinations(x, 9), torch.combinations(x.long())


@case(inputs=MASKED)
def combined_choice(x):
    """Of a number of elements that only the run knows"""
    return torch.combinations(x[:, 0][x[:, 1] > 0])


@case(inputs=[(X[:, 0], n) for n in (3, 1, 0, 5, -1)], rounds=True)
def powers(x, n):
    """vander and logspace with a number of elements of run time"""
    chosen = x[x > 0]
    return torch.vander(x, n), torch.vander(chosen, 3, increasing=True), torch.logspace(-1, 2, n), \
        torch.logspace(0, 3, steps=n, base=2.0)


WINDOWS = [(X, *p) for p in ((2, 1), (3, 2), (1, 1), (6, 4), (7, 1), (0, 1), (-1, 1), (2, 0), (2, -1))]


@case(inputs=WINDOWS)
def windows(x, size, step):
    """unfold by sizes and steps of run time: windows that the tensor has room for"""
    every = x.unfold(0, size, step)
    return every, every.mean(-1), x[0].unfold(-1, min(size, 4), step).sum(1)


@case(inputs=[(X, 2), (X, 3)], refused="DYCL035")
def written_under_windows(x, n):
    """Windows share their tensor's memory: no write is guessed"""
    y = x.clone()
    every = y.unfold(0, n, 1)
    y[0] = 0
    return every


@case(inputs=[(X, n) for n in (2, 4, 1)], slow=True)
class Heads(nn.Module):
    """As many heads as the call says: chunks go through one layer, and are joined again"""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(0.5))

    def forward(self, x, heads):
        made = [torch.softmax(part * self.scale, -1) for part in x.chunk(heads, dim=-1)]
        return torch.cat(made, -1), F.pad(x, (heads, -heads))
