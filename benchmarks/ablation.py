"""What each pass is good for: the zoo's networks compiled with one pass after the other off.

    python -m benchmarks.ablation                          # the four families, every pass
    python -m benchmarks.ablation --models SkipNet-38 --passes duplicate-tails
    python -m benchmarks.ablation --report                 # the table of what was measured before

All packages of a model take short turns in shuffled order on the same input, in one process.
Calls are sub-DNNs per inference. What is done is kept in ``build/benchmarks``: an interrupted
run goes on where it was.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from rich.progress import track

import dycl
from benchmarks.results import Results, as_markdown, geometric_mean, machine
from dycl.benchmark import BenchmarkOptions, benchmark_hosts
from dycl.verification.observation import PathRecord
from hcfg.passes import PASS_NAMES
from zoo.catalog import CATALOG, Entry

FAMILIES = (
    "SkipNet-38",
    "SkipNet-38, recurrent gates",
    "BlockDrop ResNet-32",
    "Shallow-deep ResNet-56",
    "Captioner, greedy",
)
"""One model of each kind, without ``--models``."""

ALL = "all passes"


def main() -> int:
    """Measure what was not measured yet, then print tables."""
    arguments = _arguments()
    torch.set_num_threads(1)
    entries = {entry.name: entry for entry in CATALOG}
    if unknown := set(arguments.models) - set(entries):
        print(f"no model is called {min(unknown)!r}; there are: {', '.join(entries)}")
        return 2
    results = Results("ablation")
    chosen = arguments.models or FAMILIES
    if not arguments.report:
        for name in track(chosen, "measuring"):
            if arguments.again or results.read(name) is None:
                results.write(name, examine(entries[name], arguments))
    read = {name: results.read(name) for name in chosen}
    print(report({name: each for name, each in read.items() if each is not None}))
    return 0


def examine(entry: Entry, arguments: argparse.Namespace) -> dict[str, Any]:
    """Compile one model with all passes and without each; measure all side by side."""
    model = entry.build()
    inputs = entry.sample_inputs(arguments.inputs, 0)
    variants: dict[str, dict[str, Any]] = {}
    hosts: dict[str, dycl.CompiledModel] = {}
    with tempfile.TemporaryDirectory() as directory:
        for number, without in enumerate((ALL, *(arguments.passes or PASS_NAMES))):
            disabled = frozenset() if without == ALL else frozenset({without})
            begin = time.perf_counter()
            host = dycl.compile(
                model,
                entry.example_inputs(),
                method=entry.method,
                output=Path(directory, f"host_{number}"),
                options=dycl.CompileOptions(disabled_passes=disabled),
            )
            assert host.report is not None
            hosts[without] = host
            variants[without] = {
                "seconds": time.perf_counter() - begin,
                "subdnns": host.report.subdnns,
                "structures": host.report.structures,
                "bytes": host.report.bytes,
                "calls": statistics.fmean(_calls(host, given) for given in inputs),
            }
        times = benchmark_hosts(
            model,
            hosts,
            inputs,
            method=entry.method,
            options=BenchmarkOptions(rounds=arguments.rounds),
        )
    for without, variant in variants.items():
        variant["ratio"] = geometric_mean(one[without].median / one[ALL].median for one in times)
    return {"variants": variants, "machine": machine()}


def _calls(host: dycl.CompiledModel, arguments: tuple[Any, ...]) -> int:
    """Return how many sub-DNNs one inference runs."""
    record = PathRecord()
    with host.observe(record):
        host(*arguments)
    return len(record.subdnns)


def report(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a table per model in Markdown."""
    head = ["without", "latency", "calls", "sub-DNNs", "structures", "megabytes"]
    parts = []
    for name, each in found.items():
        rows = [
            [
                without,
                f"{variant['ratio']:.2f}x",
                f"{variant['calls']:.1f}",
                str(variant["subdnns"]),
                str(variant["structures"]),
                f"{variant['bytes'] / 1e6:.2f}",
            ]
            for without, variant in each["variants"].items()
        ]
        parts.append(f"{name}\n\n{as_markdown(head, rows)}")
    return "\n\n".join(parts)


def _arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The zoo without one pass after the other.")
    parser.add_argument("--models", nargs="*", default=[], help="names; one of each kind without")
    parser.add_argument("--passes", nargs="*", default=[], choices=PASS_NAMES)
    parser.add_argument("--inputs", type=int, default=8, help="inputs per model")
    parser.add_argument("--rounds", type=int, default=5, help="turns per package and input")
    parser.add_argument("--again", action="store_true", help="measure what was measured before")
    parser.add_argument("--report", action="store_true", help="measure nothing, print tables")
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main())
