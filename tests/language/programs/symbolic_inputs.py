"""Arguments with dimensions of variable size: sizes as numbers, tests of them, loops over them."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from tests.language.harness import case, noise

LENGTHS = [(noise(2, length, 4, seed=length),) for length in (3, 1, 0, 2, 7)]
SEQUENCE = {"x": {1: Dim("seq", max=16)}}


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE)
def sizes_are_numbers(x):
    """shape, size, len and numel of a variable dimension are run-time integers."""
    b, t, d = x.shape
    return b, t, d, x.size(1), x.size(-1), len(x), x.numel(), x.shape[1:][0], x.dim()


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE)
def arithmetic_on_sizes(x):
    """What is computed from sizes is exact, and goes back into shapes."""
    b, t, d = x.size()
    flat = x.reshape(b, t * d)
    doubled = torch.cat([x, x], 1)
    again = doubled.view(b, 2 * t, -1)
    rows = torch.zeros(b, t) + x.sum(2)
    return flat, again, rows, (t + 1) * 2 - t, doubled.size(1) // 2, -t, t % 3


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE)
def tests_of_sizes(x):
    """An if on a size is a test on the host; what it says is known in its arms."""
    if x.size(1) > 2:
        return x[:, 2], x.shape[1] - 2
    if x.shape[1] == 0:
        return x, "empty"
    return x[:, 0], len(x[0])


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE)
def asserted_sizes(x):
    """assert on a size raises for the others."""
    assert x.size(1) <= 3, "too long"
    return x * 2


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE, messages=False)
def reductions_of_nothing(x):
    """Some reductions raise over no elements, others do not."""
    total = x.sum(1)
    return total, x.mean(dim=2), x.max(dim=1)[0]


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE, slow=True)
class LoopsOverTime(nn.Module):
    """Loops over a variable dimension by range, by rows, with enumerate."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        hidden = torch.zeros(2, 4)
        for t in range(x.size(1)):
            hidden = self.cell(x[:, t], hidden)
        total = torch.zeros(2, 4)
        for i, row in enumerate(x.transpose(0, 1)):
            total = total + row * i
        last = None
        for row in x.unbind(1):
            last = row
            total = total - row
        return hidden, total, last


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE)
class Outputs(nn.Module):
    """A list of one element per step, stacked."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        hidden = torch.zeros(2, 4)
        outputs = []
        for t in range(x.size(1)):
            hidden = self.cell(x[:, t], hidden)
            outputs.append(hidden)
        if len(outputs) == 0:
            return hidden
        return torch.stack(outputs, dim=1)


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE, slow=True)
class SelfAttention(nn.Module):
    """Attention over a variable number of positions, with a causal mask of that size."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        t = x.size(1)
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(1, 2) / 2.0
        mask = torch.triu(torch.ones(t, t), diagonal=1).bool()
        weights = F.softmax(scores.masked_fill(mask, float("-inf")), dim=-1)
        out = weights @ v
        if x.sum() > 0:
            out = out * 2
        return out


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE)
class LayerOfAttention(nn.Module):
    """PyTorch's own layer, without its weights."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x):
        y, weights = self.attention(x, x, x, need_weights=False)
        assert weights is None  # known
        x = x + y
        if x.sum() > 0:
            x = x * 2
        return x


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE, slow=True)
class Positions(nn.Module):
    """Learned positions: arange of a run-time size, a slice of a table."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(16, 4)
        self.register_buffer("fixed", torch.arange(64.0).view(1, 16, 4))

    def forward(self, x):
        learned = self.table(torch.arange(x.size(1)))
        return x + learned, x + self.fixed[:, : x.size(1)]


PAIRS = [
    (noise(2, 3), noise(2, 3, seed=1)),
    (noise(2, 1), noise(2, 4, seed=1)),
    (noise(2, 5), noise(2, 1, seed=1)),
    (noise(2, 0), noise(2, 1, seed=1)),
    (noise(2, 2), noise(2, 4, seed=1)),
]


@case(
    inputs=PAIRS,
        dynamic_shapes={"x": {1: Dim("left", max=16)}, "y": {1: Dim("right", max=16)}},
    messages=False,
    slow=True,
)
def broadcasting(x, y):
    """Two variable sizes: equal ones add, one broadcasts, others raise."""
    return x + y


@case(
    inputs=PAIRS[:1] + PAIRS[3:4],
        dynamic_shapes=({1: Dim("left", max=16)}, {1: Dim.DYNAMIC}),
)
def shapes_by_position(x, y):
    """dynamic_shapes as a tuple; sizes without a name are independent."""
    return torch.cat([x, y], 1), x.size(1) + y.size(1)


PATCHED = {"x": {0: 4 * Dim("rows", min=1, max=8), 1: 4 * Dim("columns", max=8)}}


@case(
    inputs=[(noise(8, 4),), (-noise(4, 12).abs(),), (noise(4, 0),), (noise(32, 32),)],
    dynamic_shapes=PATCHED,
)
def multiples_of_a_number(x):
    """Sizes that are multiples, of numbers that are the size of no argument."""
    patches = x.view(x.shape[0] // 4, 4, -1, 4).amax((1, 3))
    if patches.sum() > 0:
        patches = patches.relu()
    return patches, patches.shape[1], x.size(1) % 4


@case(
    inputs=[(noise(8).abs(), noise(5)), (-noise(4).abs(), noise(3)), (noise(12), noise(7))],
    dynamic_shapes=({0: 4 * Dim("pairs", min=1, max=8)}, {0: 2 * Dim("pairs", min=1, max=8) + 1}),
)
def multiples_of_one_number(x, y):
    """Two sizes that are multiples of one number, plus a number."""
    pairs = y[1:].view(-1, 2).sum(1)
    if x.sum() > 0:
        pairs = pairs + x.view(-1, 4).sum(1)
    return pairs


GRIDS = [(noise(*sizes),) for sizes in ((8, 8), (8, 6), (4, 16), (6, 8), (16, 4), (6, 6))]
GRID = {"x": {0: 2 * Dim("h", min=1, max=8), 1: 2 * Dim("w", min=1, max=8)}}


@case(inputs=GRIDS, dynamic_shapes=GRID)
class ProductsOfSizes(nn.Module):
    """A product of two sizes, and one of them, tell the other one, in either order."""

    def __init__(self):
        super().__init__()
        self.places = nn.Parameter(noise(16))
        self.more = nn.Parameter(noise(9))

    def forward(self, x):
        h, w = x.shape[0] // 2, x.shape[1] // 2
        patches = x.view(h, 2, -1, 2).sum((1, 3))
        if h * w == 16 and h == 4:
            return patches.flatten() + self.places
        if h == 3:
            patches = patches.relu()
            if h * w == 9:
                return patches.flatten() * self.more
        return patches


@case(
    inputs=[(noise(2), noise(3), noise(8, 6)), (noise(1), noise(5), -noise(4, 10).abs())],
    dynamic_shapes=(
        {0: Dim("a", max=8)},
        {0: Dim("b", max=8)},
        {0: 4 * Dim("a", max=8), 1: 2 * Dim("b", max=8)},
    ),
)
def multiples_of_other_sizes(x, y, z):
    """Sizes that are multiples of those of other arguments."""
    table = x[:, None] * y
    if z.sum() > 0:
        table = table + z.view(len(x), 4, len(y), 2).sum((1, 3))
    return table


@case(
    inputs=[([noise(2, 3), noise(3, 3)],), ([noise(2, 1), noise(1, 3)],)],
        dynamic_shapes={"items": [{1: Dim("a", max=8)}, (Dim("b", max=8), None)]},
)
def nested_shapes(items):
    """dynamic_shapes mirror lists; a shape as a tuple."""
    return items[0].sum(0), items[1].sum(0), items[0].shape[1], items[1].shape[0]


@case(
    inputs=[(noise(2, 4, 6),), (noise(2, 4, 3),), (noise(2, 4, 2),), (noise(2, 4, 0),)],
        dynamic_shapes={"x": {2: Dim("length", max=32)}},
    messages=False,
)
class Convolution(nn.Module):
    """A convolution and pooling over a variable length; too short ones raise."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1d(4, 3, 3, padding=1, stride=2)

    def forward(self, x):
        y = self.convolution(x)
        return F.adaptive_avg_pool1d(y, 1), F.max_pool1d(y, 2), y.shape


@case(
    inputs=[(noise(3, 4, 4),), (noise(1, 4, 4),), (noise(0, 4, 4),), (torch.zeros(2, 4, 4),)],
        dynamic_shapes={"x": {0: Dim("batch", max=8)}},
)
class VariableBatch(nn.Module):
    """A batch of variable size through layers, an exit when all are sure."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(16, 8), nn.Linear(8, 8)

    def forward(self, x):
        y = F.relu(self.first(x.flatten(1)))
        if y.sum() > 1.0:
            return y
        y = self.second(y.view(y.size(0), -1))
        return y.view(-1, 2, 4)


@case(inputs=LENGTHS[:2] + LENGTHS[3:], dynamic_shapes=SEQUENCE, slow=True)
class RecurrentLayers(nn.Module):
    """nn.LSTM and nn.GRU over a variable length."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, batch_first=True)
        self.gru = nn.GRU(3, 3, batch_first=True)

    def forward(self, x):
        outputs, (hidden, cell) = self.lstm(x)
        outputs, hidden = self.gru(outputs)
        return outputs[:, -1], hidden, cell


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE)
def layout_depends_on_the_size(x):
    """Whether a transposed tensor is contiguous depends on the size."""
    turned = x[0].t()
    return turned * 2 if turned.is_contiguous() else turned


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE, slow=True)
def sums_of_products_of_nothing(x):
    """einsum over a variable dimension, which may be empty: summed, kept, spread, shared."""
    shared = torch.einsum("bld,bln->bldn", x, x[..., :3])
    summed = torch.einsum("bdl,bnl->bdn", x.transpose(1, 2), x[..., :2].transpose(1, 2))
    rest = torch.einsum("...nd,dh->...nh", x, torch.ones(4, 3)), torch.einsum("bld,bld", x, x)
    spread = torch.einsum("bld,bmd->bld", x, torch.ones(2, 1, 4))
    return shared, summed, rest, spread, torch.einsum("bld,bld->bl", x, x[:1] + x)


@case(inputs=LENGTHS, dynamic_shapes=SEQUENCE, refused="DYCL075")
def root_of_a_size(x):
    """A function of torch that is made of itself is asked about sizes."""
    return x / torch.sym_sqrt(x.shape[1])  # <- refused


WEIGHTS = [(noise(3, width, seed=width), noise(1, width, seed=9)) for width in (4, 2, 1)]


ANY = Dim("any", max=8)
SOME = Dim("some", min=1, max=8)


@case(inputs=WEIGHTS, dynamic_shapes={"v": {1: SOME}, "g": {1: SOME}})
def internal_operators(v, g):
    """PyTorch's internal operators are called with tensors that have elements."""
    scaled, norms = torch.ops.aten._weight_norm_interface(v, g, 1)
    return scaled if scaled.sum() > 0 else norms


@case(inputs=WEIGHTS, dynamic_shapes={"v": {1: ANY}, "g": {1: ANY}}, refused="DYCL075")
def internal_operators_without_elements(v, g):
    """They may end the process where a tensor has none: they are not run there."""
    scaled, norms = torch.ops.aten._weight_norm_interface(v, g, 1)  # <- refused
    return scaled if scaled.sum() > 0 else norms


@case(inputs=WEIGHTS, dynamic_shapes={"v": {1: ANY}, "g": {1: ANY}}, refused="DYCL075")
def internal_functions_without_elements(v, g):
    """Nor are functions of torch that are such operators."""
    return torch._weight_norm(v, g, 1)  # <- refused


@case(inputs=LENGTHS[:2], refused="DYCL032")
def internal_operators_that_do_not_fit(x):
    """Nor where sizes do not fit: PyTorch's own words are not known."""
    grad, target = x.sum((0, 2)), torch.tensor([0, 1, 1, 0])
    weight = torch.tensor(3.0)
    return torch.ops.aten.nll_loss_backward(grad, x[0], target, None, 0, -1, weight)  # <- refused
