"""``while stack`` and the like, where the input decides what is left to do."""

import collections
import heapq

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

GRIDS = [((noise(4, 5, seed=seed) > 0.2).long(), seed, seed + 1) for seed in range(4)]
UPPER = [(torch.triu((noise(5, 5, seed=seed) > -0.4).float(), 1),) for seed in range(3)]
CHAIN = (torch.diag(torch.ones(4), 1),)
ORDERS = [*UPPER, (torch.ones(5, 5),)]


@case(inputs=ORDERS, slow=True)
def topological_order(x):
    """What is ready at first is one of many lists; each step may make more ready"""
    n = x.shape[0]
    needed = x.sum(0).tolist()
    ready = [i for i in range(n) if needed[i] == 0]
    order = []
    while ready:
        first = ready.pop(0)
        order.append(first)
        for other in range(n):
            if x[first, other] > 0:
                needed[other] -= 1
                if needed[other] == 0:
                    ready.append(other)
    if len(order) != n:
        raise ValueError("not ordered")
    return order


@case(inputs=GRIDS)
def flood_fill(x, row: int, column: int):
    """Each place of a picture puts its neighbours on the stack"""
    height, width = x.shape
    filled = torch.zeros_like(x)
    stack = [(row, column)]
    target = x[row, column].item()
    while len(stack) > 0:
        i, j = stack.pop()
        if not (0 <= i < height and 0 <= j < width):
            continue
        if filled[i, j].item() == 1 or x[i, j].item() != target:
            continue
        filled[i, j] = 1
        stack.extend([(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)])
    return filled


@case(inputs=[*UPPER, CHAIN])
def widths(x):
    """A deque of places and depths, with an end that is left early"""
    queue, seen = collections.deque([(0, 0)]), {0}
    deepest = 0
    while queue and deepest < 3:
        node, depth = queue.popleft()
        deepest = max(deepest, depth)
        for other in range(x.shape[0]):
            if x[node, other].item() > 0 and other not in seen:
                seen.add(other)
                queue.append((other, depth + 1))
    else:
        deepest += 10
    return deepest, len(queue), sorted(seen)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)], slow=True)
class LayersOnAStack(nn.Module):
    """The stack holds layers, which the host cannot: the loop is unrolled"""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

    def forward(self, x):
        stack = list(self.layers)
        rounds = 0
        while stack:
            layer = stack.pop()
            x = torch.tanh(layer(x))
            rounds += 1
            if x.sum() > 0.2 and rounds < 4:
                stack.append(self.layers[0])
            if x[0, 0] > 0.3 and rounds < 4:
                stack.append(self.layers[1])
            if x[0, 1] > 0 and rounds < 3:
                stack.append(self.layers[2])
        return x, rounds


@case(inputs=[(torch.triu(noise(5, 5, seed=seed).abs(), 1),) for seed in range(4)])
def cheapest(x):
    """A heap that is empty at last; what was done is in a set"""
    n = x.shape[0]
    costs = [float("inf")] * n
    costs[0] = 0.0
    heap, done = [(0.0, 0)], set()
    while heap:
        cost, node = heapq.heappop(heap)
        if node in done:
            continue
        done.add(node)
        for other in range(n):
            step = x[node, other].item()
            if step > 0 and cost + step < costs[other]:
                costs[other] = cost + step
                heapq.heappush(heap, (costs[other], other))
    return costs
