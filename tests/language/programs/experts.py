"""Mixture of experts, adaptive computation time, routing, dynamic width."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

TOKENS = [(noise(4, 3),), (noise(4, 3, seed=1).abs(),), (torch.ones(4, 3),), (-torch.ones(4, 3),)]
ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (LARGE,), (ZERO,)]


@case(inputs=TOKENS, slow=True)
class MixtureOfExperts(nn.Module):
    """Tokens are dispatched to their two best experts by masks; unused experts are skipped."""

    def __init__(self, count=3, top=2):
        super().__init__()
        self.router = nn.Linear(3, count)
        self.experts = nn.ModuleList([nn.Linear(3, 3) for _ in range(count)])
        self.top = top

    def forward(self, x):
        weights, chosen = torch.topk(F.softmax(self.router(x), dim=-1), self.top, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        output = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows, slots = torch.where(chosen == number)
            if rows.numel() == 0:
                continue
            output.index_add_(0, rows, expert(x[rows]) * weights[rows, slots, None])
        return output


@case(inputs=ROWS)
class SwitchRouting(nn.Module):
    """The whole input goes to one expert, chosen by an index on the host."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 3)
        self.experts = nn.ModuleList(
            [nn.Linear(3, 2), nn.Sequential(nn.Tanh(), nn.Linear(3, 2)), nn.Linear(3, 2)]
        )

    def forward(self, x):
        index = self.gate(x).sum(0).argmax().item()
        return self.experts[index](x), index


@case(inputs=ROWS)
class AdaptiveComputation(nn.Module):
    """Adaptive computation time: ponder until the halting probability is used up."""

    def __init__(self, limit=4, epsilon=0.05):
        super().__init__()
        self.cell = nn.GRUCell(3, 3)
        self.halt = nn.Linear(3, 1)
        self.limit, self.epsilon = limit, epsilon

    def forward(self, x):
        state = torch.zeros_like(x)
        output = torch.zeros_like(x)
        remainder, steps = 1.0, 0
        while remainder > self.epsilon:
            state = self.cell(x, state)
            p = torch.sigmoid(self.halt(state) * 2 - 1 - x.mean()).mean().item()
            p = min(p, remainder) if steps < self.limit - 1 else remainder
            output = output + p * state
            remainder -= p
            steps += 1
        return output, steps


@case(inputs=ROWS)
class BatchedAdaptiveComputation(nn.Module):
    """Per-row halting with masks; the loop ends when all rows have halted."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(3, 3)
        self.halt = nn.Linear(3, 1)

    def forward(self, x):
        used = torch.zeros(x.size(0))
        turns = torch.zeros(x.size(0))
        output = torch.zeros_like(x)
        while (used < 0.95).any():
            x = torch.tanh(self.step(x))
            p = torch.sigmoid(self.halt(x)).squeeze(-1)
            running = (used < 0.95).float()
            last = ((used + p * running) >= 0.95).float() * running
            share = p * running * (1 - last) + (1 - used) * last
            output = output + share.unsqueeze(-1) * x
            used = used + share
            turns = turns + running
        return output, turns


@case(inputs=ROWS)
class DynamicWidth(nn.Module):
    """The number of channels that is used depends on the input."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        width = 8 if x.abs().mean() > 2 else 4 if x.mean() > 0 else 2
        hidden = F.linear(x, self.layer.weight[:width], self.layer.bias[:width]).relu()
        return F.linear(hidden, self.out.weight[:, :width], self.out.bias), width


@case(inputs=ROWS)
class RouterOfRouters(nn.Module):
    """A soft decision tree walked greedily, with nodes as modules in a dict."""

    def __init__(self, depth=2):
        super().__init__()
        names = ["", "0", "1"]
        self.nodes = nn.ModuleDict({"n" + name: nn.Linear(3, 1) for name in names})
        self.leaves = nn.ParameterDict(
            {"l" + a + b: nn.Parameter(torch.randn(2)) for a in "01" for b in "01"}
        )
        self.depth = depth

    def forward(self, x):
        path = ""
        for _ in range(self.depth):
            right = self.nodes["n" + path](x).mean() > 0
            path += "1" if right else "0"
        return self.leaves["l" + path], path


@case(
    inputs=[(noise(1, 3, 8, 8),), (noise(1, 3, 8, 8, seed=1) * 4,), (torch.zeros(1, 3, 8, 8),)],
)
class GlanceAndFocus(nn.Module):
    """A coarse look decides where a crop with run-time bounds is taken."""

    def __init__(self):
        super().__init__()
        self.glance = nn.Conv2d(3, 1, 3, stride=2, padding=1)
        self.focus = nn.Conv2d(3, 2, 3)

    def forward(self, x):
        heat = self.glance(x)[0, 0]
        if heat.max() < 0.5:
            return None, heat
        place = int(heat.argmax())
        row, column = divmod(place, heat.shape[1])
        top, left = min(row * 2, 4), min(column * 2, 4)
        crop = x[:, :, top : top + 4, left : left + 4]
        return self.focus(crop).amax((2, 3)), (top, left)


@case(inputs=ROWS)
class IterativeRefinement(nn.Module):
    """Refine until the prediction stops changing, at most ten times; the trace is a list."""

    def __init__(self):
        super().__init__()
        self.refine = nn.Linear(6, 3)

    def forward(self, x):
        guess = torch.zeros_like(x)
        changes = []
        for _ in range(10):
            new = torch.tanh(self.refine(torch.cat([x, guess], dim=-1)) * 6)
            change = (new - guess).norm().item()
            guess = new
            changes.append(change)
            if change < 0.05 or (len(changes) > 2 and changes[-1] > changes[-2]):
                break
        return guess, len(changes)


def whole(*shape):
    """Numbers whose products are exact, in whatever order they are added."""
    return (noise(*shape) * 4).round()


@case(
    inputs=[
        *((whole(n, 8), n % 2) for n in (1, 3, 4, 7)),
        (-whole(6, 8), 9),
        (torch.full((2, 8), -0.0), 1),
    ],
    dynamic_shapes=({0: "tokens"}, None),
    slow=True,
)
class GroupedProducts(nn.Module):
    """Tokens in the order of their experts are multiplied at once; experts without tokens, too."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.weight = nn.Parameter(whole(4, 8, 12))

    def forward(self, x, least):
        chosen = self.router(x).argmax(-1)
        order = torch.argsort(chosen, stable=True)
        counts = F.one_hot(chosen, 4).sum(0)
        ends = torch.cumsum(counts, 0).to(torch.int32)
        y = F.grouped_mm(x[order], self.weight, offs=ends)
        y = y[torch.argsort(order, stable=True)]
        if counts.max() > least:
            return y * 2
        return F.grouped_mm(y, self.weight.transpose(1, 2), offs=ends)


@case(
    inputs=[
        (whole(6, 8), torch.tensor([2, 2, 6], dtype=torch.int32)),
        (whole(6, 8), torch.tensor([3, 1, 6], dtype=torch.int32)),
        (whole(6, 8), torch.tensor([6, -4, 4], dtype=torch.int32)),
        (whole(6, 8), torch.tensor([0, 4, -1], dtype=torch.int32)),
    ]
)
def groups_by_their_ends(x, ends):
    """Groups may end before they begin, or overlap: each is a slice, and the last one counts."""
    weight = torch.arange(96.0).reshape(3, 8, 4)
    many = F.grouped_mm(x, weight, offs=ends)
    few = F.grouped_mm(x[:3], weight, offs=ends.clamp(max=3))
    return many[:5], few[:1] if ends[0] > 0 else few[:2]
