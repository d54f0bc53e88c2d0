"""Clauses of ``try`` statements that end no error: what they catch goes on as its like."""

import functools
from collections.abc import Sequence

import libcst as cst

from rewriter.descendants import descendants
from rewriter.evaluation.control.sure_texts import SureTexts, bound_in
from rewriter.evaluation.names import lookup
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known

Kinds = tuple[type[BaseException], ...]
OF_TENSORS = (RuntimeError, IndexError)
"""What operations of PyTorch raise because of the content of tensors."""
Raising = frozenset[type[BaseException]]
"""The classes that a clause raises instead of what it has caught."""
_INDEX: Raising = frozenset({IndexError})


def ending(
    frame: Frame, state: State, node: cst.Try, caught: list[Kinds]
) -> tuple[list[Kinds], list[Kinds]]:
    """Return those of what is caught that another error, or none, may come of.

    After the clauses may come what ``finally`` ends. The second are those of which an IndexError
    comes in any case: nothing is another one where that is what is caught.
    """
    count = len(node.handlers)
    told = SureTexts(frame, state, bound_in(node.body))
    ended: list[Kinds] = []
    of_index: list[Kinds] = []
    for handler, kinds in zip(node.handlers, caught[:count], strict=True):
        raised = _raised_by(handler, told)
        if raised == _INDEX and kinds != (IndexError,):
            of_index.append(kinds)
        elif raised is None or not raised <= set(kinds) or (raised and len(kinds) > 1):
            ended.append(kinds)
    return ended + caught[count:], of_index


@functools.lru_cache(maxsize=1024)
def looks_at_error(handler: cst.ExceptHandler) -> bool:
    """Return whether a clause may do more with what it catches than raise it, or from it."""
    own = handler.name.name if handler.name is not None else None
    named = own.value if isinstance(own, cst.Name) else None
    seen = [each for each in descendants(handler.body) if isinstance(each, cst.Name)]
    raised = [
        part
        for each in descendants(handler.body)
        if isinstance(each, cst.Raise)
        for part in (each.exc, each.cause.item if each.cause is not None else None)
    ]
    used = [each for each in seen if each.value == named and not any(each is x for x in raised)]
    return bool(used) or any(each.value in TELLING for each in seen)


TELLING = frozenset({"exception", "exc_info", "format_exc", "print_exc", "format_exception",
                      "print_exception", "last_value"})  # fmt: skip
"""What shows the error that is being handled, without its name."""


def _raised_by(handler: cst.ExceptHandler, told: SureTexts) -> Raising | None:
    """Return what a clause raises but for what it catches, None where it may do anything else."""
    leaves = _only_leaves(handler)
    return _raised_in(handler.body.body, handler, told) if leaves else None


@functools.lru_cache(maxsize=1024)
def _only_leaves(handler: cst.ExceptHandler) -> bool:
    """Return whether a clause ends with ``raise``."""
    last = handler.body.body[-1:]
    match last:
        case [cst.SimpleStatementLine(body=[*_, cst.Raise()]) | cst.Raise()]:
            return True
        case _:
            return False


def _raised_in(
    statements: Sequence[cst.CSTNode], handler: cst.ExceptHandler, told: SureTexts
) -> Raising | None:
    """Return what statements raise that are tests and ``raise``, and nothing else."""
    found: Raising = frozenset()
    for statement in statements:
        match statement:
            case cst.SimpleStatementLine(body=[cst.Raise() as only]) | (cst.Raise() as only):
                raised = _raised(only, handler, told)
            case cst.If(test=test, body=body, orelse=None):
                inside = told.told_by(test)
                raised = None if inside is None else _raised_in(body.body, handler, inside)
            case _:
                return None
        if raised is None:
            return None
        found |= raised
    return found


def _raised(only: cst.Raise, handler: cst.ExceptHandler, told: SureTexts) -> Raising | None:
    """Return the class that ``raise`` makes an error of: none where it is what is caught."""
    if only.exc is None or (only.cause is None and _is_own(handler, only.exc)):
        return frozenset()
    match only.exc:
        case cst.Call(func=cst.Name(value=name), args=given):
            kind = lookup(told.frame, told.state, name)
        case _:
            return None
    is_text = all(x.keyword is None and not x.star and told.is_text(x.value) for x in given)
    if not isinstance(kind, Known) or kind.value not in OF_TENSORS or not is_text:
        return None
    return frozenset({kind.value}) if _is_caught(handler, only.cause) else None


def _is_own(handler: cst.ExceptHandler, node: cst.BaseExpression) -> bool:
    """Return whether an expression is the name of what is caught."""
    own = handler.name.name if handler.name is not None else None
    return isinstance(own, cst.Name) and isinstance(node, cst.Name) and own.value == node.value


def _is_caught(handler: cst.ExceptHandler, cause: cst.From | None) -> bool:
    """Return whether an error is raised from none, or from the one that is caught."""
    match cause:
        case None | cst.From(item=cst.Name(value="None")):
            return True
        case cst.From(item=item):
            return _is_own(handler, item)
