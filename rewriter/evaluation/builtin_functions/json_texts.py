"""``json.dumps`` and ``json.loads`` of what is known."""

import json
from collections import OrderedDict

import libcst as cst

from rewriter.evaluation.calls.compile_time_calls import call_now
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known

_CONTAINERS = (list, tuple, dict)
_OWN_CODE = ("cls", "default", "object_hook", "object_pairs_hook", "parse_float", "parse_int")
"""What gives ``json`` functions or classes of the program to call."""


@special(json.dumps)
def dumps(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``json.dumps(value, ...)``."""
    return _done_now(frame, node, state, Known(json.dumps), positional, keywords)


@special(json.loads)
def loads(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``json.loads(text, ...)``."""
    return _done_now(frame, node, state, Known(json.loads), positional, keywords)


def _done_now(
    frame: Frame, node: cst.CSTNode, state: State, function: Known, positional: Positional,
    keywords: Keywords,
) -> Outcomes:  # fmt: skip
    knowns = [known_object(state, value) for value in (*positional, *keywords.values())]
    if not all(known is not None and _is_plain(known.value) for known in knowns):
        frame.refuse("DYCL045", node, f"json.{function.value.__name__}() of what only runs know")
    if any(name in keywords for name in _OWN_CODE):
        frame.refuse("DYCL045", node, "json with functions or classes of the program")
    return call_now(frame, node, state, function, positional, keywords)


def _is_plain(content: object) -> bool:
    """Return whether no method of a class of the user's is asked on the way."""
    if type(content) in (*_CONTAINERS, OrderedDict):
        parts = content.items() if isinstance(content, dict) else content
        return all(map(_is_plain, parts))  # type: ignore[call-overload]
    return not isinstance(content, _CONTAINERS)
