"""What variables of files, of classes and of functions that have returned are bound to.

A call that is tried may bind them anew, on a condition of its own. Then what they are bound to
is said by no other input.
"""

import gc
import sys
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rewriter.keeping.names_run import NamesRun
from rewriter.known_paths import is_library

_Holder = types.ModuleType | type | types.CellType
_CONTENT = "cell_contents"


@dataclass(frozen=True, slots=True)
class Bindings:
    """What was there before a call."""

    before: list[tuple[_Holder, dict[str, object]]]

    @staticmethod
    def taken(functions: Iterable[types.FunctionType]) -> "Bindings":
        """Take note of all that there is now, but for libraries, and of variables of functions."""
        return Bindings([(each, _bound(each)) for each in list(_holders(functions))])

    def restored(self, ran: NamesRun) -> bool:
        """Bind everything as before that a call may have bound; return whether anything was not.

        That is all in the modules whose code ran, and what that names in others. The rest was
        bound by other threads, or by a module when it was looked at.
        """
        changed, named, own = False, ran.names(), ran.modules()
        for holder, before in self.before:
            now = _bound(holder)
            names = _differing(before, now)
            if named is not None and _module_of(holder) not in own:
                names = [name for name in names if name in named or name == _CONTENT]
            added = [name for name in names if name not in before]
            other = [name for name in names if name in before]
            for name in added:
                delattr(holder, name)
            for name in other:
                setattr(holder, name, before[name])
            changed |= bool(added or other)
        return changed


@contextmanager
def without_collections() -> Iterator[None]:
    """Let cycles of objects wait: who is told of collections (``gc.callbacks``) binds variables."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _module_of(holder: _Holder) -> object:
    return getattr(holder, "__name__" if isinstance(holder, types.ModuleType) else "__module__", "")


def _differing(before: dict[str, object], now: dict[str, object]) -> list[str]:
    """Return the names that are bound to something else, or are not there before or now."""
    gone = [name for name in before if name not in now]
    return gone + [n for n, each in now.items() if n not in before or each is not before[n]]


def _bound(holder: _Holder) -> dict[str, object]:
    if isinstance(holder, types.CellType):
        try:
            return {_CONTENT: holder.cell_contents}
        except ValueError:  # not assigned yet
            return {}
    return {
        name: each
        for name, each in vars(holder).items()
        if not (_is_pythons(name) or isinstance(each, types.ModuleType))  # imports stay
    }


def _is_pythons(name: str) -> bool:
    """Return whether Python or its own modules bind a name: ``__warningregistry__``."""
    return (name.startswith("__") and name.endswith("__")) or name.startswith("_abc_")


def _holders(functions: Iterable[types.FunctionType]) -> Iterator[_Holder]:
    yield from [each for name, each in sys.modules.items() if _is_users_module(name, each)]
    cells = [cell for each in functions for cell in each.__closure__ or ()]
    yield from {id(cell): cell for cell in cells}.values()
    pending, met = [object], set[type]()
    while pending:
        kind = pending.pop()
        if kind not in met:
            met.add(kind)
            pending += type.__subclasses__(kind)
            if not is_library(str(vars(kind).get("__module__", ""))):
                yield kind


def _is_users_module(name: str, module: object) -> bool:
    return isinstance(module, types.ModuleType) and not is_library(name)
