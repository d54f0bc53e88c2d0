"""Import the user's FILE under the name Python itself would give it."""

import importlib
import importlib.util
import sys
import tokenize
import zlib
from pathlib import Path
from types import ModuleType

from dycl.errors import UserError
from dycl.user_traceback import render_user_traceback


def load_user_file(file: Path) -> ModuleType:
    """Import ``file`` and return its module; raise UserError where that fails.

    A file inside a package is imported as part of it (``zoo/skipnet.py`` as ``zoo.skipnet``),
    so that its own imports work from any working directory.
    """
    path = _existing_file(file)
    _check_is_python(path)
    root, name = _module_name(path)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        return _import(path, name)
    except SystemExit as error:
        raise UserError(
            f"{file} ended the process while it was imported (exit status {error.code})",
            help="put what the script does under `if __name__ == '__main__':`",
        ) from error
    except Exception as error:
        raise UserError(
            f"{file} cannot be imported", detail=render_user_traceback(error)
        ) from error


def _existing_file(file: Path) -> Path:
    if file.is_dir():
        raise UserError(f"{file} is a directory; expected a Python file")
    if not file.exists():
        raise UserError(f"{file} does not exist; expected a Python file")
    return file.resolve()


def _check_is_python(path: Path) -> None:
    """Parse before importing: a picture or a notebook gets a short answer."""
    try:
        with tokenize.open(path) as stream:
            compile(stream.read(), str(path), "exec", dont_inherit=True)
    except (UnicodeDecodeError, SyntaxError, ValueError) as error:
        raise UserError(
            f"{path.name} is not a Python file", detail=render_user_traceback(error)
        ) from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error


def _module_name(path: Path) -> tuple[Path, str]:
    """Return the directory that belongs on ``sys.path``, and the dotted name below it."""
    parts = [path.stem]
    directory = path.parent
    while (directory / "__init__.py").exists():
        parts.insert(0, directory.name)
        directory = directory.parent
    return directory, ".".join(parts)


def _import(path: Path, name: str) -> ModuleType:
    if _is_free_for(path, name):
        return importlib.import_module(name)
    # another module has the name (two files called net.py, a file called random.py)
    unique = f"{path.stem}_{zlib.crc32(str(path).encode()):08x}"
    if unique in sys.modules:
        return sys.modules[unique]
    spec = importlib.util.spec_from_file_location(unique, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} does not end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[unique]
        raise
    return module


def _is_free_for(path: Path, name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == path
