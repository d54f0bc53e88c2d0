"""`torch.autocast` on the CPU: what is converted, in blocks, decorators, loops and functions."""

import contextlib
import functools

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
ANY_ROWS = [(POSITIVE,), (NEGATIVE[:1],), (torch.cat([MIXED, POSITIVE]),)]


def shown(*tensors):
    """Give types, and numbers without the last bits: rounding is the backend's."""
    return [(t.dtype, t.float().round(decimals=0)) for t in tensors]


@case(inputs=ROWS)
class AroundDecisions(nn.Module):
    """A test of what was computed in the region; layers before and after it."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 3)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.first(x)
            if (x @ torch.ones(3, 1)).sum() > 0:
                y = torch.relu(y) * 2
            z = self.second(y)
        return shown(y, z), self.first(x)


@case(inputs=ROWS)
class MethodUnderAutocast(nn.Module):
    """As a decorator of a method, and of a function that the call defines."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    @torch.autocast("cpu", dtype=torch.bfloat16)
    def head(self, x):
        return self.layer(x)

    def forward(self, x):
        @torch.autocast("cpu", dtype=torch.bfloat16)
        def product(a):
            return a @ a.t()

        y = self.head(x)
        total = product(torch.cat([x, torch.ones(1, 3)]))[-1, :-1].sum()
        return shown(y, product(x)) if total > 0 else shown(y)


@case(inputs=ROWS)
class ForwardUnderAutocast(nn.Module):
    """As a decorator of the entry point."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    @torch.autocast("cpu", dtype=torch.bfloat16)
    def forward(self, x):
        y = self.layer(x)
        return shown(y) if (x @ torch.ones(3, 1)).sum() > 0 else shown(y.float() + 1)


@case(inputs=ROWS)
def regions_within(x):
    """A region that is not enabled, one of another device, and what asks about them."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        first, asked = x @ x.t(), torch.is_autocast_enabled("cpu")
        with torch.autocast("cpu", enabled=False):
            second, off = x @ x.t(), torch.is_autocast_enabled("cpu")
            if x.sum() > 0:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    second = (x @ x.t()).float()
        with torch.autocast("cuda", enabled=False):
            third = x @ x.t()
    after = torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled()
    return shown(first, second, third), asked, off, after, torch.get_autocast_dtype("cpu")


@case(inputs=ROWS)
def of_another_device(x):
    """Regions of a GPU convert nothing on the CPU."""
    with torch.autocast("cuda", dtype=torch.float16, enabled=False):
        y = x @ x.t()
        return (y if y.sum() > 9 else -y), torch.is_autocast_enabled("cpu")


@case(inputs=ROWS)
def switched_by_the_input(x):
    """Whether it is enabled is known on each path."""
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bool(x.sum() > 0)):
        y = x @ x.t()
    return shown(y)


@case(inputs=ROWS)
def rules_of_products(x):
    """Products take bfloat16, others what comes; what is joined gets the widest type."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x.t()
        if x.sum() > 0:
            y = y + 1
        y @= torch.eye(2)
        products = torch.einsum("ij,kj->ik", x, x), F.linear(y, torch.ones(2, 2)), torch.inner(x, x)
        joined = torch.cat([y, x[:, :2]]), torch.stack([y, x[:, :2]]), y.softmax(-1), y.cumsum(0)
    return shown(*products), shown(*joined)


@case(inputs=ROWS)
def rules_of_losses(x):
    """Losses, distances and padding are computed in single precision."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ x.t()
        if x.sum() > 0:
            y = y + 1
        losses = F.mse_loss(y, y * 0.5), F.cross_entropy(y, torch.tensor([0, 1])), y.prod()
        distances = torch.cdist(y, y), torch.cdist(x, x)
        padded = F.pad(y[None], (1, 1), mode="reflect"), F.avg_pool1d(y[None], 2)
    return shown(*losses), shown(*distances), shown(*padded)


@case(inputs=ROWS)
class LayersOfTorch(nn.Module):
    """Convolutions, norms, attention and recurrent layers."""

    def __init__(self):
        super().__init__()
        self.convolution, self.norm = nn.Conv1d(2, 4, 2), nn.BatchNorm1d(4)
        self.recurrent, self.attention = nn.GRU(2, 4), nn.MultiheadAttention(4, 2)
        self.last = nn.LayerNorm(4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.norm(self.convolution(x[None]))
            if y.sum() > 0:
                y = F.relu(y)
            z, _ = self.recurrent(y.float())
            found, weights = self.attention(z, z, z)
            also = F.scaled_dot_product_attention(z, z, z)
            return shown(y, z, found, weights, also, self.last(found))


@case(inputs=ROWS)
class InLoops(nn.Module):
    """A loop that ends at run time, and modules of the user's, in and out of the region."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(3, 3), nn.Tanh()) for _ in range(3))
        self.scale = nn.Parameter(torch.ones(3, 3) / 3)

    def forward(self, x):
        h, steps = x, 0
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scale = self.scale @ self.scale
            for block in self.blocks:
                h = h + block(h)
                if h.abs().sum() > 9:
                    break
            while h.float().norm() > 0.5 and steps < 3:
                h = (h @ scale).float() * 0.7
                steps += 1
        return shown(h, scale), steps, self.blocks[0](x)


def halved(x):
    if x.abs().sum() < 2:
        return x
    return halved((x @ torch.eye(3) * 0.5).float())


@case(inputs=ROWS)
def recursion_in_and_out(x):
    """The same function under autocast and without it."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = halved(x)
    return shown(y), halved(x)


def fallen(x):
    if x.abs().sum() < 4000:
        return x
    return fallen((x @ (torch.eye(3) * 0.5)).float())


@case(inputs=ROWS)
def recursion_in_each_region(x):
    """The same function in regions of two types, in one that is not enabled, and outside"""
    y = x * 1001
    with torch.autocast("cpu", dtype=torch.bfloat16):
        first = fallen(y)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
        second = fallen(y)
    with torch.autocast("cpu", dtype=torch.float16):
        third = fallen(y)
    return first, second, third, fallen(y)


def converted(x):
    """Tell what products convert to: 1001 is 1000 in bfloat16, 2502.5 is 2502 in float16."""
    return ((x * 1001) @ torch.eye(3)).float()


@case(inputs=ROWS)
def within_what_is_not_enabled(x):
    """Regions that convert within others that do not, and the other way round"""
    gpu = torch.autocast("cuda", dtype=torch.float16, enabled=False)
    with torch.autocast("cpu", dtype=torch.float16, enabled=False):
        first = converted(x)
        with torch.autocast("cpu", dtype=torch.float16):
            second = converted(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with gpu, gpu:
            third = converted(x)
        with torch.autocast("cpu", dtype=torch.float16, enabled=False):
            fourth = converted(x) if x.sum() > 0 else x
        fifth = converted(x)
    with gpu, torch.autocast("cpu", dtype=torch.bfloat16):
        sixth = converted(x)
    return first, second, third, fourth, fifth, sixth


@contextlib.contextmanager
def mixed():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        yield 3


@case(inputs=ROWS)
def in_a_manager_of_the_users(x):
    """A generator's manager around the block; a generator that is asked within."""
    with mixed() as number:
        y = x @ x.t()
        if (x @ torch.ones(3, 1)).sum() > 0:
            y = y + number
        rows = [row @ torch.eye(3) for row in (each[None] for each in x)]
    return shown(y, x @ x.t(), *rows)


@case(inputs=ANY_ROWS, dynamic_shapes={"x": {0: torch.export.Dim("rows", max=9)}})
def of_any_number(x):
    """As many rows as there come."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ (torch.ones(3, 4) / 4)
        weights = (y @ y.t()).softmax(-1)
        if weights.sum() > 3:
            y = weights @ y
        joined = torch.cat([y, x[:, :1].expand(-1, 4)])
        loss = F.cross_entropy(y, torch.zeros(x.shape[0], dtype=torch.long))
    return shown(y, joined, loss)


@case(inputs=ROWS * 2)
class WithState(nn.Module):
    """A buffer that is written in the region, and a counter."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_buffer("mean", torch.zeros(3))
        self.calls = 0

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.layer(x)
            self.mean.add_(y.float().mean(0).round())
            self.calls += 1
            if self.mean.sum() > 0:
                y = y + 1
        return shown(y), self.calls


@case(inputs=ROWS, refused="DYCL064")
class WeightsChanged(nn.Module):
    """PyTorch goes on with what it has converted the weight to before."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):  # <- refused
            y = self.layer(x)
            self.layer.weight.add_(1.0)
            return (y + self.layer(x)).float()


@case(inputs=ROWS, refused="DYCL064")
def two_types(x):
    """A weight that was converted to one type is taken for the other."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch.autocast("cpu", dtype=torch.float16):  # <- refused
            return (x @ x.t()).float()


@case(inputs=ROWS, refused="DYCL064")
def two_types_within_what_is_not_enabled(x):
    """What a weight was converted to is remembered until the outermost region ends."""
    with (
        torch.autocast("cpu", dtype=torch.float16, enabled=False),
        torch.autocast("cpu", dtype=torch.bfloat16, enabled=False),
    ):
        with torch.autocast("cpu", dtype=torch.bfloat16):  # <- refused
            return (x @ x.t()).float()


@functools.lru_cache(None)
def table(n):
    return torch.ones(3, n) @ torch.ones(n, n)


@case(inputs=ROWS, refused="DYCL064")
def cached_functions(x):
    """A cache has what the first call gave, in or out of the region."""
    first = table(3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return first, (x @ table(3)).float()  # <- refused


@case(inputs=ROWS, refused="DYCL064")
def products_inside_of_kernels(x):
    """`bilinear` multiplies matrices where no operation shows."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.bilinear(x, x, torch.ones(2, 3, 3)).float()  # <- refused


@case(inputs=ROWS, refused="DYCL064")
class EncoderLayer(nn.Module):
    """PyTorch computes it in single precision without gradients, in bfloat16 with them."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.layer(F.pad(x, (0, 1))[None]).float()  # <- refused


@case(inputs=ROWS, refused="DYCL064")
def entered_by_a_stack(x):
    """It would last until the stack is left."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.autocast("cpu", dtype=torch.bfloat16))  # <- refused
        return (x @ x.t()).float()


@case(inputs=ROWS, refused="DYCL064")
def numbers_in_products(x):
    """What stands for a product with a number of run time rounds otherwise."""
    number = float(x.sum())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return torch.addmm(x[:, :2], x, x.t(), beta=number).float()  # <- refused
