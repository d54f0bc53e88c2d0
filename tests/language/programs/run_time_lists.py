"""Lists that exist at run time only: iteration, comprehensions, order, slices, aliases."""

import collections
import heapq

import torch
from torch import nn

from tests.language.harness import case

TOKENS = [
    (torch.tensor([3, 1, 3, 2, 0]),),
    (torch.tensor([0, 0, 0, 0, 0]),),
    (torch.tensor([1, 2, 3, 4, 5]),),
]


@case(inputs=TOKENS)
def comprehension_over_run_time_list(tokens):
    """A comprehension with filters over a run-time list, nested in another one."""
    kept = []
    for i in range(int(tokens.sum())):
        kept.append(i * i % 11)
    odd = [value for value in kept if value % 2 == 1 if value > 1]
    pairs = [(a, b) for a in odd for b in kept[:2] if a != b]  # known
    return odd, pairs, [len(odd)] * 2


@case(inputs=[(3,), (0,), (1,)])
def zip_enumerate_reversed(n):
    """zip, enumerate and reversed of run-time lists, in loops and comprehensions."""
    items = [i * 3 % 5 for i in range(n)]
    out = []
    for i, (a, b) in enumerate(zip(items, items[1:]), 1):
        out.append(i * a + b)
    back = [value for value in reversed(items)]
    numbered = list(enumerate(back))
    for i in reversed(range(n)):
        out.append(i)
    return out, back, numbered, list(zip(items, back))


@case(inputs=[(4,), (0,), (1,)])
def reductions_of_run_time_lists(n):
    """sum, min, max, any, all with keys and defaults over run-time items."""
    items = [(i * 5) % 7 for i in range(n)]
    total = sum(items)
    largest = max(items, default=-1)
    key = min(items, key=lambda v: (v - 3) ** 2) if items else None
    high = any(value > 4 for value in items)
    low = all(value < 6 for value in items)
    squares = sum(value * value for value in items if value != 5)
    return total, largest, key, high, low, squares, sum(x / 2 for x in items)


@case(inputs=[(4,), (0,), (2,)])
def first_match_of_generator(n):
    """next() of a filtered generator over a run-time list, with and without default."""
    items = [(i * 3) % 5 for i in range(n)]
    where = next((i for i, value in enumerate(items) if value == 1), -1)
    return where, next((v for v in items if v > 1), None), items.index(3) if 3 in items else -1


@case(inputs=[(4,), (1,)])
def next_without_match(n):
    """next() raises StopIteration where nothing matches."""
    items = [i for i in range(n)]
    return next(i for i in items if i > 2)


@case(inputs=[(5,), (0,), (2,)], slow=True)
def sorting_run_time_lists(n):
    """sorted and sort with key, reverse and ties, of numbers, strings and tuples."""
    items = [((i * 3) % 4, -i) for i in range(n)]
    by_first = sorted(items, key=lambda pair: pair[0])
    items.sort(reverse=True)
    words = sorted([str(a) + "x" for a, _ in items], key=len)
    return by_first, items, words, sorted(-b for _, b in items)


@case(inputs=[(3,), (2,), (4,)])
def unpacking_run_time_lists(n):
    """Unpacking checks the run-time length, in Python's words."""
    items = [i for i in range(n)]
    first, *middle, last = items
    a, b, c = items
    return first, middle, last, a, b, c


@case(inputs=[(3,), (0,), (9,)])
def slices_are_assigned_and_deleted(n):
    """Elements and slices of a run-time list are written and deleted."""
    items = [i for i in range(n)]
    items[1:2] = [10, 11]
    items[:0] = items[-1:]
    del items[-1]
    items[0] = 5
    return items, items * 2, [7] + items, items == [5, 10]


@case(inputs=[(1,), (7,), (-2,)])
def index_errors_at_run_time(i):
    """Indices outside of a run-time list raise IndexError, negative ones count from the end."""
    items = list(range(abs(i)))
    return items[i]


@case(inputs=[(3,), (0,)])
def aliases_stay_aliases(n):
    """Two names for one list, and lists in lists, stay one object."""
    rows = []
    last = []
    for i in range(n):
        last = [i]
        rows.append(last)
    last.append(100)
    other = rows
    other.append([7])
    for row in rows:
        row.append(len(rows))
    return rows, last


@case(inputs=[(3,), (0,), (1,)])
def records_are_changed_in_place(n):
    """Dicts in a run-time list are changed through the loop variable."""
    beams = []
    for i in range(n):
        beams.append({"score": float(i), "tokens": [i]})
    for beam in beams:
        beam["score"] *= 2
        beam["tokens"].append(int(beam["score"]))
    best = max(beams, key=lambda b: b["score"]) if beams else None
    return beams, None if best is None else best["tokens"]


@case(inputs=[(3,), (0,), (1,)])
def repeated_in_place(n):
    """`*=` of a list leaves it the same object: by a number of run time, and one of any length"""
    known, rows = [1, 2], [[i] for i in range(n)]
    names = known, rows
    known *= n
    rows *= 2
    for row in rows[:1]:
        row.append(7)
    return known, rows, len(names[0]), names[1] is rows


class _Node:
    """A hypothesis with a score."""

    def __init__(self, score, tokens):
        self.score = score
        self.tokens = tokens
        self.done = False

    def extended(self, token, score):
        """Return a longer hypothesis."""
        return _Node(self.score + score, [*self.tokens, token])

    @property
    def length(self):
        """Return the number of tokens."""
        return len(self.tokens)


@case(inputs=[(3,), (0,), (1,)])
def objects_in_run_time_lists(n):
    """Objects of a class in a run-time list: attributes, methods, properties, writes."""
    nodes = [_Node(0.0, [1])]
    for i in range(n):
        grown = []
        for node in nodes:
            grown.append(node.extended(i, 0.5 * i))
            grown.append(node.extended(i + 1, -0.25 * i))
        nodes = sorted(grown, key=lambda node: node.score, reverse=True)[:2]
        nodes[0].done = nodes[0].length > 2
    return [(node.score, node.tokens, node.done) for node in nodes]


@case(inputs=[(6,), (0,), (2,)], slow=True)
def queues_and_heaps(n):
    """A deque with a bound, and a queue that is worked off."""
    recent = collections.deque(maxlen=3)
    queue = collections.deque([n])
    order = []
    while queue:
        top = queue.popleft()
        recent.append(top)
        order.append(top)
        if top > 1:
            queue.append(top // 2)
            queue.appendleft(top - 2)
    return order, list(recent), len(recent)


@case(inputs=[(5,), (0,), (2,)])
def heap_of_pairs(n):
    """heapq over a run-time list."""
    heap = []
    for i in range(n):
        heapq.heappush(heap, ((i * 7) % 5, i))
    best = heapq.nlargest(2, heap)
    smallest = heapq.heappop(heap) if heap else None
    return heap, best, smallest


@case(inputs=[([1.0, -1.0, 2.0], 0.0), ([-1.0, -2.0, -3.0], 1.0), ([3.0, 2.0, 1.0], -5.0)])
def many_appends_under_tests(values, bound):
    """Twenty dynamic appends: one run-time list, not a million paths."""
    kept = []
    for i in range(20):
        if values[i % 3] * (i + 1) > bound:
            kept.append(i)
        if values[(i + 1) % 3] > i:
            kept.append(-i)
    return kept, len(kept), kept[-1:] or None


@case(inputs=[(torch.arange(6.0), 4.0), (torch.arange(6.0), -1.0), (torch.arange(6.0), 9.0)])
class TensorsInRunTimeLists(nn.Module):
    """Tensors are kept in a run-time list, looped over and folded."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x, bound):
        states = []
        while x.sum().item() > bound and len(states) < 5:
            states.append(x)
            x = self.layer(x).abs() - 0.5
        total = torch.zeros(6)
        for state in reversed(states):
            total = total + state
        scores = [state.mean().item() for state in states]
        best = states[scores.index(max(scores))] if scores else x  # known
        return total, len(states), best, scores
