"""Applies new names to a whole function."""

import ast
from collections.abc import Mapping
from dataclasses import replace

from rewriter.parameters import (
    InputSpec,
    MappingInput,
    ObjectInput,
    SequenceInput,
    StaticInput,
    VariableInput,
)
from rewriter.printing.substitution import renamed
from rewriter.program import (
    Block,
    Branch,
    CallStatement,
    Copy,
    Function,
    HostSpec,
    HostStatement,
    Jump,
    Pattern,
    Raise,
    Return,
    Statement,
    TensorFromHost,
    TensorStatement,
    Terminator,
    Variable,
)

_SEVERAL = HostSpec(description="values of several kinds")


def rename_function(function: Function, names: Mapping[str, str]) -> Function:
    """Return the function with every variable renamed; copies to itself are left out.

    Where variables of different specs get one name, the table says only that it is a
    host value of some kind.
    """
    variables: dict[str, Variable] = {}
    for old, variable in function.variables.items():
        name = names[old]
        first = variables.setdefault(name, replace(variable, name=name))
        if first.spec != variable.spec:
            variables[name] = replace(first, spec=_SEVERAL)
    return replace(
        function,
        parameters=tuple(
            replace(parameter, spec=_renamed_input(parameter.spec, names))
            for parameter in function.parameters
        ),
        variables=variables,
        blocks={block: _renamed_block(b, names) for block, b in function.blocks.items()},
    )


def _renamed_block(block: Block, names: Mapping[str, str]) -> Block:
    statements = (renamed_statement(statement, names) for statement in block.statements)
    return Block(
        statements=tuple(statement for statement in statements if statement is not None),
        terminator=_renamed_terminator(block.terminator, names),
    )


def renamed_statement(statement: Statement, names: Mapping[str, str]) -> Statement | None:
    """Return a statement under new names; None for a copy of a variable to itself."""
    match statement:
        case TensorStatement():
            stored = statement.stores_into
            return replace(
                statement,
                pattern=_renamed_pattern(statement.pattern, names),
                expression=renamed(statement.expression, names),
                stores_into=None if stored is None else renamed(stored, names),
                updates=tuple((names[new], names[old]) for new, old in statement.updates),
                retakes=tuple((names[old], renamed(e, names)) for old, e in statement.retakes),
            )
        case HostStatement():
            return replace(
                statement,
                target=None if statement.target is None else names[statement.target],
                expression=renamed(statement.expression, names),
            )
        case TensorFromHost():
            return replace(
                statement,
                target=names[statement.target],
                expression=renamed(statement.expression, names),
            )
        case Copy():
            return _renamed_copy(statement, names)
        case CallStatement():
            return replace(
                statement,
                pattern=_renamed_pattern(statement.pattern, names),
                arguments=tuple(renamed(argument, names) for argument in statement.arguments),
            )


def _renamed_copy(copy: Copy, names: Mapping[str, str]) -> Copy | None:
    pairs = [
        (names[target], renamed(source, names))
        for target, source in zip(copy.targets, copy.sources, strict=True)
    ]
    kept = [
        (target, source)
        for target, source in pairs
        if not (isinstance(source, ast.Name) and source.id == target)
    ]
    if not kept:
        return None
    targets, sources = zip(*kept, strict=True)
    return replace(copy, targets=targets, sources=sources)


def _renamed_terminator(terminator: Terminator, names: Mapping[str, str]) -> Terminator:
    match terminator:
        case Jump():
            return terminator
        case Branch():
            return replace(terminator, condition=renamed(terminator.condition, names))
        case Return():
            return replace(terminator, value=renamed(terminator.value, names))
        case Raise():
            return replace(terminator, exception=renamed(terminator.exception, names))


def _renamed_pattern(pattern: Pattern, names: Mapping[str, str]) -> Pattern:
    match pattern:
        case None:
            return None
        case str():
            return names[pattern]
        case tuple():
            return tuple(_renamed_pattern(part, names) for part in pattern)


def _renamed_input(spec: InputSpec, names: Mapping[str, str]) -> InputSpec:
    match spec:
        case VariableInput():
            return replace(spec, variable=names[spec.variable])
        case StaticInput():
            return spec
        case SequenceInput():
            items = tuple(_renamed_input(i, names) for i in spec.items)
            return replace(spec, items=items, given=names.get(spec.given or ""))
        case MappingInput():
            pairs = tuple((key, _renamed_input(i, names)) for key, i in spec.items)
            return replace(spec, items=pairs, given=names.get(spec.given or ""))
        case ObjectInput():
            attributes = tuple((name, _renamed_input(i, names)) for name, i in spec.attributes)
            return replace(spec, attributes=attributes, given=names.get(spec.given or ""))
