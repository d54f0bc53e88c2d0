"""New exceptions: their class and ``args`` are what Python's own classes make of the arguments.

``OSError(2, "...")`` is a FileNotFoundError, and most exceptions take no keyword arguments.
"""

from collections.abc import Sequence

import libcst as cst

from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.instances.data_classes import has_generated_init
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import NONE, ObjectCell, Value

_FIRST_ARGUMENT = {StopIteration: "value", SystemExit: "code"}
"""Attributes that these exceptions set themselves, from their first argument."""


def new_object(
    frame: Frame, node: cst.CSTNode, state: State, kind: type,
    positional: Sequence[Value], keywords: dict[str, Value],
) -> ObjectCell | None:  # fmt: skip
    """Return an object before an ``__init__`` of the user's; None where making it raises."""
    if not issubclass(kind, BaseException):
        return ObjectCell(kind, {})
    if user_method(kind, "__init__") is None and not has_generated_init(kind):
        made = _made(frame, node, state, kind, positional, keywords)
        if made is None:
            return None
        kind = type(made)
    attributes: dict[str, Value] = {"args": tuple_value(tuple(positional))}
    for base, name in _FIRST_ARGUMENT.items():
        if issubclass(kind, base) and kind.__init__ is base.__init__ and len(positional) < 2:
            attributes[name] = positional[0] if positional else NONE
    return ObjectCell(kind, attributes)


def _made(
    frame: Frame, node: cst.CSTNode, state: State, kind: type[BaseException],
    positional: Sequence[Value], keywords: dict[str, Value],
) -> BaseException | None:  # fmt: skip
    """Return what the class makes of the arguments, with ``None`` for those of run time."""
    knowns = [known_object(state, value) for value in (*positional, *keywords.values())]
    values = [None if known is None else known.value for known in knowns]
    given, named = values[: len(positional)], values[len(positional) :]
    by_number = issubclass(kind, OSError) and len(given) > 1
    if by_number and (knowns[0] is None or len(given) > 2):
        frame.refuse(
            "DYCL050",
            node,
            f"{kind.__name__} is made with the name of a file, or with a number of run time, which "
            "chooses its class",
        )
    try:
        return kind(*given, **dict(zip(keywords, named, strict=True)))
    except Exception as error:
        if None in knowns and not keywords:
            frame.refuse("DYCL050", node, f"{kind.__name__} is made of what run time knows")
        frame.run.raise_known(state, error)
        return None
