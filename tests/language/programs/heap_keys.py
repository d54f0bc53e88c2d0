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
