"""The parameters that a ``functools.partial`` leaves to its caller, and what it gives to others."""

import functools
import inspect
from dataclasses import dataclass

from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.parameters import FIXED


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a function's parameters."""

    signature: inspect.Signature
    """Those that a caller gives; what a number or text is given for may be given anew."""
    given: dict[str, object]
    """What the others are, by name."""


def left_by(
    signature: inspect.Signature, own: int, partial: "functools.partial[object] | None"
) -> Left:
    """Return what a partial leaves of a signature with ``own`` parameters at its front.

    Raises CompileError where it gives what goes to ``*args`` or ``**kwargs``.
    """
    if partial is None:
        return Left(signature, {})
    parameters = list(signature.parameters.values())
    taken = parameters[own : own + len(partial.args)]
    named = {each.name for each in parameters if each.kind not in (each.POSITIONAL_ONLY, *_STARS)}
    if any(each.kind not in _BY_POSITION for each in taken) or len(taken) < len(partial.args):
        raise _refusal("a partial gives more by position than there are parameters for")
    if other := [name for name in partial.keywords if name not in named]:
        raise _refusal(f"a partial gives {other[0]!r}, which is no parameter by name")
    given: dict[str, object] = dict(zip((each.name for each in taken), partial.args, strict=True))
    left, by_name = parameters[:own], False
    for each in parameters[own + len(taken) :]:
        by_name = by_name or each.name in partial.keywords
        if each.name in partial.keywords:
            content = partial.keywords[each.name]
            if not isinstance(content, (bool, int, float, *FIXED)):
                given[each.name] = content
                continue
            each = each.replace(default=content)
        if by_name and each.kind is each.POSITIONAL_OR_KEYWORD:
            each = each.replace(kind=each.KEYWORD_ONLY)
        if not (by_name and each.kind is each.VAR_POSITIONAL):  # nothing can come to it
            left.append(each)
        else:
            given[each.name] = ()
    return Left(signature.replace(parameters=left), given)


_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _refusal(message: str) -> CompileError:
    return CompileError([Diagnostic(code="DYCL070", message=message, origin=None)])
