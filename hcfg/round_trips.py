"""Numbers that the host takes out of a tensor, only to make a tensor of them, stay tensors.

    item = confidence.item()                       item = confidence.item()
    tensor = torch.tensor(item, dtype=float32)     kept = confidence.reshape(()).clone()
    test = tensor >= threshold               ->    tensor = kept.clone()
                                                   test = tensor >= threshold

That is how a number is compared with a tensor: what computes the test needs no sub-DNN of its own.
The number stays where the host reads it otherwise. The copy is made where the number is read, as
the tensor's memory may be written to behind that, and once more for each tensor, which may be, too.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch

from hcfg.statements import writes
from rewriter.program import (
    Function,
    HostStatement,
    RewrittenProgram,
    Statement,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
    Variable,
)


def without_round_trips(program: RewrittenProgram) -> RewrittenProgram:
    """Return the program with tensors made of tensors, where they were made of their elements."""
    functions = {name: _direct(function) for name, function in program.functions.items()}
    return replace(program, entry=_direct(program.entry), functions=functions)


def _direct(function: Function) -> Function:
    statements = [each for block in function.blocks.values() for each in block.statements]
    made = {
        (each.expression.id, each.dtype)
        for each in statements
        if isinstance(each, TensorFromHost) and isinstance(each.expression, ast.Name)
    }
    if not made:
        return function
    assignments = Counter(name for each in statements for name in writes(each))
    kept: dict[str, Variable] = {}
    for each in statements:
        if isinstance(each, HostStatement) and each.target and assignments[each.target] == 1:
            spec = _spec_of_source(each, function)
            if spec is not None and (each.target, spec.dtype) in made:
                hint = function.variables[each.target].hint
                name = f"{each.target}_kept"
                kept[each.target] = Variable(name=name, hint=hint, spec=replace(spec, shape=()))
    blocks = {
        block_id: replace(
            block, statements=tuple(s for each in block.statements for s in _instead(each, kept))
        )
        for block_id, block in function.blocks.items()
    }
    added = {variable.name: variable for variable in kept.values()}
    return replace(function, blocks=blocks, variables={**function.variables, **added})


def _spec_of_source(statement: HostStatement, function: Function) -> TensorSpec | None:
    """Return what the tensor is whose only element a statement reads, None for any other one."""
    source = _source(statement)
    variable = None if source is None else function.variables.get(source)
    spec = None if variable is None else variable.spec
    is_one = isinstance(spec, TensorSpec) and all(size == 1 for size in spec.shape)
    return spec if is_one and isinstance(spec, TensorSpec) else None


def _instead(statement: Statement, kept: Mapping[str, Variable]) -> Iterator[Statement]:
    """Yield what runs in the place of a statement; ``kept`` has tensors by their numbers."""
    match statement:
        case HostStatement(target=str() as number) if number in kept:
            yield statement
            yield _copy(kept[number].name, f"{_source(statement)}.reshape(()).clone()", statement)
        case TensorFromHost(target=target, expression=ast.Name(id=number)) if (
            number in kept and kept[number].spec == _scalar(statement.dtype)
        ):
            yield _copy(target, f"{kept[number].name}.clone()", statement)
        case _:
            yield statement


def _scalar(dtype: torch.dtype) -> TensorSpec:
    return TensorSpec(dtype=dtype, shape=())


def _source(statement: HostStatement) -> str | None:
    """Return the variable of which a statement reads the only element."""
    match statement.expression:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="item"), args=[]):
            return name
        case _:
            return None


def _copy(target: str, text: str, like: HostStatement | TensorFromHost) -> TensorStatement:
    expression = ast.parse(text, mode="eval").body
    return TensorStatement(pattern=target, expression=expression, origin=like.origin)
