"""What numpy raises where an operation on arrays fails: known of the usual ones."""

import ast
from collections.abc import Hashable

import numpy

from rewriter.array_samples import OpenArray
from rewriter.builder import Builder
from rewriter.evaluation.host.operand_types import kind_of, known_object
from rewriter.specs import ScalarSpec

_OF_ARRAYS = frozenset(
    {numpy.unique, numpy.sort, numpy.argsort, numpy.nonzero, numpy.flatnonzero, numpy.argwhere,
     numpy.ravel, numpy.sum, numpy.prod, numpy.cumsum, numpy.any, numpy.all, numpy.copy, numpy.abs,
     numpy.exp, numpy.log, numpy.sqrt, numpy.round, numpy.floor, numpy.ceil, numpy.isnan}
)  # fmt: skip
"""Functions of numpy that give something of any one array of their types, also of an empty one."""
_METHODS_OF_ARRAYS = frozenset(
    {"sum", "prod", "mean", "any", "all", "cumsum", "cumprod", "copy", "ravel", "flatten",
     "tolist", "argsort", "nonzero"}
)  # fmt: skip
"""Methods of numpy's arrays of which that holds, without arguments."""


def errors_of_array(
    builder: Builder, expression: ast.expr
) -> tuple[type[BaseException], ...] | None:
    """Return what numpy may raise: nothing where it computes that of an array of any size."""
    match expression:
        case ast.Call(func=ast.Name(id=name), args=[operand], keywords=[]):
            known = known_object(builder, name)
            of_any = isinstance(known, Hashable) and known in _OF_ARRAYS
            return () if of_any and _is_array(builder, operand) else None
        case ast.Call(func=ast.Attribute(value=operand, attr=name), args=[], keywords=[]):
            of_any = name in _METHODS_OF_ARRAYS
            return () if of_any and _is_array(builder, operand) else None
        case ast.Subscript(value=operand, slice=place):
            parts = place.elts if isinstance(place, ast.Tuple) else [place]
            elements = all(_is_integer(builder, part) for part in parts)
            return (IndexError,) if elements and _is_array(builder, operand) else None
        case _:
            return None


def _is_array(builder: Builder, operand: ast.expr) -> bool:
    return kind_of(builder, operand) in ("ndarray", OpenArray.__name__)


def _is_integer(builder: Builder, part: ast.expr) -> bool:
    """Return whether a part of an index is one of Python's integers, which is there already."""
    match part:
        case (
            ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value))
            | ast.Constant(value=value)
        ):
            return type(value) is int
        case ast.Name(id=name) if name in builder.variables:
            spec = builder.variables[name].spec
            return isinstance(spec, ScalarSpec) and spec.type is int
        case _:
            return False
