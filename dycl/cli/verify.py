"""``dycl verify``: does the host do what the original does?"""

from pathlib import Path

import rich_click as click
from rich.console import RenderableType

from dycl.cli.console import as_html, counting, show
from dycl.cli.options import (
    TARGET_HELP,
    hosts_argument,
    json_option,
    model_options,
    sample_options,
    target_argument,
)


@click.command(
    help="Run the original and its host package on the same inputs and report what differs; "
    "several packages, such as those of several backends, side by side. "
    "Exit code 1 if anything does. FILE may define sample_inputs(count, seed), realistic inputs "
    f"that take different paths, and decide(outputs), the decision in an output.\n\n{TARGET_HELP}",
    short_help="Compare a host package with its original: correctness.",
    epilog="Example:  dycl verify zoo/skipnet.py skipnet_dycl --count 200 --baseline trace",
)
@target_argument
@hosts_argument
@model_options
@sample_options(count=100)
@click.option(
    "--baseline",
    type=click.Choice(["trace"]),
    help="Show torch.jit.trace of the same model on the same inputs beside it.",
)
@json_option
@click.option(
    "--html",
    "html_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the report as one page of HTML too.",
)
def verify(
    target: str,
    hosts: tuple[Path, ...],
    method: str,
    specs: tuple[str, ...],
    weights: Path | None,
    count: int,
    seed: int,
    baseline: str | None,
    json_file: Path | None,
    html_file: Path | None,
) -> int:
    """Verify and print the report."""
    from dycl.cli.host import load_host
    from dycl.cli.model import load_target
    from dycl.cli.writing import write_text
    from dycl.user_inputs import sample_inputs, varying_sizes
    from dycl.verification import verify as verify_host
    from dycl.verification.rendering import render_report
    from dycl.verification.side_by_side import SideBySide, package_names, render_side_by_side

    found = load_target(target, method, weights)
    packages = {str(host): load_host(host) for host in hosts}
    samples = sample_inputs(found, specs, count, seed)
    reports, shown = [], list[RenderableType]()
    for name, package in packages.items():
        with counting(f"verifying {name}") as progress:
            report = verify_host(
                found.model,
                package,
                samples.inputs,
                method=method,
                decide=getattr(found.module, "decide", None),
                baseline=baseline,
                source=samples.source,
                dynamic_shapes=varying_sizes(found, specs),
                progress=progress,
            )
        shown.append(render_report(report))
        show(shown[-1])
        reports.append(report)
    text = reports[0].to_json()
    if len(reports) > 1:
        names = package_names([p.manifest for p in packages.values()], list(packages))
        together = SideBySide(reports={reports[0].name: dict(zip(names, reports, strict=True))})
        shown.append(render_side_by_side(together))
        show(shown[-1])
        text = together.to_json()
    if json_file is not None:
        write_text(json_file, text)
    if html_file is not None:
        write_text(html_file, as_html(shown))
    return 0 if all(report.passed for report in reports) else 1
