"""Backends side by side on the zoo, in one run: correctness, then latency.

    python -m benchmarks.backends                        # every model, every backend
    python -m benchmarks.backends --models SkipNet-38 --backend tvm --backend tvm:tune=64
    python -m benchmarks.backends --report               # the tables of what was measured before

A backend is a name as for `dycl compile --backend`, with its options after a colon
(`tvm:processor=portable`; `tune` is the number of trials). Each package is verified before it
is measured. Contenders take short turns in shuffled order on the same input. What is done is
kept in ``build/benchmarks``: an interrupted run goes on where it was.
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
from dycl.benchmark import BenchmarkOptions, Latency, benchmark_hosts
from dycl.contenders import EAGER
from dycl.errors import UserError
from dycl.verification import verify
from rewriter.diagnostics import CompileError
from zoo.catalog import CATALOG, Entry

BACKENDS = ("tvm", "tvm:tune=64", "onnxruntime", "openvino", "inductor")
"""What is compared without ``--backend``."""


def main() -> int:
    """Measure what was not measured yet, then print tables."""
    arguments = _arguments()
    torch.set_num_threads(1)
    specs = tuple(arguments.backend or BACKENDS)
    if unknown := set(arguments.models) - {entry.name for entry in CATALOG}:
        _say(f"no model is called {min(unknown)!r}")
        return 2
    chosen = [entry for entry in CATALOG if not arguments.models or entry.name in arguments.models]
    results = Results("backends_" + "_".join(spec.replace(":", "_") for spec in specs))
    if not arguments.report:
        for entry in track(chosen, "measuring"):
            if arguments.again or results.read(entry.name) is None:
                results.write(entry.name, examine(entry, specs, arguments))
    read = {entry.name: results.read(entry.name) for entry in chosen}
    found = {name: each for name, each in read.items() if each is not None}
    print(report(found, specs))
    return 0 if all(p["passed"] for f in found.values() for p in f["packages"].values()) else 1


def examine(entry: Entry, specs: Sequence[str], arguments: argparse.Namespace) -> dict[str, Any]:
    """Compile one model with each backend, verify and measure."""
    model = entry.build()
    inputs = entry.sample_inputs(max(arguments.count, arguments.inputs), 0)
    hosts: dict[str, dycl.CompiledModel] = {}
    packages: dict[str, Any] = {}
    refused: dict[str, str] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        for number, spec in enumerate(specs):
            begin = time.perf_counter()
            try:
                host = compile_with(spec, entry, model, Path(directory, f"host_{number}"))
            except (CompileError, UserError) as error:
                refused[spec] = str(error).splitlines()[0]
                _say(f"{entry.name}, {spec}: {refused[spec]}")
                continue
            seconds = time.perf_counter() - begin
            packages[spec] = _verified(entry, model, host, inputs[: arguments.count], seconds)
            _say(
                f"{entry.name}, {spec}: {seconds:.0f} s to compile, {_correctness(packages[spec])}"
            )
            hosts[spec] = host
        options = BenchmarkOptions(rounds=arguments.rounds)
        measured = inputs[: arguments.inputs]
        times = benchmark_hosts(model, hosts, measured, method=entry.method, options=options)
    return {
        "packages": packages,
        "refused": refused,
        "milliseconds": {name: _summary([t[name] for t in times]) for name in (EAGER, *hosts)},
        "machine": machine(),
    }


def _verified(
    entry: Entry, model: object, host: dycl.CompiledModel, inputs: Sequence[Any], seconds: float
) -> dict[str, Any]:
    """Return what a package does beside its original."""
    found = verify(model, host, inputs, method=entry.method, decide=entry.decide)
    return {
        "passed": found.passed,
        "inputs": len(inputs),
        "inconsistent_rate": found.host.inconsistent_rate,
        "log_error": found.host.log_error,
        "compile_seconds": round(seconds, 1),
        "tuning": {
            name: backend["tuning"]["summary"]
            for name, backend in host.manifest["backends"].items()
            if "tuning" in backend
        },
    }


def _summary(times: Sequence[Latency]) -> dict[str, Any]:
    """Return the median over inputs, with the quartiles of the calls."""
    return {
        "median": statistics.median(one.median for one in times),
        "quartiles": [
            statistics.median(one.lower_quartile for one in times),
            statistics.median(one.upper_quartile for one in times),
        ],
        "inputs": [one.median for one in times],
    }


def report(found: Mapping[str, Mapping[str, Any]], specs: Sequence[str]) -> str:
    """Return the tables in Markdown."""
    return "\n\n".join([_correctness_table(found, specs), _latency_table(found, specs)])


def _correctness_table(found: Mapping[str, Mapping[str, Any]], specs: Sequence[str]) -> str:
    rows = [
        [name, *(_correctness(each["packages"].get(spec)) for spec in specs)]
        for name, each in found.items()
    ]
    return as_markdown(["inconsistent rate / log10 of the error", *specs], rows)


def _correctness(package: Mapping[str, Any] | None) -> str:
    if package is None:
        return "-"
    failed = "" if package["passed"] else " (differs)"
    return f"{package['inconsistent_rate']:.1%} / {package['log_error']:.1f}{failed}"


def _latency_table(found: Mapping[str, Mapping[str, Any]], specs: Sequence[str]) -> str:
    rows = [
        [name, *(_latency(each, contender) for contender in (EAGER, *specs))]
        for name, each in found.items()
    ]
    rows.append(["of eager, geometric mean", "1.00x", *(_mean_ratio(found, s) for s in specs)])
    return as_markdown(["milliseconds, median (quartiles)", EAGER, *specs], rows)


def _latency(each: Mapping[str, Any], contender: str) -> str:
    if contender in each["refused"]:
        return "refused"
    times = each["milliseconds"].get(contender)
    if times is None:
        return "-"
    low, high = times["quartiles"]
    return f"{times['median']:.3f} ({low:.3f}-{high:.3f})"


def _mean_ratio(found: Mapping[str, Mapping[str, Any]], spec: str) -> str:
    """Return how long a call takes of eager's time, over the models that the backend takes."""
    times = [e["milliseconds"] for e in found.values() if spec in e["milliseconds"]]
    ratios = [each[spec]["median"] / each[EAGER]["median"] for each in times]
    return f"{geometric_mean(ratios):.2f}x ({len(ratios)} models)" if ratios else "-"


def compile_with(
    spec: str, entry: Entry, model: torch.nn.Module, output: Path
) -> dycl.CompiledModel:
    """Compile a zoo model with the backend and the options that a spec names."""
    name, _, rest = spec.partition(":")
    if name == "auto":
        name, rest = spec, ""
    pairs = [option.partition("=") for option in rest.split(",") if option]
    options = {name: value for name, _, value in pairs}
    trials = int(options.pop("tune", 0))
    return dycl.compile(
        model,
        entry.example_inputs(),
        method=entry.method,
        backend=name,
        output=output,
        options=dycl.CompileOptions(backend_options=tuple(options.items()), tune=trials),
        sample_inputs=entry.sample_inputs(_COUNTED, 1) if trials else None,
    )


_COUNTED = 30
"""Inputs by which tuning counts how often sub-DNNs run; others than those that are measured."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Backends side by side on the zoo.")
    parser.add_argument("--backend", action="append", help="repeat for more; all without")
    parser.add_argument("--models", nargs="*", default=[], help="names of the zoo; all without")
    parser.add_argument("--count", type=int, default=20, help="inputs to verify")
    parser.add_argument("--inputs", type=int, default=6, help="inputs to measure")
    parser.add_argument("--rounds", type=int, default=5, help="turns per contender and input")
    parser.add_argument("--again", action="store_true", help="measure what was measured before")
    parser.add_argument("--report", action="store_true", help="measure nothing, print tables")
    return parser.parse_args()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
