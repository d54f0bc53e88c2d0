"""``functools.lru_cache`` over a function that is defined in the call: its cache ends with it."""

import functools
import types

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude.remembering import remembering
from rewriter.state import State
from rewriter.values import FunctionValue, Known

_WITHOUT_LIMIT = functools.lru_cache(maxsize=None)
_CODE = _WITHOUT_LIMIT.__code__


def cache_rule(content: object) -> SpecialRule | None:
    """Return the rule for what ``lru_cache(maxsize=None)`` gives, None for other objects."""
    if not isinstance(content, types.FunctionType) or content.__code__ is not _CODE:
        return None
    cells = (cell.cell_contents for cell in content.__closure__ or ())
    held = dict(zip(_CODE.co_freevars, cells, strict=True))
    return _without_limit if held["maxsize"] is None and not held["typed"] else None


def _without_limit(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    if len(positional) == 1 and not keywords and isinstance(positional[0], FunctionValue):
        for after, made in call_value(frame, node, state, Known(remembering), positional, {}):
            assert isinstance(made, FunctionValue)
            frame.run.calls.cached.add(made.source)
            yield after, made
        return
    yield from call_library(frame, node, state, Known(_WITHOUT_LIMIT), positional, keywords)


@special(functools.cache)
def cache(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``@functools.cache``."""
    return _without_limit(frame, node, state, positional, keywords)
