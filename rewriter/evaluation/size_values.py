"""Sizes as run-time integers of the host, and relations between sizes as host tests."""

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst
import sympy
import torch

from rewriter.evaluation.rendering import call_expression, name_expression, render, tensor_of
from rewriter.evaluation.run import Frame, Run
from rewriter.program import HostStatement, ScalarSpec
from rewriter.size_expressions import Size, key_of
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, TupleValue, Value

_EXACT: tuple[Callable[..., Any], ...] = (operator.add, operator.sub, operator.mul, operator.neg)
_BY_POSITIVE: tuple[Callable[..., Any], ...] = (operator.floordiv, operator.mod)
_COMPARISONS: dict[Callable[..., Any], type[sympy.Basic]] = {
    operator.lt: sympy.Lt, operator.le: sympy.Le, operator.gt: sympy.Gt,
    operator.ge: sympy.Ge, operator.eq: sympy.Eq, operator.ne: sympy.Ne,
}  # fmt: skip


class NotOnHost(Exception):
    """A size cannot be computed on the host from what is at hand."""


def shape_value(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return ``tensor.shape``: known, or a tuple with run-time integers."""
    tensor = tensor_of(value)
    assert tensor is not None
    if all(isinstance(size, int) for size in tensor.shape):
        return Known(torch.Size(tensor.shape))
    sizes = (size_value(frame, node, state, value, place) for place in range(tensor.dim()))
    return TupleValue(tuple(sizes), torch.Size)


def size_value(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, dimension: int
) -> Known | ScalarValue:
    """Return ``tensor.shape[dimension]``."""
    tensor = tensor_of(value)
    assert tensor is not None
    size = tensor.shape[dimension]
    key = key_of(size)
    if isinstance(key, int):
        return Known(key)
    assert isinstance(size, torch.SymInt)
    if key in state.sizes:
        return state.sizes[key]
    number = _emit(frame, node, state, _shape_item(frame.run, state, value, dimension), size)
    state.sizes[key] = number
    return number


def _shape_item(run: Run, state: State, value: Value, dimension: int) -> ast.expr:
    shape = ast.Attribute(value=render(run, state, value), attr="shape", ctx=ast.Load())
    return ast.Subscript(value=shape, slice=ast.Constant(value=dimension), ctx=ast.Load())


def _emit(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, size: torch.SymInt
) -> ScalarValue:
    """Emit a host statement that computes a size: no effect, so that calls may fold over it."""
    name = frame.run.builder.variable("_size", int_spec(frame.run, size))
    frame.run.builder.emit(
        state.block,
        HostStatement(target=name, expression=expression, origin=frame.origin(node)),
    )
    frame.run.effects += 1
    return ScalarValue(name, int, size)


def int_spec(run: Run, size: torch.SymInt) -> ScalarSpec:
    """Return the spec of an integer that equals a size."""
    low, high = run.sizes.bounds_of(size.node.expr)
    text = run.sizes.text_of(size.node.expr)
    return ScalarSpec(type=int, minimum=low, maximum=high, size=text)


def sized(run: Run, number: ScalarValue, size: torch.SymInt) -> ScalarValue:
    """Return an integer of the host that is known to equal a size."""
    run.builder.respecify(number.name, int_spec(run, size))
    return ScalarValue(number.name, int, size)


def size_of(run: Run, value: Value) -> Size | None:
    """Return the size that an integer is, with a symbol of its own where it has none yet."""
    match value:
        case Known() if type(value.value) is int:
            return int(value.value)
        case ScalarValue() if value.type is int:
            return value.size if value.size is not None else run.symbol_of(value.name)
        case _:
            return None


def computed_size(
    run: Run, function: Callable[..., Any], operands: tuple[Value, ...]
) -> Size | None:
    """Return the size that an operator gives, None where it is no exact expression."""
    sizes = [size_of(run, operand) for operand in operands]
    if None in sizes:
        return None
    positive = isinstance(sizes[-1], int) and sizes[-1] > 0
    if function not in _EXACT and not (function in _BY_POSITIVE and positive):
        return None
    result = function(*sizes)
    key = key_of(result)
    return key if isinstance(key, int) else run.sizes.made_of(key)


def relation_of(
    run: Run, function: Callable[..., Any], operands: tuple[Value, ...]
) -> sympy.Basic | None:
    """Return the relation between sizes that a comparison of integers is, None for others."""
    if function not in _COMPARISONS:
        return None
    sizes = [size_of(run, operand) for operand in operands]
    if any(size is None for size in sizes) or all(isinstance(size, int) for size in sizes):
        return None
    return _COMPARISONS[function](*(sympy.sympify(key_of(s)) for s in sizes if s is not None))


def decided(run: Run, state: State, relation: sympy.Basic) -> bool | None:
    """Return whether a relation holds on a path, None where it depends."""
    if not relation.free_symbols:
        return bool(relation)
    run.sizes.facts = state.size_facts
    return run.sizes.decide(relation)


def assume(run: Run, state: State, relation: sympy.Basic, truth: bool) -> None:
    """Record on a path that a relation holds or does not."""
    fact = relation if truth else sympy.Not(relation)
    parts = fact.args if isinstance(fact, sympy.And) else (fact,)
    facts = set(state.size_facts)
    for part in parts:
        facts.add(part)
        if isinstance(part, sympy.Ne):
            run.sizes.facts = state.size_facts
            facts |= run.sizes.strictly(part)
    state.size_facts = frozenset(f for f in facts if f.free_symbols)


def branch_on_relation(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    relation: sympy.Basic,
    tensors: list[TensorValue],
) -> Iterator[tuple[State, bool]]:
    """End the block by a test of sizes. Raises NotOnHost where the host cannot make it."""
    condition = host_expression(frame, node, state, relation, tensors)
    arms = frame.run.branch(state, condition, frame.origin(node))
    for arm, truth in arms:
        assume(frame.run, arm, relation, truth)
    return iter(arms)


def host_expression(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: sympy.Basic,
    tensors: list[TensorValue],
) -> ast.expr:
    """Return an expression, or a relation, over sizes as one over host numbers."""

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
        return _end_of_slice(frame, node, state, symbol, tensors)
    for tensor in tensors:
        for dimension, size in enumerate(tensor.fake.shape):
            if key_of(size) == symbol:
                number = size_value(frame, node, state, tensor, dimension)
                assert isinstance(number, ScalarValue)
                return number
    for tensor in tensors:
        for dimension, size in enumerate(tensor.fake.shape):
            key = key_of(size)
            rest = sympy.expand(key - symbol)
            if not isinstance(key, int) and symbol in key.free_symbols and rest.is_Integer:
                whole = size_value(frame, node, state, tensor, dimension)
                assert isinstance(whole, ScalarValue)
                made = frame.run.sizes.made_of(symbol)
                assert isinstance(made, torch.SymInt)
                difference = ast.BinOp(
                    left=name_expression(whole.name),
                    op=ast.Sub(),
                    right=ast.Constant(value=int(rest)),
                )
                state.sizes[symbol] = _emit(frame, node, state, difference, made)
                return state.sizes[symbol]
    raise NotOnHost(str(symbol))


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
    state.sizes[symbol] = _emit(frame, node, state, length, made)
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
    number = _emit(frame, node, state, expression, size)
    state.sizes[key] = number
    return number
