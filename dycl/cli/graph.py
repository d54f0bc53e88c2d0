"""``dycl graph``: draw the heterogeneous control-flow graph."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from dycl.cli.console import show_text, working
from dycl.cli.options import TARGET_HELP, model_options, target_argument
from dycl.errors import UserError

if TYPE_CHECKING:
    from hcfg.graph import Hcfg

FORMATS = (".svg", ".html", ".dot", ".json")


@click.command(
    help="Draw the HCFG: sub-DNNs, branches, host code, with the lines they come from.\n\n"
    f"{TARGET_HELP}",
    short_help="Draw the graph of sub-DNNs and branches.",
    epilog="Example:  dycl graph zoo/skipnet.py -o skipnet.svg",
)
@target_argument
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=f"Where to write; the ending chooses the format: {', '.join(FORMATS)}.",
)
@model_options
def graph(
    target: str, file: Path, method: str, specs: tuple[str, ...], weights: Path | None
) -> None:
    """Rewrite, build the graph, run the passes, draw."""
    if file.suffix not in FORMATS:
        raise UserError(f"{file} ends in {file.suffix!r}; expected one of {', '.join(FORMATS)}")
    from dycl.cli.model import load_model
    from dycl.cli.writing import write_text

    model = load_model(target, method, specs, weights)
    from dycl.api import build_graph

    with working("drawing"):
        built = build_graph(
            model.compile_target,
            model.example.inputs,
            method=method,
            dynamic_shapes=model.example.dynamic_shapes,
        )
        text = _draw(built, file.suffix)
    write_text(file, text)
    show_text(f"wrote {file}")


def _draw(built: "Hcfg", suffix: str) -> str:
    from hcfg.draw import to_dot, to_html, to_json, to_svg

    match suffix:
        case ".svg":
            return to_svg(built)
        case ".html":
            return to_html(built)
        case ".dot":
            return to_dot(built)
        case _:
            return to_json(built)
