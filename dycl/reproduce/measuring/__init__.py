"""What a cell's process does: one file per measurement, each with ``measure(subject)``."""

from dycl.reproduce.measuring import ablation, batching, correctness, latency, overhead
from dycl.reproduce.measuring.subject import Measure

MEASUREMENTS: dict[str, Measure] = {
    "correctness": correctness.measure,
    "latency": latency.measure,
    "ablation": ablation.measure,
    "overhead": overhead.measure,
    "batching": batching.measure,
}
"""By the names that cells use."""
