"""``dycl verify``: does the host do what the original does?"""

from pathlib import Path

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


@click.command(
    help="Run the original and its host package on the same inputs and report what differs. "
    "Exit code 1 if anything does. FILE may define sample_inputs(count, seed), realistic inputs "
    f"that take different paths, and decide(outputs), the decision in an output.\n\n{TARGET_HELP}",
    short_help="Compare a host package with its original: correctness.",
    epilog="Example:  dycl verify zoo/skipnet.py skipnet_dycl --count 200 --baseline trace",
)
@target_argument
@host_argument
@model_options
@sample_options(count=100)
@click.option(
    "--baseline",
    type=click.Choice(["trace"]),
    help="Show torch.jit.trace of the same model on the same inputs beside it.",
)
@json_option
def verify(
    target: str,
    host: Path,
    method: str,
    specs: tuple[str, ...],
    weights: Path | None,
    count: int,
    seed: int,
    baseline: str | None,
    json_file: Path | None,
) -> int:
    """Verify and print the report."""
    from dycl.cli.model import load_host, load_target
    from dycl.cli.writing import write_text
    from dycl.user_inputs import sample_inputs
    from dycl.verification import verify as verify_host
    from dycl.verification.rendering import render_report

    found = load_target(target, method, weights)
    compiled = load_host(host)
    samples = sample_inputs(found, specs, count, seed)
    with counting("verifying") as progress:
        report = verify_host(
            found.model,
            compiled,
            samples.inputs,
            method=method,
            decide=getattr(found.module, "decide", None),
            baseline=baseline,
            source=samples.source,
            progress=progress,
        )
    show(render_report(report))
    if json_file is not None:
        write_text(json_file, report.to_json())
    return 0 if report.passed else 1
