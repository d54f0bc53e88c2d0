"""What Python's own code does with instances of the user's classes of lists and dicts.

The C code of an ``OrderedDict`` calls the methods of its subclasses, that of a dict does not.
"""

from collections.abc import Mapping

import libcst as cst

from rewriter.evaluation.containers.container_classes import called_instead, reads_by_methods
from rewriter.evaluation.containers.containers import mapping_items
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Value


def require_own(frame: Frame, node: cst.CSTNode, kind: type, name: str) -> None:
    """Refuse an inherited method of an OrderedDict that calls one of the user's."""
    called = called_instead(kind, name)
    if called is not None:
        text = f"{name}() of an OrderedDict calls {called} of {kind.__name__}"
        frame.refuse("DYCL050", node, text, f"assign to the keys, or define {name}()")


def merged_items(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Mapping[object, Value] | None:
    """Return what ``dict(value)`` and ``**value`` take of a dict, None for anything else."""
    items = mapping_items(state, value)
    kind = class_of(state, value)
    if items is not None and kind is not None and reads_by_methods(kind):
        text = f"a copy of the items of a {kind.__name__} calls its own methods"
        frame.refuse("DYCL050", node, text, "take its items()")
    return items
