"""Arguments and options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import rich_click as click

Command = TypeVar("Command", bound=Callable[..., Any])

TARGET_HELP = (
    "FILE[:TARGET] is a Python file and what to take from it: an nn.Module, a class, a "
    "zero-argument factory or a function. Without TARGET: build_model(), else the file's only "
    "nn.Module subclass."
)


def target_argument(command: Command) -> Command:
    """Add FILE[:TARGET]."""
    return click.argument("target", metavar="FILE[:TARGET]")(command)


def host_argument(command: Command) -> Command:
    """Add HOST_DIR."""
    return click.argument("host", metavar="HOST_DIR", type=click.Path(path_type=Path))(command)


def hosts_argument(command: Command) -> Command:
    """Add HOST_DIR, once or several times."""
    several = click.argument(
        "hosts", metavar="HOST_DIR...", type=click.Path(path_type=Path), nargs=-1, required=True
    )
    return several(command)


def model_options(command: Command) -> Command:
    """Add the options that say what is compiled, from which weights and for which inputs."""
    method = click.option(
        "--method",
        default="forward",
        show_default=True,
        help="The entry point: a method of the model.",
    )
    specs = click.option(
        "--input",
        "specs",
        multiple=True,
        metavar="SPEC",
        help="An input: 'f32[1,3,32,32]', 'tokens=i64[1,seq<=64]', 'n=int:5'. Repeat for more. "
        "Without: example_inputs() of FILE.",
    )
    weights = click.option(
        "--weights",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Weights to load: safetensors, or a torch state dict without pickled objects.",
    )
    return method(specs(weights(command)))


def sample_options(count: int) -> Callable[[Command], Command]:
    """Add the options that say how many inputs, and which."""

    def add(command: Command) -> Command:
        counted = click.option(
            "--count",
            default=count,
            show_default=True,
            type=click.IntRange(min=1),
            help="How many inputs.",
        )
        seeded = click.option(
            "--seed", default=0, show_default=True, help="Seed of sample_inputs(count, seed)."
        )
        return counted(seeded(command))

    return add


def json_option(command: Command) -> Command:
    """Add --json."""
    return click.option(
        "--json",
        "json_file",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write the report as JSON too.",
    )(command)
