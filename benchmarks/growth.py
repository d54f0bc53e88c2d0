"""How compilation grows with the network: SkipNets of 38, 74, 110 and 152 layers.

    python -m benchmarks.growth                  # cold and warm, each in a process of its own
    python -m benchmarks.growth --report         # table and plot of what was measured before

The plot is ``build/benchmarks/growth.svg``. What is done is kept in ``build/benchmarks``: an
interrupted run goes on where it was.
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from rich.progress import track

from benchmarks.results import BUILD, Results, as_markdown, machine
from benchmarks.zoo import compile_in_process
from zoo.catalog import GROWTH, Entry
from zoo.skipnet import CONFIGS


def main() -> int:
    """Measure what was not measured yet, then print the table and draw the plot."""
    parser = argparse.ArgumentParser(description="Compile SkipNets of growing depth.")
    parser.add_argument("--again", action="store_true", help="measure what was measured before")
    parser.add_argument("--report", action="store_true", help="measure nothing, print the table")
    arguments = parser.parse_args()
    results = Results("growth")
    if not arguments.report:
        for entry in track(GROWTH, "compiling"):
            if arguments.again or results.read(entry.name) is None:
                results.write(entry.name, examine(entry))
    read = {entry.name: results.read(entry.name) for entry in GROWTH}
    found = {name: each for name, each in read.items() if each is not None}
    print(report(found))
    print(f"plot: {plot(found)}", file=sys.stderr)
    return 0


def examine(entry: Entry) -> dict[str, Any]:
    """Compile one network with an empty cache, and with what this leaves."""
    with tempfile.TemporaryDirectory() as directory:
        host, cache = Path(directory) / "host_dycl", Path(directory) / "cache"
        cold = compile_in_process(entry, host, cache)
        warm = compile_in_process(entry, host, cache)
    return {"blocks": blocks(entry), "cold": cold, "warm": warm, "machine": machine()}


def blocks(entry: Entry) -> int:
    """Return the number of residual blocks, one decision each but for the first."""
    depth = int(entry.name.partition("-")[2])
    layers, _ = CONFIGS[depth]
    assert isinstance(layers, list)
    return sum(layers)


def report(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table in Markdown."""
    stages = list(next(iter(found.values()))["cold"]["stages"]) if found else []
    head = ["seconds", "blocks", "sub-DNNs", "cold", "per block", *stages, "warm", "megabytes"]
    rows = []
    for name, each in found.items():
        cold, seconds = each["cold"], each["cold"]["seconds"]["compile"]
        rows.append(
            [
                name,
                str(each["blocks"]),
                str(cold["subdnns"]),
                f"{seconds:.1f}",
                f"{seconds / each['blocks']:.2f}",
                *(f"{cold['stages'][stage]:.1f}" for stage in stages),
                f"{each['warm']['seconds']['compile']:.1f}",
                f"{cold['bytes'] / 1e6:.1f} ({cold['bytes'] / cold['weights']:.2f}x weights)",
            ]
        )
    return as_markdown(head, rows)


def plot(found: Mapping[str, Mapping[str, Any]]) -> Path:
    """Draw seconds over blocks; return the file."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    numbers = [each["blocks"] for each in found.values()]
    for temperature in ("cold", "warm"):
        seconds = [each[temperature]["seconds"]["compile"] for each in found.values()]
        axes.plot(numbers, seconds, marker="o", label=f"compilation, {temperature} cache")
    axes.set(xlabel="residual blocks", ylabel="seconds", xlim=(0, None), ylim=(0, None))
    axes.legend()
    file = BUILD / "growth.svg"
    figure.savefig(file)
    return file


if __name__ == "__main__":
    sys.exit(main())
