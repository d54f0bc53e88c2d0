"""Where commands write: results to stdout, progress and errors to stderr."""

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

_PIPED_WIDTH = 120
"""Columns of a table in a file or a pipe, which have no width of their own."""


def output() -> Console:
    """Return the console for results."""
    return Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH)


def messages() -> Console:
    """Return the console for progress and errors."""
    return Console(stderr=True, width=None if sys.stderr.isatty() else _PIPED_WIDTH)


def show(content: RenderableType) -> None:
    """Print a result."""
    output().print(content)


def as_html(contents: Sequence[RenderableType]) -> str:
    """Return results as one page that needs no other file."""
    page = Console(record=True, file=io.StringIO(), width=_PIPED_WIDTH)
    for content in contents:
        page.print(content)
    return page.export_html(inline_styles=True)


def show_text(text: str, style: str = "") -> None:
    """Print plain text as it is: no wrapping, no markup."""
    output().print(Text(text, style=style), soft_wrap=True)


def complain(text: str, style: str = "red") -> None:
    """Print an error as it is."""
    messages().print(Text(text.rstrip("\n"), style=style), soft_wrap=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something is going on; nothing where stderr is not a terminal."""
    console = messages()
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar, driven by calls with how many are done and of how many."""
    console = messages()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def counting_with_words(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar, driven by calls that say what is being done, too."""
    console = messages()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=None)

        def tell(done: int, total: int, words: str) -> None:
            progress.update(task, completed=done, total=total, description=f"{what}: {words}")

        yield tell
