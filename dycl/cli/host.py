"""Loads host packages; what is wrong with one is the user's to know, not a bug of ours."""

from pathlib import Path

from dycl.cli.console import working
from dycl.errors import UserError
from dycl.loading import CompiledModel

_AGAIN = "compile the model again, on this machine or for it"


def load_host(directory: Path) -> CompiledModel:
    """Load a host package; raise UserError where it is damaged or cannot run here."""
    from dycl import load

    try:
        with working(f"loading {directory}"):
            return load(directory)
    except ImportError as error:  # by its loader, which says what to install
        raise UserError(f"{directory} cannot be loaded: {error}") from error
    except SyntaxError as error:
        raise UserError(
            f"{directory} cannot be loaded: {error.filename} is damaged: {error}", help=_AGAIN
        ) from error
    except Exception as error:
        if type(error).__name__ != "PackageError":  # each package has a class of its own
            raise
        raise UserError(
            f"{directory} cannot be loaded: {error}",
            help=_AGAIN,
        ) from error
