"""Processor time of calls that take turns: other work on the machine counts less."""

import statistics
import time
from collections.abc import Callable

ROUNDS, SECONDS = 15, 0.02


def measure(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median processor time of each call, in microseconds."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    counts: dict[str, int] = {}
    for name, call in calls.items():
        call()
        start = time.thread_time()
        call()
        counts[name] = max(1, round(SECONDS / max(time.thread_time() - start, 1e-6)))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.thread_time()
            for _ in range(counts[name]):
                call()
            times[name].append((time.thread_time() - start) / counts[name])
    return {name: statistics.median(values) * 1e6 for name, values in times.items()}
