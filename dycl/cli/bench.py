"""``dycl bench``: how fast is the host beside eager PyTorch?"""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from dycl.cli.console import counting, show
from dycl.cli.options import (
    TARGET_HELP,
    host_argument,
    json_option,
    model_options,
    sample_options,
    target_argument,
)

if TYPE_CHECKING:
    from rich.table import Table

    from dycl.benchmark import BenchmarkReport


@click.command(
    help="Measure the latency of eager PyTorch, the host and others, interleaved, per input.\n\n"
    "*trace* computes one path only; the table says for how many inputs it is wrong. *oracle* is "
    "a static ONNX graph of each input's own path on ONNX Runtime: what the best host could "
    f"reach. *torch.compile* runs in its default mode, warm.\n\n{TARGET_HELP}",
    short_help="Compare a host package with eager PyTorch: latency.",
    epilog="Example:  dycl bench zoo/skipnet.py skipnet_dycl --against oracle",
)
@target_argument
@host_argument
@model_options
@sample_options(count=10)
@click.option(
    "--rounds",
    default=5,
    show_default=True,
    type=click.IntRange(min=1),
    help="Turns of each contender on each input.",
)
@click.option(
    "--against",
    multiple=True,
    type=click.Choice(["trace", "torch.compile", "oracle"]),
    default=("trace",),
    show_default=True,
    help="What to measure beside eager PyTorch. Repeat for more.",
)
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads of PyTorch.")
@json_option
def bench(
    target: str,
    host: Path,
    method: str,
    specs: tuple[str, ...],
    weights: Path | None,
    count: int,
    seed: int,
    rounds: int,
    against: tuple[str, ...],
    threads: int | None,
    json_file: Path | None,
) -> None:
    """Measure and print."""
    import torch

    from dycl.benchmark import BenchmarkOptions, benchmark
    from dycl.cli.host import load_host
    from dycl.cli.model import load_target
    from dycl.cli.writing import write_text
    from dycl.user_inputs import sample_inputs

    if threads is not None:
        torch.set_num_threads(threads)
    found = load_target(target, method, weights)
    compiled = load_host(host)
    samples = sample_inputs(found, specs, count, seed)
    with counting("measuring") as progress:
        report = benchmark(
            found.model,
            compiled,
            samples.inputs,
            method=method,
            options=BenchmarkOptions(rounds=rounds),
            decide=getattr(found.module, "decide", None),
            against=tuple(dict.fromkeys(against)),
            progress=progress,
        )
    show(_table(report))
    if json_file is not None:
        write_text(json_file, report.to_json())


def _table(report: "BenchmarkReport") -> "Table":
    from rich.markup import escape
    from rich.table import Table

    caption = f"PyTorch threads: {report.threads}"
    for name, reason in report.failures.items():
        caption += f"; {name} fails: {reason}"
    if report.raising:
        caption += f"; {report.raising} inputs left out because the model raises on them"
    table = Table(
        title=f"{escape(report.name)}: milliseconds, median (quartiles)",
        title_justify="left",
        caption=escape(caption),
    )
    table.add_column("input", justify="right")
    for name in report.contenders:
        table.add_column(escape(report.label(name)), justify="right")
    for index, entry in enumerate(report.inputs):
        cells = (
            f"{entry[name].median:.3f} "
            f"({entry[name].lower_quartile:.3f}-{entry[name].upper_quartile:.3f})"
            for name in report.contenders
        )
        table.add_row(str(index), *cells)
    table.add_section()
    table.add_row("of the host's", *(f"{report.ratio(name):.2f}x" for name in report.contenders))
    return table
