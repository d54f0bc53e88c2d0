"""The user's file as a loaded module, for names that only it defines."""

import os
import sys
import weakref
from collections.abc import Mapping
from types import ModuleType


def find_user_module(source_file: str) -> Mapping[str, object]:
    """Return the globals of the module loaded from a file; empty if there is none."""
    wanted = os.path.abspath(source_file)
    ending = os.path.basename(wanted)
    found: dict[str, Mapping[str, object]] = {}
    for name, module in list(sys.modules.items()):
        file = _file_of(name, module)
        if file.endswith(ending) and os.path.abspath(file) == wanted:
            found[name] = vars(module)
    return found[min(found)] if found else {}


_files: dict[str, tuple[weakref.ref[ModuleType], str]] = {}
"""By name, the module that was loaded when it was last asked for, and its file.

There are thousands, and to look into each takes 20 milliseconds.
"""


def _file_of(name: str, module: object) -> str:
    if not isinstance(module, ModuleType):  # None keeps others from importing the name
        return ""
    known = _files.get(name)
    if known is not None and known[0]() is module:
        return known[1]
    file = vars(module).get("__file__")  # some modules import others when asked for a name
    file = file if isinstance(file, str) else ""
    _files[name] = weakref.ref(module), file
    return file
