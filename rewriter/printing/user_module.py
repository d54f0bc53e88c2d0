"""The user's file as a loaded module, for names that only it defines."""

import os
import sys
from collections.abc import Mapping


def find_user_module(source_file: str) -> Mapping[str, object]:
    """Return the globals of the module loaded from a file; empty if there is none."""
    wanted = os.path.abspath(source_file)
    ending = os.path.basename(wanted)
    found: dict[str, Mapping[str, object]] = {}
    for name, module in list(sys.modules.items()):
        file = vars(module).get("__file__")  # some modules import others when asked for a name
        if isinstance(file, str) and file.endswith(ending) and os.path.abspath(file) == wanted:
            found[name] = vars(module)
    return found[min(found)] if found else {}
