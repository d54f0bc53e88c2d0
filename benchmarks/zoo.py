"""Every model of the zoo: latency beside eager, torch.compile and the oracle, as Python host and as
one ONNX file; compile time.

    python -m benchmarks.zoo                       # all models, one thread
    python -m benchmarks.zoo --models SkipNet-38 --threads 2
    python -m benchmarks.zoo --report              # tables and plot of what was measured before

Each model is compiled twice by processes of their own, with an empty cache and with the one
that this leaves. Contenders then take short turns in shuffled order on the same input, in one
process; other forms of the package (without block layout, one ONNX file) in a second round, beside
the host. What is done is kept in ``build/benchmarks``: an interrupted run goes on where it was.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from rich.progress import track

import dycl
from benchmarks.results import Results, as_markdown, geometric_mean, machine
from dycl.benchmark import BenchmarkOptions, benchmark, benchmark_hosts
from dycl.contenders import COMPILE, EAGER, HOST, ORACLE
from rewriter.diagnostics import CompileError
from zoo.catalog import CATALOG, Entry

AGAINST = (ORACLE, COMPILE)


def main() -> int:
    """Measure what was not measured yet, then print tables."""
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    results = Results(f"zoo_{arguments.threads}")
    chosen = [entry for entry in CATALOG if not arguments.models or entry.name in arguments.models]
    if unknown := set(arguments.models) - {entry.name for entry in CATALOG}:
        names = ", ".join(entry.name for entry in CATALOG)
        print(f"no model is called {min(unknown)!r}; there are: {names}", file=sys.stderr)
        return 2
    if not arguments.report:
        for entry in track(chosen, "measuring"):
            if arguments.again or results.read(entry.name) is None:
                results.write(entry.name, examine(entry, arguments))
    found = {entry.name: results.read(entry.name) for entry in chosen}
    print(report({name: each for name, each in found.items() if each is not None}))
    return 0


def examine(entry: Entry, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return compile times and latencies of one model, or why there are none."""
    with tempfile.TemporaryDirectory() as directory:
        host, cache = Path(directory) / "host_dycl", Path(directory) / "cache"
        try:
            cold = compile_in_process(entry, host, cache, arguments.threads)
            warm = compile_in_process(entry, host, cache, arguments.threads)
        except subprocess.CalledProcessError as error:
            return {"failure": error.stderr.strip().splitlines()[-1], "machine": machine()}
        latency = benchmark(
            entry.build(),
            dycl.load(host),
            entry.sample_inputs(arguments.inputs, 0),
            method=entry.method,
            options=BenchmarkOptions(rounds=arguments.rounds),
            decide=entry.decide,
            against=[name for name in AGAINST if name not in arguments.without],
        )
        forms = compare_forms(entry, dycl.load(host), Path(directory), arguments)
    return {
        "cold": cold,
        "warm": warm,
        "latency": json.loads(latency.to_json()),
        "forms": forms,
        "machine": machine(),
    }


FORMS: Mapping[str, Mapping[str, Any]] = {
    "block_layout=off": {"backend_options": (("block_layout", "off"),)},
    "one ONNX": {"host_mode": "ifs"},
}
"""Other packages of a model, by the options that make them."""


def compare_forms(
    entry: Entry, host: dycl.CompiledModel, directory: Path, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Return the latency of other forms as a ratio to the host's, or why there is none."""
    model = entry.build()
    hosts, found = {HOST: host}, {}
    for number, (name, given) in enumerate(FORMS.items()):
        options: Any = {**given, "threads": arguments.threads}
        try:
            hosts[name] = dycl.compile(
                model,
                entry.example_inputs(),
                method=entry.method,
                output=directory / f"form_{number}",
                options=dycl.CompileOptions(**options),
            )
        except CompileError as error:
            found[name] = str(error).splitlines()[0]
    times = benchmark_hosts(
        model,
        hosts,
        entry.sample_inputs(arguments.inputs, 0),
        method=entry.method,
        options=BenchmarkOptions(rounds=arguments.rounds),
    )
    ratios = {
        name: geometric_mean(one[name].median / one[HOST].median for one in times)
        for name in hosts
        if name != HOST
    }
    return {**found, **ratios}


def compile_in_process(
    entry: Entry, host: Path, cache: Path, threads: int = 1, without: Sequence[str] = ()
) -> dict[str, Any]:
    """Compile a model as a user at the command line does; return what ``compile_once`` says."""
    command = [sys.executable, "-m", "benchmarks.compile_once", entry.name, str(host)]
    command += ["--threads", str(threads)]
    for name in without:
        command += ["--without", name]
    environment = {**os.environ, "DYCL_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def report(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the tables in Markdown."""
    failed = [f"{name}: {each['failure']}" for name, each in found.items() if "failure" in each]
    measured = {name: each for name, each in found.items() if "failure" not in each}
    parts = [_latencies(measured), _compilations(measured), *failed]
    return "\n\n".join(parts)


def _latencies(found: Mapping[str, Mapping[str, Any]]) -> str:
    rows = []
    ratios: dict[str, list[float]] = {}
    for name, each in found.items():
        latency = each["latency"]
        cells = [name]
        for contender in (HOST, EAGER, COMPILE, ORACLE):
            if contender not in latency["ratio_to_host"]:
                cells.append("-")
                continue
            median = geometric_mean(line[contender]["median"] for line in latency["milliseconds"])
            ratio = latency["ratio_to_host"][contender]
            cells.append(f"{median:.3f}" + ("" if contender == HOST else f" ({ratio:.2f}x)"))
            ratios.setdefault(contender, []).append(ratio)
        for form in FORMS:
            ratio = each["forms"][form]
            cells.append("refused" if isinstance(ratio, str) else f"({ratio:.2f}x)")
            if not isinstance(ratio, str):
                ratios.setdefault(form, []).append(ratio)
        rows.append(cells)
    means = [
        f"{geometric_mean(ratios[c]):.2f}x" if c in ratios else "-"
        for c in (EAGER, COMPILE, ORACLE, *FORMS)
    ]
    rows.append(["geometric mean", "1.00x", *means])
    head = ["milliseconds (of the host's)", "dycl", "eager", "torch.compile", "oracle", *FORMS]
    return as_markdown(head, rows)


def _compilations(found: Mapping[str, Mapping[str, Any]]) -> str:
    rows = []
    for name, each in found.items():
        cold, warm = each["cold"], each["warm"]
        stages = [f"{seconds:.1f}" for seconds in cold["stages"].values()]
        rows.append(
            [
                name,
                str(cold["subdnns"]),
                str(cold["structures"]),
                f"{cold['seconds']['compile']:.1f}",
                *stages,
                f"{warm['seconds']['compile']:.1f}",
                f"{cold['bytes'] / cold['weights']:.2f}",
            ]
        )
    stages = list(next(iter(found.values()))["cold"]["stages"]) if found else []
    head = ["seconds", "sub-DNNs", "structures", "cold", *stages, "warm", "package / weights"]
    return as_markdown(head, rows)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Latency and compile time of the zoo.")
    parser.add_argument("--models", nargs="*", default=[], help="names; all without")
    parser.add_argument("--inputs", type=int, default=8, help="inputs per model")
    parser.add_argument("--rounds", type=int, default=5, help="turns per contender and input")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--without", nargs="*", default=[], choices=AGAINST)
    parser.add_argument("--again", action="store_true", help="measure what was measured before")
    parser.add_argument("--report", action="store_true", help="measure nothing, print tables")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
