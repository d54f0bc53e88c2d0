"""Whether a file still says what a function was compiled from: files change while programs run."""

import ast
import linecache
import sys
import sysconfig
import types
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

_INSTALLED = tuple(
    path for name, path in sysconfig.get_paths().items() if name in ("stdlib", "purelib", "platlib")
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def file_of(code: types.CodeType) -> str:
    """Return the file of a function: frozen modules of Python's have theirs, too."""
    name = code.co_filename
    if not name.startswith("<frozen "):
        return name
    return getattr(sys.modules.get(name[8:-1]), "__file__", None) or name


def is_as_compiled(code: types.CodeType) -> bool:
    """Return whether the file of a function, as it stands now, compiles to this very code.

    Installed libraries are taken for unchanged. Text that a library has made and shown to
    ``linecache`` may have been replaced by that of another function. Nothing can be said of
    other text in no file (a notebook's cell, which never changes), nor of code that a tool has
    written into (pytest into the assertions of tests, under names that no source can have).
    """
    file = file_of(code)
    if file.startswith(_INSTALLED) or _is_written_into(code):
        return True
    text = _text_of(file)
    if text is None:
        return True
    found = _compiled(text, file).get((code.co_name, code.co_firstlineno), ())
    return any(_alike(code, other) for other in found)


def imports_at_top(file: str) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports of a file outside of functions and classes.

    How functions are compiled depends on them: ``torch.relu(x)`` is no call of a method where
    ``torch`` is imported, and annotations are what ``from __future__`` says.
    """
    try:
        module = ast.parse(_text_of(file) or "")
    except (SyntaxError, ValueError):
        return []
    return [*_imports(module)]


def _imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Import | ast.ImportFrom):
            yield part
        elif not isinstance(part, _SCOPES):
            yield from _imports(part)


def _text_of(file: str) -> str | None:
    """Return what a file says now, or what ``linecache`` was shown; None where nothing is."""
    try:
        if file.startswith("<") and file in linecache.cache:
            return "".join(linecache.getlines(file))
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


@lru_cache(maxsize=64)
def _compiled(text: str, file: str) -> dict[tuple[str, int], tuple[types.CodeType, ...]]:
    """Return the functions in a text by their names and first lines."""
    try:
        module = compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return {}
    found: dict[tuple[str, int], tuple[types.CodeType, ...]] = {}
    for code in _nested(module):
        place = code.co_name, code.co_firstlineno
        found[place] = (*found.get(place, ()), code)
    return found


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


@cache
def _is_written_into(code: types.CodeType) -> bool:
    return any(
        name.startswith("@")
        for each in _nested(code)
        for name in (*each.co_names, *each.co_varnames)
    )


def _alike(one: object, other: object) -> bool:
    """Return whether two codes, or constants of them, do the same."""
    match one, other:
        case types.CodeType(), types.CodeType():
            same = one.co_code == other.co_code and len(one.co_consts) == len(other.co_consts)
            return (
                same
                and one.co_names == other.co_names
                and one.co_varnames == other.co_varnames
                and one.co_freevars == other.co_freevars
                and all(map(_alike, one.co_consts, other.co_consts))
            )
        case frozenset(), frozenset():
            return one == other
        case _:
            return repr(one) == repr(other)
