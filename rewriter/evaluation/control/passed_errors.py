"""Clauses of ``try`` statements that end no error: what they catch goes on as its like."""

import functools

import libcst as cst

from rewriter.descendants import descendants

Kinds = tuple[type[BaseException], ...]
OF_TENSORS = (RuntimeError, IndexError)
"""What operations of PyTorch raise because of the content of tensors."""
_DOES_MORE = (cst.Call, cst.Await, cst.Yield, cst.NamedExpr, cst.Lambda, cst.BaseComp)


def ending(node: cst.Try, caught: list[Kinds]) -> list[Kinds]:
    """Return those of what is caught that another error, or none, may come of.

    After the clauses may come what ``finally`` ends.
    """
    count = len(node.handlers)
    pairs = zip(node.handlers, caught[:count], strict=True)
    return [kinds for one, kinds in pairs if not _passes_on(one, kinds)] + caught[count:]


def _passes_on(handler: cst.ExceptHandler, kinds: Kinds) -> bool:
    """Return whether a clause only raises what it catches, or an error of the very class."""
    raised = _only_raise(handler)
    if raised is None:
        return False
    if raised.exc is None:
        return True
    return len(kinds) == 1 and kinds[0] in OF_TENSORS and _is_of_class(handler, raised.exc)


@functools.lru_cache(maxsize=1024)
def _only_raise(handler: cst.ExceptHandler) -> cst.Raise | None:
    """Return the ``raise`` that is all of a clause."""
    match handler.body:
        case cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Raise() as only])]):
            return only
        case cst.SimpleStatementSuite(body=[cst.Raise() as only]):
            return only
        case _:
            return None


def _is_of_class(handler: cst.ExceptHandler, exception: cst.BaseExpression) -> bool:
    """Return whether an expression only makes an error of the class that the clause names."""
    kind = handler.type
    if kind is None or not isinstance(exception, cst.Call) or not kind.deep_equals(exception.func):
        return False
    return not any(
        isinstance(inner, _DOES_MORE) for one in exception.args for inner in descendants(one)
    )
