"""The specialised functions of a program: which are called, their names and parameters."""

import builtins
import keyword
from collections.abc import Iterator, Mapping
from dataclasses import replace

from rewriter.evaluation.calls.call_table import CallTable, Specialisation
from rewriter.leaves import residual_name
from rewriter.parameters import Parameter, VariableInput
from rewriter.printing.cleaning import with_own_variables
from rewriter.program import Block, CallStatement, Function, KnownReference, Statement
from rewriter.temporaries import name_temporaries
from rewriter.unused_parameters import without_unused_parameters

_TAKEN = frozenset(
    {"forward", "observe", "array", "fixed", "left_out", "number", "objects", "make_tensor",
     "stack_tensors", "cat_tensors", "InputError", "Package", "np", "numpy", "torch", "self",
     "KNOWN"}
)  # fmt: skip
"""Names that generated modules use themselves."""


def with_functions(
    entry: Function, table: CallTable, knowns: Mapping[str, KnownReference]
) -> tuple[Function, dict[str, Function]]:
    """Return the entry and the specialised functions that it needs, by readable names."""
    called = _called(entry, table)
    if not called:
        return entry, {}
    names: dict[str, str] = {}
    for each in called:
        names[each.name] = _free(each.hint, {*names.values(), entry.name, *_TAKEN})
    functions = {names[each.name]: _function(each, names) for each in called}
    slim, functions = without_unused_parameters(_renamed(entry, names), functions)
    return with_own_variables(slim), {
        name: with_own_variables(name_temporaries(function, knowns))
        for name, function in functions.items()
    }


def _called(entry: Function, table: CallTable) -> list[Specialisation]:
    """Return the functions that are called from the entry, or from each other, in order."""
    found: dict[str, Specialisation] = {}
    pending = list(_calls(entry))
    while pending:
        name = pending.pop(0)
        if name not in found:
            found[name] = table.finished[name]
            pending += _calls(_function(found[name], {}))
    return list(found.values())


def _calls(function: Function) -> Iterator[str]:
    for block in function.blocks.values():
        for statement in block.statements:
            if isinstance(statement, CallStatement):
                yield statement.function


def _free(hint: str, taken: set[str]) -> str:
    name, count = hint, 0
    while name in taken or keyword.iskeyword(name) or hasattr(builtins, name):
        count += 1
        name = f"{hint}_{count}"
    return name


def _function(made: Specialisation, names: Mapping[str, str]) -> Function:
    variables = made.builder.variables
    parameters = tuple(
        Parameter(name=name, spec=VariableInput(variable=name, spec=variables[name].spec))
        for name in map(residual_name, made.parameters)
    )
    name = names.get(made.name, made.name)
    return _renamed(made.builder.finish(name, parameters, made.entry), names)


def _renamed(function: Function, names: Mapping[str, str]) -> Function:
    """Return the function with its calls by other names."""

    def renamed(statement: Statement) -> Statement:
        if not isinstance(statement, CallStatement):
            return statement
        return replace(statement, function=names.get(statement.function, statement.function))

    return replace(
        function,
        blocks={
            block_id: Block(
                statements=tuple(map(renamed, block.statements)), terminator=block.terminator
            )
            for block_id, block in function.blocks.items()
        },
    )
