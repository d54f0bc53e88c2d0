"""Loops whose trip count is known at compile time."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case


@case(inputs=[(POSITIVE,), (NEGATIVE,)], slow=True)
def range_forms(x):
    """range with start, stop and step, downwards, and empty."""
    order = []
    for i in range(2):
        order.append(i)
    for i in range(1, 4, 2):
        order.append(i)
    for i in range(3, 0, -1):
        if x.sum() > 0:
            x = x + i
        order.append(i)
    for i in range(5, 5):
        order.append(-1)  # never
    return x, order, i


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
class SkipBlocks(nn.Module):
    """A ModuleList in which each block is skipped by its own gate, read through getattr."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])
        for i in range(4):
            setattr(self, f"gate{i}", nn.Linear(3, 1))

    def forward(self, x):
        used = []
        for i, block in enumerate(self.blocks):
            if getattr(self, f"gate{i}")(x).mean() > 0:
                x = x + block(x)
                used.append(i)
        return x, len(used)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class OverModuleDict(nn.Module):
    """ModuleDict: items, keys, values, in, len and indexing."""

    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"cls": nn.Linear(3, 2), "box": nn.Linear(3, 4)})

    def forward(self, x):
        out = {}
        for name, head in self.heads.items():
            y = head(x)
            out[name] = y.sigmoid() if y.mean() > 0 else y
        if "cls" in self.heads and "mask" not in self.heads:  # known
            out["n"] = len(self.heads)
        for key in self.heads.keys():
            out[key + "_again"] = self.heads[key](x)
        return out, [v.out_features for v in self.heads.values()]


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,), (ZERO,)])
class OverSequential(nn.Module):
    """Sequential: iteration, slices, negative index, len."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3), nn.Tanh())

    def forward(self, x):
        for layer in self.net[:2]:
            x = layer(x)
        if x.sum() > 1:
            return self.net[2:](x)
        return self.net[-1](x) * len(self.net)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class ZipAndEnumerate(nn.Module):
    """zip of layers and lists of different length; enumerate with a start; nested targets."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
        self.scales = [0.5, 1.5]

    def forward(self, x):
        for n, (layer, scale) in enumerate(zip(self.layers, self.scales), start=1):
            if x.sum() > 0:
                x = layer(x) * scale
            else:
                x = x * n
        return x, n


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class ReversedLayers(nn.Module):
    """reversed over a list, a range and a ModuleList slice; [::-1]."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])

    def forward(self, x):
        skips = []
        for layer in self.down:
            x = torch.tanh(layer(x))
            skips.append(x)
        for skip, i in zip(reversed(skips), reversed(range(3))):
            if skip.mean() > 0:
                x = x + skip * i
        for layer in self.down[1:][::-1]:
            x = layer(x)
        return x, [s.shape[0] for s in skips[::-1]]


@case(inputs=[(POSITIVE,), (LARGE,), (NEGATIVE,)])
def for_else(x):
    """else of a loop runs unless break left it."""
    for i in range(3):
        x = x + i
        if x.sum() > 20:
            where = "break"
            break
    else:
        where = "else"
        x = x * 2
    return x, where, i


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def for_else_empty_and_continue(x):
    """else runs after a loop of no turns and after continue in the last turn."""
    seen = []
    for _ in []:
        seen.append("never")  # never
    else:
        seen.append("empty")
    for i in range(2):
        if x[i, 0] > 0:
            continue
        seen.append(i)
    else:
        seen.append("done")
    return seen


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def while_known(x):
    """while with a known test unrolls; its variable goes on changing."""
    i, step = 0, 1
    while i < 5:
        if x.sum() > 0:
            x = x + i
        i += step
        step += 1
    return x, i, step


@case(inputs=[(POSITIVE,), (LARGE,)])
def while_known_with_else(x):
    """while/else with a dynamic break."""
    n = 3
    while n:
        n -= 1
        if x.sum() * n > 100:
            break
    else:
        n = -1
    return n


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def dict_iteration(x):
    """Iterating a dict gives its keys in insertion order, whatever was updated."""
    weights = {"b": 2.0, "a": 1.0}
    weights["c"] = 3.0
    weights["b"] = 5.0
    total = 0
    for key in weights:
        if x.sum() > 0:
            total += weights[key]
    for i, (key, value) in enumerate(weights.items()):
        x = x + value * i
    return x, total, list(weights), sorted(weights)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def loop_over_tensor_rows(x):
    """A for loop over a tensor goes over its first dimension."""
    best = x[0]
    for row in x:
        if row.sum() > best.sum():
            best = row
    for i, (a, b, c) in enumerate(x):
        best = best + a * i - c + b
    return best


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def loop_variable_shadows(x):
    """The loop variable is an ordinary variable: reused, reassigned, read after the loop."""
    i = 10
    for i in range(3):
        i = i * 2
        if x.sum() > 0:
            x = x + i
    return x, i


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def list_changed_while_iterated(x):
    """A list that grows while it is walked is walked to its new end."""
    queue = [x]
    for item in queue:
        if len(queue) < 4:
            queue.append(item * 2)
    return len(queue), queue[-1]


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def nested_loops_with_dynamic_continue(x):
    """continue in an inner loop, break in the outer one."""
    picked = 0
    for i in range(2):
        for j in range(3):
            if x[i, j] < 0:
                continue
            picked += 10 * i + j
        if picked > 3:
            break
    return picked


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,), (LARGE * -9,)])
class SlicesOfModuleList(nn.Module):
    """ModuleList slices with bounds from attributes, and index arithmetic."""

    def __init__(self, depth=5, split=2):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(depth)])
        self.split = split

    def forward(self, x):
        for layer in self.layers[: self.split]:
            x = torch.relu(layer(x))
        if x.sum() > 2:
            for layer in self.layers[self.split : -1]:
                x = x + layer(x)
        return self.layers[len(self.layers) // 2](x), len(self.layers[::2])
