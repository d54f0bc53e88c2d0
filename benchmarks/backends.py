"""Backends side by side on the zoo, in one run: correctness, then latency.

    python benchmarks/backends.py --backend onnxruntime --backend openvino --models SkipNet-38

A backend is a name as for `dycl compile --backend`, with its options after a colon
(`tvm:processor=portable`). Each package is verified before it is measured. Contenders take
short turns in shuffled order on the same input; the table has medians over inputs.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

import dycl
from dycl.benchmark import BenchmarkOptions, benchmark_hosts
from dycl.contenders import EAGER
from dycl.errors import UserError
from dycl.verification import verify
from dycl.verification.side_by_side import SideBySide
from rewriter.diagnostics import CompileError
from zoo.catalog import CATALOG, Entry


def main() -> int:
    """Parse the command line, run, print two tables in Markdown."""
    arguments = _arguments()
    torch.set_num_threads(1)
    rows: dict[str, dict[str, str]] = {}
    reports: dict[str, dict[str, Any]] = {}
    for entry in CATALOG:
        if not arguments.models or entry.name in arguments.models:
            reports[entry.name], rows[entry.name] = run(entry, arguments)
    together = SideBySide(reports=reports)
    names = [EAGER, *arguments.backend]
    print(
        "\n" + _table("inconsistent rate / log10 of the error", arguments.backend, reports, _cell)
    )
    print("\n" + _table("milliseconds, median over inputs", names, rows, str))
    if arguments.json is not None:
        content = {"verification": json.loads(together.to_json()), "milliseconds": rows}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return 0 if together.passed else 1


def run(entry: Entry, arguments: argparse.Namespace) -> tuple[dict[str, Any], dict[str, str]]:
    """Compile one model with each backend, verify and measure."""
    model, _ = entry.prepare()
    inputs = entry.module.sample_inputs(arguments.count, 0)
    decide = getattr(entry.module, "decide", None)
    hosts: dict[str, dycl.CompiledModel] = {}
    reports: dict[str, Any] = {}
    row: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as directory:
        for spec in arguments.backend:
            begin = time.perf_counter()
            output = Path(directory) / f"host_{len(hosts) + len(row)}"
            try:
                hosts[spec] = compile_with(spec, entry, model, inputs[0], output)
            except (CompileError, UserError) as error:
                row[spec] = "refused"
                _say(f"{entry.name}, {spec}: {str(error).splitlines()[0]}")
                continue
            seconds = time.perf_counter() - begin
            report = verify(model, hosts[spec], inputs, method=entry.method, decide=decide)
            reports[spec] = report
            _say(f"{entry.name}, {spec}: compiled in {seconds:.0f} s, {_cell(report)}")
        found = benchmark_hosts(
            model,
            hosts,
            inputs[: arguments.inputs],
            method=entry.method,
            options=BenchmarkOptions(rounds=arguments.rounds),
        )
    for name in (EAGER, *hosts):
        row[name] = f"{statistics.median(one[name].median for one in found):.2f}"
    _say(f"{entry.name}: {row}")
    return reports, row


def compile_with(
    spec: str, entry: Entry, model: torch.nn.Module, example: Any, output: Path
) -> dycl.CompiledModel:
    """Compile a zoo model with the backend and the options that a spec names."""
    name, _, rest = spec.partition(":")
    if name == "auto":
        name, rest = spec, ""
    options = [option.partition("=") for option in rest.split(",") if option]
    example = example if isinstance(example, tuple) else (example,)
    return dycl.compile(
        model,
        example,
        method=entry.method,
        backend=name,
        output=output,
        options=dycl.CompileOptions(
            backend_options=tuple((name, value) for name, _, value in options)
        ),
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", action="append", required=True, help="repeat for more")
    parser.add_argument("--models", nargs="*", help="names of the zoo; all of it without")
    parser.add_argument("--count", type=int, default=100, help="inputs to verify")
    parser.add_argument("--inputs", type=int, default=10, help="inputs to measure")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _cell(report: Any) -> str:
    if report is None:
        return "-"
    host = report.host
    failed = "" if host.passed else " (differs)"
    return f"{host.inconsistent_rate:.1%} / {host.log_error:.1f}{failed}"


def _table(title: str, names: list[str], rows: dict[str, dict[str, Any]], text: Any) -> str:
    lines = [f"| {title} | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for model, row in rows.items():
        cells = (text(row.get(name)) if name in row else "-" for name in names)
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
