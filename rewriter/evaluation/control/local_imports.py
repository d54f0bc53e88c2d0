"""``import`` inside a function: done at compile time."""

import libcst as cst

from rewriter.evaluation.dispatch import statement_rule
from rewriter.evaluation.names import bind
from rewriter.evaluation.run import Frame
from rewriter.state import Completion, Next, State
from rewriter.values import Known

_OF_THE_FILE = ("__name__", "__package__", "__spec__", "__path__")
"""What says where a file is, for relative imports."""


@statement_rule(cst.Import)
def import_(frame: Frame, node: cst.Import, state: State) -> list[Completion]:
    """``import math`` inside a function."""
    named: dict[str, str | None] = {}
    for alias in node.names:
        module = alias.evaluated_name
        root = module.partition(".")[0]
        named[alias.evaluated_alias or root] = module if alias.evaluated_alias else root
    return _imported(frame, node, state, named)


@statement_rule(cst.ImportFrom)
def import_from(frame: Frame, node: cst.ImportFrom, state: State) -> list[Completion]:
    """``from math import sqrt`` inside a function."""
    if isinstance(node.names, cst.ImportStar):
        frame.refuse("DYCL001", node, "`import *` inside a function is not supported")
    names = [alias.evaluated_alias or alias.evaluated_name for alias in node.names]
    if any(alias.evaluated_name in frame.run.plan.shared_names for alias in node.names):
        frame.refuse("DYCL055", node, "a variable of a file, which calls write, is imported")
    return _imported(frame, node, state, dict.fromkeys(names))


def _imported(
    frame: Frame, node: cst.Import | cst.ImportFrom, state: State, named: dict[str, str | None]
) -> list[Completion]:
    """Let Python import, and bind the names; ``named`` has what modules are called elsewhere.

    Python also looks for modules of a package that nobody has imported yet.
    """
    place = {name: frame.globals[name] for name in _OF_THE_FILE if name in frame.globals}
    text = cst.Module([]).code_for_node(node)
    error: Exception | None = None
    try:
        exec(compile(text, "<import>", "exec", dont_inherit=True), place)
    except Exception as raised:  # any: the code of a module is run
        error = raised.with_traceback(None)
    for name, path in named.items():
        if name in place:
            bind(frame, node, state, name, Known(place[name], path))
    if error is not None:
        frame.run.raise_known(state, error)
        return []
    return [Next(state)]
