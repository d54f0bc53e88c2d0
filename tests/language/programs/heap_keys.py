"""The largest and the smallest by a key, of heapq"""

import heapq
from collections import namedtuple


from tests.language.harness import case, noise

Candidate = namedtuple("Candidate", "score tokens")
NAN = float("nan")


@case(inputs=[(noise(3, 4),), (noise(3, 4, seed=2),), (noise(3, 4, seed=5),)])
def beam(x):
    """nlargest by a lambda over candidates of run-time scores; ties go to the earlier one."""
    kept = [Candidate(0.0, [0])]
    for row in x:
        found = []
        for candidate in kept:
            values, places = row.topk(2)
            for value, place in zip(values.tolist(), places.tolist()):
                found.append(Candidate(candidate.score + value, candidate.tokens + [place]))
        kept = heapq.nlargest(2, found, key=lambda c: c.score / len(c.tokens))
    return [c.tokens for c in kept], max(kept, key=lambda c: c.score).tokens


@case(
    inputs=[([3.0, -1.0, 2.0, -2.0], 2), ([1.0, -1.0, 1.0, 0.0], 1), ([0.0] * 4, 3)]
    + [([5.0, 4.0, 1.0, 2.0], 5), ([2.0, 1.0, 0.0, 3.0], 0), ([2.0, 1.0, 2.0, 2.0], -1)]
    + [([NAN, 1.0, -3.0, NAN], 3), ([NAN, 1.0, NAN, 1.0], 4)]
)
def of_run_time_lists(values, n):
    """nsmallest and nlargest of as many as a run-time number says, by abs and by position."""
    kept = [v for v in values if v != 0.0]
    return heapq.nsmallest(n, kept, abs), heapq.nlargest(n, kept, key=lambda v: -v)


@case(inputs=[(noise(4, 3),), (noise(4, 3, seed=2),), (noise(4, 3, seed=5),)])
def best_first(x):
    """A queue begins with one entry, whose list is empty; what is taken out is read in it."""
    queue = [(0.0, [], x[0])]
    for _ in range(6):
        cost, tokens, state = heapq.heappop(queue)
        if tokens and tokens[-1] == 2 or len(tokens) > 3:
            continue
        values, places = state.softmax(-1).topk(2)
        for value, place in zip(values.tolist(), places.tolist()):
            heapq.heappush(queue, (cost - value, tokens + [place], state * value + x[place]))
    return [entry[1] for entry in sorted(queue, key=lambda entry: entry[0])]


@case(inputs=[(noise(2),), (-noise(2).abs(),)])
def of_one_at_most(x):
    """Nothing is compared in heaps of one entry; in one of none the errors are Python's."""
    heap = []
    heapq.heappush(heap, x)
    first = heapq.heappop(heap)
    try:
        heapq.heapreplace(heap, x)
    except IndexError as error:
        text = str(error)
    same = heapq.heappushpop(heap, first * 2)
    if x.sum() > 0:
        heap.append(same)
    heapq.heapify(heap)
    return first, text, same, len(heap)
