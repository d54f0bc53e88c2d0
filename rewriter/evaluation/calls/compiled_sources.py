"""Whether what ``torch.jit.script`` has compiled is what its Python function says now."""

import inspect
import re
import types
from typing import Any

import torch
from torch._jit_internal import createResolutionCallbackFromClosure
from torch.jit import frontend

from rewriter.keeping.reach import inner_names

_ASKING = frozenset({"is_scripting", "is_tracing", "is_compiling", "jit"})
_FRONTEND: Any = frontend


def is_source_of(written: types.FunctionType, compiled: torch.Graph) -> bool:
    """Return whether a function that is evaluated does what was compiled.

    That may be another one: of a decorated function, the source that is inside; what names were
    bound to at the time; and what is done only there, where a function asks how it runs.
    """
    if hasattr(written, "__wrapped__") or _asks_how_it_runs(written):
        return False
    now = _compiled_now(written)
    return now is not None and _text(now) == _text(compiled)


def _asks_how_it_runs(written: types.FunctionType) -> bool:
    names = inner_names(written.__code__)
    variables = inspect.getclosurevars(written)
    bound = [*variables.globals.values(), *variables.nonlocals.values()]
    return not _ASKING.isdisjoint(names) or any(
        getattr(each, "__name__", None) in _ASKING for each in bound
    )


def _compiled_now(written: types.FunctionType) -> torch.Graph | None:
    name = written.__name__
    found = createResolutionCallbackFromClosure(written)
    try:
        tree = _FRONTEND.get_jit_def(written, name)
        defaults = _FRONTEND.get_default_args(written)
        again = torch._C._jit_script_compile(f"__torch__.{name}", tree, found, defaults)
    except Exception:  # names may be bound to anything now
        return None
    graph: torch.Graph = again.graph
    return graph


def _text(compiled: torch.Graph) -> str:
    """Return what compiled code does, without the places in files."""
    return re.sub(r" # .*:\d+:\d+$", "", str(compiled), flags=re.MULTILINE)
