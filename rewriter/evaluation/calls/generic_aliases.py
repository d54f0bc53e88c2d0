"""Calls of ``Box[int]``: an object of ``Box`` that knows what it was called by."""

import typing

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference

_PLAIN: object = object.__setattr__
_ALIAS = type(typing.List[int])  # noqa: UP006 - the private class of such aliases


def alias_rule(content: object) -> SpecialRule | None:
    """Return the rule for calls of a class of the program with types in brackets, else None."""
    origin = typing.get_origin(content) if isinstance(content, _ALIAS) else None
    if not isinstance(origin, type) or typing.Generic not in origin.__mro__:
        return None
    if not origin.__dictoffset__ or class_member(origin, "__setattr__") is not _PLAIN:
        return None

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        for after, made in call_value(frame, node, state, Known(origin), positional, keywords):
            cell = after.heap[made.identity] if isinstance(made, Reference) else None
            if not isinstance(cell, ObjectCell) or not isinstance(made, Reference):
                frame.refuse("DYCL050", node, f"an object made by calling {content!r}")
            attributes = {**cell.attributes, "__orig_class__": Known(content)}
            frame.run.update(after, made, ObjectCell(cell.kind, attributes))
            yield after, made

    return call
