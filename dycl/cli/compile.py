"""``dycl compile``: from a model to its host package."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from dycl.cli.console import counting_with_words, show_text, working
from dycl.cli.options import TARGET_HELP, model_options, target_argument

if TYPE_CHECKING:
    from dycl.backends.interface import TuningProgress
    from dycl.cli.model import Model
    from dycl.options import CompileOptions

_SAMPLES = 50
"""Calls that say how often each sub-DNN runs."""


@click.command(
    name="compile",
    help=f"Compile a model into a host package that needs no PyTorch.\n\n{TARGET_HELP}",
    short_help="Compile a model into a host package that needs no PyTorch.",
    epilog="Example:  dycl compile zoo/skipnet.py --output skipnet_dycl",
)
@target_argument
@model_options
@click.option(
    "--backend",
    default="onnxruntime",
    show_default=True,
    help="See `dycl backends`; auto: for each sub-DNN the fastest, auto:NAME,NAME: of these.",
)
@click.option("--device", default="cpu", show_default=True, help="Where sub-DNNs run: cpu, cuda.")
@click.option(
    "--backend-option",
    "backend_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option that only this backend has. Repeat for more.",
)
@click.option(
    "-o",
    "--output",
    "directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory of the host package.  [default: ./NAME_dycl, after TARGET or FILE]",
)
@click.option(
    "--emit",
    type=click.Choice(["host", "onnx"]),
    default="host",
    show_default=True,
    help="host: a package with Python between sub-DNNs. onnx: DIR/model.onnx, one file for any "
    "ONNX runtime, with If and Loop; models that need Python are refused.",
)
@click.option(
    "--host-mode",
    type=click.Choice(["python", "ifs"]),
    default="python",
    show_default=True,
    help="Who makes decisions: Python, or ONNX's If and Loop in the artifacts, as far as they can.",
)
@click.option(
    "--many-inputs",
    is_flag=True,
    help="Also compile sub-DNNs for batches: DIR's forward_many runs many inputs together.",
)
@click.option("--force", is_flag=True, help="Replace a DIR that dycl did not make.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Compile N at a time.")
@click.option(
    "--threads",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads of each sub-DNN.",
)
@click.option(
    "--tune",
    default=0,
    type=click.IntRange(min=0),
    metavar="TRIALS",
    help="Measure so many variants of the code, where sample_inputs() of FILE spend their time, "
    "and take the fastest. For --backend tvm.",
)
@click.option("--no-cache", is_flag=True, help="Compile everything anew.")
@click.option(
    "--without-pass",
    "disabled_passes",
    multiple=True,
    metavar="NAME",
    help="A pass over the graph to leave out. Repeat for more.",
)
@click.option(
    "--masks-to-branches",
    is_flag=True,
    help="Skip layers whose result is multiplied by a mask of zeros, where that is provably the "
    "same.",
)
@click.option(
    "--static",
    "static_arguments",
    multiple=True,
    metavar="NAME",
    help="A number argument to fix at its example value. Repeat for more.",
)
def compile_command(
    target: str,
    method: str,
    specs: tuple[str, ...],
    weights: Path | None,
    backend: str,
    device: str,
    backend_options: tuple[str, ...],
    directory: Path | None,
    emit: str,
    host_mode: str,
    many_inputs: bool,
    force: bool,
    jobs: int | None,
    threads: int,
    tune: int,
    no_cache: bool,
    disabled_passes: tuple[str, ...],
    masks_to_branches: bool,
    static_arguments: tuple[str, ...],
) -> None:
    """Compile and report."""
    import dycl
    from dycl.cli.model import load_model

    model = load_model(target, method, specs, weights)
    options = dycl.CompileOptions(
        device=device,
        backend_options=tuple(_pair(text) for text in backend_options),
        force=force,
        jobs=jobs,
        threads=threads,
        tune=tune,
        host_mode=host_mode,
        many_inputs=many_inputs,
        cache=not no_cache,
        disabled_passes=frozenset(disabled_passes),
        masks_to_branches=masks_to_branches,
        static_arguments=frozenset(static_arguments),
    )
    if emit == "onnx":
        _require_plain(backend, options)
        with working("compiling"):
            written = dycl.emit_onnx(
                model.compile_target,
                model.example.inputs,
                method=method,
                output=directory or Path(default_output(target, "onnx")),
                dynamic_shapes=model.example.dynamic_shapes,
                options=options,
            )
        show_text(str(written))
        return
    samples = _samples(model, specs) if tune else None
    with _progress(tune) as progress:
        compiled = dycl.compile(
            model.compile_target,
            model.example.inputs,
            method=method,
            backend=backend,
            output=directory or Path(default_output(target)),
            dynamic_shapes=model.example.dynamic_shapes,
            options=options,
            sample_inputs=samples,
            progress=progress,
        )
    show_text(str(compiled.report))


def _require_plain(backend: str, options: "CompileOptions") -> None:
    """Raise where an option is given that says how a host package runs."""
    if backend != "onnxruntime" or options.tune or options.backend_options:
        raise click.UsageError("--emit onnx leaves the choice of a runtime, and tuning, to you")
    if options.device != "cpu" or options.threads != 1:
        raise click.UsageError("--emit onnx: device and threads are chosen where the file is run")


def _samples(model: "Model", specs: tuple[str, ...]) -> "Sequence[object] | None":
    """Return inputs that take paths as often as real ones; None where FILE has none."""
    from dycl.user_inputs import sample_inputs

    if specs or not hasattr(model.target.module, "sample_inputs"):
        return None  # inputs drawn at random do not tell which paths are taken
    return sample_inputs(model.target, specs, _SAMPLES, 0).inputs


@contextmanager
def _progress(tune: int) -> "Iterator[TuningProgress | None]":
    if tune:
        with counting_with_words("tuning") as progress:
            yield progress
    else:
        with working("compiling"):
            yield None


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--backend-option")
    return name, value


def default_output(target: str, ending: str = "dycl") -> str:
    """Return the directory for ``FILE[:TARGET]``: a name that Python can import."""
    from dycl.target import parse_target

    file, name = parse_target(target)
    stem = file.stem if name is None else name.removeprefix("build_").lower()
    return re.sub(r"\W", "_", stem) + f"_{ending}"
