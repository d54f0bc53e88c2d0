"""``import`` inside a function: done at compile time."""

import importlib

import libcst as cst
from libcst.helpers import get_full_name_for_node

from rewriter.evaluation.dispatch import statement_rule
from rewriter.evaluation.names import bind
from rewriter.evaluation.run import Frame
from rewriter.state import Completion, Next, State
from rewriter.values import Known


@statement_rule(cst.Import)
def import_(frame: Frame, node: cst.Import, state: State) -> list[Completion]:
    """``import math`` inside a function."""
    for alias in node.names:
        module_name = alias.evaluated_name
        try:
            module = importlib.import_module(module_name)
        except ImportError as error:
            frame.run.raise_known(state, error)
            return []
        if alias.evaluated_alias is not None:
            bind(frame, node, state, alias.evaluated_alias, Known(module, module_name))
        else:
            root = module_name.partition(".")[0]
            bind(frame, node, state, root, Known(importlib.import_module(root), root))
    return [Next(state)]


@statement_rule(cst.ImportFrom)
def import_from(frame: Frame, node: cst.ImportFrom, state: State) -> list[Completion]:
    """``from math import sqrt`` inside a function."""
    if isinstance(node.names, cst.ImportStar):
        frame.refuse("DYCL001", node, "`import *` inside a function is not supported")
    module_name = "." * len(node.relative) + (
        (get_full_name_for_node(node.module) or "") if node.module is not None else ""
    )
    package = frame.globals.get("__package__")
    try:
        module = importlib.import_module(module_name, package if isinstance(package, str) else None)
        found = [(alias, getattr(module, alias.evaluated_name)) for alias in node.names]
    except (ImportError, AttributeError) as error:
        frame.run.raise_known(state, ImportError(str(error)))
        return []
    except TypeError:  # of a file that is in no package
        text = "attempted relative import with no known parent package"
        frame.run.raise_known(state, ImportError(text))
        return []
    for alias, content in found:
        bind(frame, node, state, alias.evaluated_alias or alias.evaluated_name, Known(content))
    return [Next(state)]
