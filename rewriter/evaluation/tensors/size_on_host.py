"""Expressions and relations over sizes as the host computes them."""

import ast
from collections.abc import Callable
from contextlib import suppress

import libcst as cst
import sympy
import torch

from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.tensors.size_values import emit_size, size_value
from rewriter.size_expressions import expression_of, key_of
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue


class NotOnHost(Exception):
    """A size cannot be computed on the host from what is at hand."""


def host_expression(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: sympy.Basic,
    tensors: list[TensorValue],
) -> ast.expr:
    """Return an expression, or a relation, over sizes as one over host numbers.

    A sum of sizes that no number or tensor has by itself may be a dimension of a tensor.
    """
    try:
        return _by_parts(frame, node, state, expression, tensors)
    except NotOnHost:
        if isinstance(expression, sympy.Add | sympy.Mul):
            found = _by_dimension(frame, node, state, sympy.expand(expression), tensors)
        else:
            found = _as_dimension(frame, node, state, expression, tensors)
        if found is None:
            raise
        return found


def _by_parts(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: sympy.Basic,
    tensors: list[TensorValue],
) -> ast.expr:
    def host(part: sympy.Basic) -> ast.expr:
        return host_expression(frame, node, state, part, tensors)

    match expression:
        case sympy.Integer():
            return ast.Constant(value=int(expression))
        case sympy.Symbol():
            return name_expression(_number_of(frame, node, state, expression, tensors).name)
        case sympy.Not():
            return ast.UnaryOp(op=ast.Not(), operand=host(expression.args[0]))
        case sympy.And() | sympy.Or():
            joining = ast.And() if isinstance(expression, sympy.And) else ast.Or()
            return ast.BoolOp(op=joining, values=[host(part) for part in _ordered(expression)])
        case sympy.core.relational.Relational():
            expression = _tidy(expression)
            left, right = map(host, expression.args)
            return ast.Compare(
                left=left, ops=[_OPERATORS[expression.rel_op]()], comparators=[right]
            )
        case sympy.Add() | sympy.Mul():
            joined = ast.Add() if isinstance(expression, sympy.Add) else ast.Mult()
            first, *rest = map(host, _ordered(expression))
            for part in rest:
                first = ast.BinOp(left=first, op=joined, right=part)
            return first
        case sympy.Pow() if expression.args[1].is_Integer and expression.args[1] > 0:
            base, power = map(host, expression.args)
            return ast.BinOp(left=base, op=ast.Pow(), right=power)
        case _:
            return _function(host, expression)


def _as_dimension(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: sympy.Basic,
    tensors: list[TensorValue],
) -> ast.expr | None:
    """Return the dimension that an expression is: a quotient of sizes that nothing has alone."""
    for tensor in tensors:
        for dimension, size in enumerate(tensor.fake.shape):
            if expression_of(size) == expression:
                number = size_value(frame, node, state, tensor, dimension)
                assert isinstance(number, ScalarValue)
                return name_expression(number.name)
    return None


def _by_dimension(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: sympy.Basic,
    tensors: list[TensorValue],
) -> ast.expr | None:
    """Return an expression as a multiple of a tensor's dimension, and what is left of it."""
    for tensor in tensors:
        for dimension, size in enumerate(tensor.fake.shape):
            key = expression_of(size)
            factor = _multiples(expression, key) if key.free_symbols else None
            if factor is None:
                continue
            rest = sympy.expand(expression - factor * key)
            if not _is_left(rest, key):
                continue
            number = size_value(frame, node, state, tensor, dimension)
            assert isinstance(number, ScalarValue)
            whole: ast.expr = name_expression(number.name)
            for operation, part in ((ast.Mult(), factor), (ast.Add(), rest)):
                if part != (1 if isinstance(operation, ast.Mult) else 0):
                    other = host_expression(frame, node, state, part, tensors)
                    whole = ast.BinOp(left=whole, op=operation, right=other)
            return whole
    return None


def _is_left(rest: sympy.Basic, size: sympy.Basic) -> bool:
    """Return whether what is left of an expression without a size is found after the size.

    The size's symbols may be within functions that the expression itself has, which have less in
    them than it: those of the size might have it again.
    """
    if not rest.free_symbols & size.free_symbols:
        return True
    plain = bool(size.is_polynomial(*size.free_symbols))
    return plain and not any(rest.coeff(symbol) for symbol in size.free_symbols)


def _multiples(expression: sympy.Basic, size: sympy.Basic) -> sympy.Integer | None:
    """Return how many times a size is in an expression, by one of its terms."""
    symbol = min(size.free_symbols, key=str)
    own, whole = size.coeff(symbol), expression.coeff(symbol)
    factor = whole / own if own.is_Integer and own else None
    return factor if factor is not None and factor.is_Integer and factor else None


_OPERATORS: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip


def _tidy(relation: sympy.Basic) -> sympy.Basic:
    """Return a relation with its numbers on the right."""
    number, rest = sympy.expand(relation.args[0] - relation.args[1]).as_coeff_Add()
    if not number.is_Integer or rest.is_number:
        return relation
    if rest.could_extract_minus_sign():
        return relation.reversed.func(-rest, number)
    return relation.func(rest, -number)


def _ordered(expression: sympy.Basic) -> list[sympy.Basic]:
    return sorted(expression.args, key=lambda part: (bool(part.is_number), str(part)))


def _function(host: Callable[[sympy.Basic], ast.expr], expression: sympy.Basic) -> ast.expr:
    if isinstance(expression, sympy.Piecewise):
        return _choice(host, expression)
    name = type(expression).__name__
    parts = [host(part) for part in _ordered(expression)]
    if name in ("Max", "Min"):
        function = ast.Name(id=name.lower(), ctx=ast.Load())
        return ast.Call(func=function, args=parts, keywords=[])
    if name in ("FloorDiv", "CleanDiv", "Mod", "PythonMod") and len(expression.args) == 2:
        division = ast.FloorDiv() if name.endswith("Div") else ast.Mod()
        left, right = map(host, expression.args)
        return ast.BinOp(left=left, op=division, right=right)
    raise NotOnHost(str(expression))


def _choice(host: Callable[[sympy.Basic], ast.expr], expression: sympy.Piecewise) -> ast.expr:
    """Return the first value whose condition holds, where the last holds in any case."""
    *earlier, (last, otherwise) = expression.args
    if otherwise != sympy.true:
        raise NotOnHost(str(expression))
    chosen = host(last)
    for value, condition in reversed(earlier):
        chosen = ast.IfExp(test=host(condition), body=host(value), orelse=chosen)
    return chosen


def _number_of(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    symbol: sympy.Symbol,
    tensors: list[TensorValue],
) -> ScalarValue:
    """Return the host number that holds a symbol's value; read it from a tensor if need be."""
    if symbol in state.sizes:
        return state.sizes[symbol]
    if symbol in frame.run.number_symbols:
        return frame.run.number_symbols[symbol]
    if symbol in frame.run.sizes.bounds:
        with suppress(NotOnHost):
            return _end_of_slice(frame, node, state, symbol, tensors)
    for tensor in tensors:
        for dimension, size in enumerate(tensor.fake.shape):
            if key_of(size) == symbol:
                number = size_value(frame, node, state, tensor, dimension)
                assert isinstance(number, ScalarValue)
                return number
    for tensor in tensors:
        for dimension, size in enumerate(tensor.fake.shape):
            steps = _as_multiple(key_of(size), symbol)
            if steps is None:
                continue
            whole = size_value(frame, node, state, tensor, dimension)
            assert isinstance(whole, ScalarValue)
            made = frame.run.sizes.made_of(symbol)
            assert isinstance(made, torch.SymInt)
            state.sizes[symbol] = emit_size(frame, node, state, _solved(whole, *steps), made)
            return state.sizes[symbol]
    raise NotOnHost(str(symbol))


def _as_multiple(key: "int | sympy.Basic", symbol: sympy.Symbol) -> tuple[int, int] | None:
    """Return ``(factor, rest)`` where a size is ``factor * symbol + rest``, else None."""
    if isinstance(key, int):
        return None
    factor = key.coeff(symbol)
    rest = sympy.expand(key - factor * symbol)
    return (int(factor), int(rest)) if factor.is_Integer and factor and rest.is_Integer else None


def _solved(whole: ScalarValue, factor: int, rest: int) -> ast.expr:
    """Return ``(whole - rest) // factor``."""
    expression: ast.expr = name_expression(whole.name)
    for operation, number, neutral in ((ast.Sub(), rest, 0), (ast.FloorDiv(), factor, 1)):
        if number != neutral:
            expression = ast.BinOp(left=expression, op=operation, right=ast.Constant(value=number))
    return expression


def _end_of_slice(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    symbol: sympy.Symbol,
    tensors: list[TensorValue],
) -> ScalarValue:
    """Return where a slice ends: ``len(range(size)[:bound])``."""
    bound, size = frame.run.sizes.bounds[symbol]
    stop = host_expression(frame, node, state, bound, tensors)
    whole = call_expression(
        ast.Name(id="range", ctx=ast.Load()),
        [host_expression(frame, node, state, size, tensors)],
    )
    taken = ast.Subscript(value=whole, slice=ast.Slice(upper=stop), ctx=ast.Load())
    length = call_expression(ast.Name(id="len", ctx=ast.Load()), [taken])
    made = frame.run.sizes.made_of(symbol)
    assert isinstance(made, torch.SymInt)
    state.sizes[symbol] = emit_size(frame, node, state, length, made)
    return state.sizes[symbol]


def number_from_size(
    frame: Frame, node: cst.CSTNode, state: State, size: torch.SymInt, tensors: list[TensorValue]
) -> Known | ScalarValue:
    """Return a size that an operation gave, as a number of the host."""
    key = key_of(size)
    if isinstance(key, int):
        return Known(key)
    if key in state.sizes:
        return state.sizes[key]
    expression = host_expression(frame, node, state, key, tensors)
    number = emit_size(frame, node, state, expression, size)
    state.sizes[key] = number
    return number
