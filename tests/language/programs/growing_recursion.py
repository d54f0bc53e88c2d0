"""Recursions that hand over more at every depth, until run-time values end them."""

import heapq

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


@case(inputs=[(4,), (0,), (1,), (3,), (5,)])
def queens_of_a_longer_list(n):
    """A list that is longer at each depth, and a loop that calls"""
    count = 0

    def place(row, columns):
        nonlocal count
        if row == n:
            count += 1
            return
        for c in range(n):
            if all(c != columns[r] and abs(c - columns[r]) != row - r for r in range(row)):
                place(row + 1, columns + [c])

    place(0, [])
    return count


@case(inputs=[(4,), (0,), (1,), (6,)])
def partitions(n):
    """Results are kept in a list around the recursion"""
    found = []

    def go(left, most, parts):
        if left == 0:
            found.append(parts)
            return
        for part in range(min(left, most), 0, -1):
            go(left - part, part, parts + [part])

    go(n, n, [])
    return found


@case(inputs=[(torch.tensor(x),) for x in ([3, 2], [0, 0], [1, 0], [3, 3])])
def subsets(x):
    """A tuple that is longer at each depth, and results of two calls one after the other"""
    target = int(x.sum())
    found = []

    def go(i, chosen, total):
        if total == target:
            found.append(chosen)
            return
        if i >= target or total > target:
            return
        go(i + 1, (*chosen, i), total + i)
        go(i + 1, chosen, total)

    go(1, (), 0)
    return found


@case(inputs=[(6,), (1,), (2,), (7,)])
def path_of_a_number(n):
    """What has grown is the result"""

    def path(k, seen):
        if k == 1:
            return seen
        return path(k // 2 if k % 2 == 0 else 3 * k + 1, [*seen, k])

    return path(n, [])


@case(inputs=[(4,), (0,), (-1,), (12,)])
def same_list_below(n):
    """The list is one object at every depth, and for the caller"""
    base = [0]
    also = base

    def go(k, items):
        items.append(k)
        if k <= 0:
            return items
        return go(k - 1, items)

    result = go(n, base)
    also.append(100)
    return result, also is base, len(base)


@case(inputs=[(6,), (0,), (1,), (9,)])
def dict_of_results(n):
    """A dict around the recursion has more keys after each call"""
    known = {}

    def fibonacci(k):
        if k in known:
            return known[k]
        if k < 2:
            return k
        known[k] = fibonacci(k - 1) + fibonacci(k - 2)
        return known[k]

    return fibonacci(n), len(known)


@case(inputs=[(POSITIVE, 4), (NEGATIVE, 0), (POSITIVE, -1), (NEGATIVE, 9)])
def tensors_in_a_longer_list(x, n):
    """Tensors are collected on the way down"""

    def go(k, rows):
        if k >= n:
            return rows
        return go(k + 1, [*rows, x * k])

    return torch.stack(go(0, [x]))


@case(inputs=[(4,), (0,)], refused="DYCL023", slow=True)
def texts_among_numbers(n):
    """A list that holds texts and numbers by turns cannot be of any length"""

    def go(k, items):
        if k <= 0:
            return items
        return go(k - 1, items + ([k] if k % 2 else ["even"]))

    return go(n, [])


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class LayersOneByOne(nn.Module):
    """A recursion over layers, whose depth is known, stays a line of layers"""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(8))

    def go(self, i, h, taken):
        if i == len(self.layers):
            return taken
        h = self.layers[i](h)
        if h.sum() > 0:
            h = torch.relu(h)
        return self.go(i + 1, h, [*taken, h])

    def forward(self, x):
        return self.go(0, x, [])


class _Coded:
    def __init__(self, weight, symbol=None, left=None, right=None):
        self.weight, self.symbol, self.left, self.right = weight, symbol, left, right

    def __lt__(self, other):
        return self.weight < other.weight


@case(inputs=[(POSITIVE,), (MIXED,), (POSITIVE.flip(1),)])
def codes_of_a_tree(x):
    """A recursion hands a longer text to each of two calls: the codes of a tree."""
    heap = [_Coded(float(v), n) for n, v in enumerate(x.flatten().exp())]
    heapq.heapify(heap)
    while len(heap) > 1:
        one, other = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, _Coded(one.weight + other.weight, None, one, other))
    codes = {}

    def walk(node, code):
        if node.symbol is not None:
            codes[node.symbol] = code
            return
        walk(node.left, code + "0")
        walk(node.right, code + "1")

    walk(heap[0], "")
    return codes


@case(inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE * 9,)])
def indented(x):
    """Each depth writes its line behind a longer margin."""
    lines = []

    def show(number, margin):
        lines.append(margin + f"{number:.2f}")
        if number > 1:
            show(number / 2, margin + "  ")

    show(float(x.sum()), "")
    return lines


@case(inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE * 9,)])
def longer_result(x):
    """The text that is given back is longer for every depth, and a known one decides at first."""

    def digits(number, text=""):
        if text == "" and number < 1:
            return "none"
        return text if number < 1 else digits(number // 2, str(number % 2) + text)

    return digits(int(x.sum()))


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL023")
def longer_name(x):
    """A text that grows names an attribute"""

    def find(number, name):
        if number > 2:
            return find(number - 1, name + "T")  # <- refused
        return getattr(x, name).sum()

    return find(float(x.sum()), "m")
