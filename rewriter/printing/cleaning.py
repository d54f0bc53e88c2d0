"""Cleaning: what never matters leaves the function, to a fixed point."""

from dataclasses import replace

from rewriter.parameters import input_variables
from rewriter.printing.block_simplification import simplify_blocks
from rewriter.printing.dead_statements import remove_dead_statements
from rewriter.printing.liveness import statement_names, terminator_names
from rewriter.program import Function
from rewriter.program_names import statement_targets


def clean(function: Function) -> Function:
    """Return the function without dead statements, dead branches and needless blocks.

    A function that is clean already is returned as it is.
    """
    cleaned = function
    while True:
        # An arm that lost its last statement makes its branch needless, and a branch that
        # went makes its condition needless: each step gives work to the other.
        simpler = remove_dead_statements(simplify_blocks(cleaned))
        if simpler is cleaned:
            break
        cleaned = simpler
    return cleaned if cleaned is function else with_own_variables(cleaned)


def with_own_variables(function: Function) -> Function:
    """Return the function with those variables only that it assigns or reads."""
    used = {name for parameter in function.parameters for name in input_variables(parameter.spec)}
    for block in function.blocks.values():
        used.update(terminator_names(block.terminator))
        for statement in block.statements:
            used.update(statement_names(statement), statement_targets(statement))
    variables = {name: entry for name, entry in function.variables.items() if name in used}
    return replace(function, variables=variables)
