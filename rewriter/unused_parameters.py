"""Parameters of specialised functions that only go from call to call are left out."""

import ast
from collections.abc import Mapping
from dataclasses import replace

from rewriter.program import Block, CallStatement, Function, Statement, TensorStatement
from rewriter.program_names import expression_names, statement_expressions, terminator_expressions


def without_unused_parameters(
    entry: Function, functions: Mapping[str, Function]
) -> tuple[Function, dict[str, Function]]:
    """Return the entry and the functions without parameters that nothing depends on."""
    needed = _needed(functions)
    kept = {
        name: tuple(p.name in needed for p in function.parameters)
        for name, function in functions.items()
    }
    slim = {
        name: replace(
            _with_calls(function, kept),
            parameters=tuple(p for p in function.parameters if p.name in needed),
        )
        for name, function in functions.items()
    }
    return _with_calls(entry, kept), slim


def _needed(functions: Mapping[str, Function]) -> frozenset[str]:
    """Return the variables that anything but an argument for an unneeded parameter reads."""
    needed: set[str] = set()
    passed: list[tuple[str, frozenset[str]]] = []
    for function in functions.values():
        for block in function.blocks.values():
            for expression in terminator_expressions(block.terminator):
                needed.update(expression_names(expression))
            for statement in block.statements:
                if isinstance(statement, CallStatement):
                    passed += _arguments(statement, functions)
                else:
                    needed |= _read(statement)
    before = -1
    while before != len(needed):
        before = len(needed)
        for parameter, names in passed:
            if parameter in needed:
                needed |= names
    return frozenset(needed)


def _read(statement: Statement) -> set[str]:
    names = {n for e in statement_expressions(statement) for n in expression_names(e)}
    if isinstance(statement, TensorStatement):
        names.update(old for _, old in statement.updates)
    return names


def _arguments(
    call: CallStatement, functions: Mapping[str, Function]
) -> list[tuple[str, frozenset[str]]]:
    """Return each parameter with the variables that its argument reads."""
    parameters = functions[call.function].parameters
    return [
        (parameter.name, frozenset(expression_names(argument)))
        for parameter, argument in zip(parameters, call.arguments, strict=True)
    ]


def _with_calls(function: Function, kept: Mapping[str, tuple[bool, ...]]) -> Function:
    """Return the function with those arguments of its calls that are kept."""

    def slim(statement: Statement) -> Statement:
        if not isinstance(statement, CallStatement):
            return statement
        arguments: tuple[ast.expr, ...] = tuple(
            argument
            for argument, keep in zip(statement.arguments, kept[statement.function], strict=True)
            if keep
        )
        return replace(statement, arguments=arguments)

    return replace(
        function,
        blocks={
            block_id: Block(
                statements=tuple(map(slim, block.statements)), terminator=block.terminator
            )
            for block_id, block in function.blocks.items()
        },
    )
