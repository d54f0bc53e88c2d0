"""``dycl reproduce``: published evaluations, run again on a catalog of models."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import rich_click as click

from dycl.cli.console import complain, counting_with_words, messages, show
from dycl.errors import UserError

_RESULTS = Path("docs/results")
_ZOO = Path("zoo/catalog.py")


@click.command(
    help="Run published evaluations again: *correctness*, *latency*, *ablation*, *overhead*, "
    "*systems* (other compilers' models), *batching* (beside DyNet), or *all* of them.\n\n"
    "Each (table, model, backend) is measured by a process of its own with a time limit and then "
    "kept: an interrupted run goes on where it was, and what fails is shown with its reason. "
    "Tables are written as JSON, Markdown and SVG; a part of one (--model, --backend), or one of "
    "another catalog, only where --output says. Exit code 1 if a package differs from its "
    "original.",
    short_help="Run published evaluations again, on a catalog of models.",
    epilog="Example:  dycl reproduce correctness --model SkipNet-38 --backend tvm",
)
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
@click.option(
    "--catalog",
    type=click.Path(path_type=Path, dir_okay=False),
    default=_ZOO,
    show_default=True,
    help="The Python file that describes the models.",
)
@click.option("--model", "models", multiple=True, metavar="NAME", help="Repeat for more.")
@click.option(
    "--backend",
    "backends",
    multiple=True,
    metavar="SPEC",
    help="A backend, with options after a colon ('tvm:tune=64'), or 'trace', 'oracle', "
    "'torch.compile'. Repeat for more.",
)
@click.option("--count", type=click.IntRange(min=1), help="Inputs for each cell.")
@click.option("--all", "every", is_flag=True, help="Every backend for heavy models, too.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Where tables are written.  [default: {_RESULTS} for whole tables of {_ZOO}]",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("build/reproduce"),
    show_default=True,
    help="Where outcomes and packages are kept.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Cells at a time.  [default: 2; 1 for overhead]"
)
@click.option("--limit", type=click.FloatRange(min=1), metavar="SECONDS", help="For each cell.")
@click.option("--minutes", type=click.FloatRange(min=0), help="For all: no cell begins later.")
@click.option("--again", is_flag=True, help="Run what was run before.")
@click.option(
    "--older", is_flag=True, help="Take outcomes of other versions of the sources as they are."
)
def reproduce(
    tables: tuple[str, ...],
    catalog: Path,
    models: tuple[str, ...],
    backends: tuple[str, ...],
    count: int | None,
    every: bool,
    output: Path | None,
    state: Path,
    jobs: int | None,
    limit: float | None,
    minutes: float | None,
    again: bool,
    older: bool,
) -> int:
    """Run, write and print tables."""
    from rich.markdown import Markdown

    try:
        from dycl.reproduce.reproducing import Plan, reproduce, tables_called
        from dycl.reproduce.tables.table import Request
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise UserError("plots need matplotlib", help="pip install 'dycl[reproduce]'") from error
    from dycl.reproduce.catalog import load_catalog

    tables_called(tables)
    request = Request(
        catalog=load_catalog(catalog),
        models=models,
        backends=backends,
        count=count,
        every=every,
        seconds=limit,
    )
    if again and older:
        raise UserError("--again runs what --older would take as it is", help="give one of them")
    is_published = catalog == _ZOO and not (models or backends)
    plan = Plan(
        request=request,
        state=state,
        output=output or (_RESULTS if is_published else None),
        jobs=jobs,
        minutes=minutes,
        again=again,
        older=older,
    )
    with _stopping_cells():
        finished = reproduce(tables, plan, _counting)
    for each in finished:
        show(Markdown(each.markdown))
        if plan.output is not None:
            complain(f"written: {plan.output / each.table.name}.md, .json, .svg", style="green")
    differing = [title for each in finished for title in each.differing]
    for title in differing:
        complain(f"{title}: the package differs from the original")
    return 1 if differing else 0


@contextmanager
def _stopping_cells() -> Iterator[None]:
    """Let SIGTERM interrupt, too: the processes of cells must not be left behind."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = {each: signal.signal(each, interrupt) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _counting(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar; where stderr is no terminal, a line for each cell that is done."""
    if messages().is_terminal:
        with counting_with_words(what) as tell:
            yield tell
        return
    shown = 0

    def print_line(done: int, total: int, words: str) -> None:
        nonlocal shown
        if done > shown:
            shown = done
            complain(f"{done} of {total}: {words}", style="")

    yield print_line
