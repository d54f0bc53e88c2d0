"""The command ``dycl``: its subcommands, and what each way of failing looks like.

Exit codes: 0 fine; 1 the model was refused, or host and original differ; 2 the request cannot
be carried out as given; 3 a bug in dycl.
"""

import os
import sys
import traceback
from collections.abc import Sequence

import rich_click as click

from dycl.cli.backends import backends
from dycl.cli.bench import bench
from dycl.cli.compile import compile_command
from dycl.cli.console import complain
from dycl.cli.graph import graph
from dycl.cli.reproduce import reproduce
from dycl.cli.rewrite import rewrite
from dycl.cli.run import run
from dycl.cli.verify import verify
from dycl.collecting import seldom_collecting
from dycl.errors import UserError

FINE, REFUSED, USAGE, BUG, INTERRUPTED = 0, 1, 2, 3, 130


class _Group(click.RichGroup):
    """Lists commands in the order in which a person meets them, not by alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(
    cls=_Group,
    epilog="Example:  dycl compile zoo/skipnet.py && dycl verify zoo/skipnet.py skipnet_dycl",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="dycl", prog_name="dycl")
def dycl() -> None:
    """Compile PyTorch models whose control flow depends on the input."""


for command in (compile_command, rewrite, graph, verify, bench, run, backends, reproduce):
    dycl.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    code = _run(arguments)
    _forget_reader()
    return code


@seldom_collecting()
def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = dycl.main(arguments, prog_name="dycl", standalone_mode=False)
    except SystemExit as error:
        # click ends the process itself for `dycl` without a command, and for a closed pipe
        return error.code if isinstance(error.code, int) else USAGE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except UserError as error:
        complain(f"error: {error.render()}")
        return USAGE
    except OSError as error:
        return _system_failure(error)
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    except Exception as error:
        return _failure(error)
    return code if isinstance(code, int) else FINE


def _forget_reader() -> None:
    """Let nothing be told at exit of what a reader that has gone did not read."""
    stdout = sys.__stdout__
    if stdout is not None:
        try:
            stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())


def _system_failure(error: OSError) -> int:
    """A full disk or a directory without permission: the system's words are enough."""
    complain(f"error: {error.strerror or error}" + (f": {error.filename}" * bool(error.filename)))
    return USAGE


def _failure(error: Exception) -> int:
    """Tell a refusal of the user's model from a bug of ours."""
    # importing the rewriter would import PyTorch; if it raised, it is there
    diagnostics = sys.modules.get("rewriter.diagnostics")
    if diagnostics is not None and isinstance(error, diagnostics.CompileError):
        count = len(error.diagnostics)
        complain(str(error), style="")
        complain(f"{count} error{'s' * (count > 1)}: not compiled, nothing was written")
        return REFUSED
    complain("".join(traceback.format_exception(error)), style="dim")
    complain("This is a bug in dycl, not in your program. Please report it with the lines above.")
    return BUG
