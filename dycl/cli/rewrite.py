"""``dycl rewrite``: show the rewritten program."""

from pathlib import Path

import rich_click as click

from dycl.cli.console import output, working
from dycl.cli.options import TARGET_HELP, model_options, target_argument


@click.command(
    help=f"Print the partially evaluated program as runnable PyTorch.\n\n{TARGET_HELP}",
    short_help="Print the partially evaluated program as runnable PyTorch.",
    epilog="Example:  dycl rewrite zoo/skipnet.py",
)
@target_argument
@model_options
def rewrite(target: str, method: str, specs: tuple[str, ...], weights: Path | None) -> None:
    """Rewrite and print."""
    import dycl
    from dycl.cli.model import load_model

    model = load_model(target, method, specs, weights)
    with working("rewriting"):
        program = dycl.rewrite(
            model.compile_target,
            model.example.inputs,
            method=method,
            dynamic_shapes=model.example.dynamic_shapes,
        )
        source = program.source
    console = output()
    if not console.is_terminal:
        print(source)
        return
    from rich.syntax import Syntax

    console.print(Syntax(source, "python", background_color="default"))
