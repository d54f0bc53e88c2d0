"""The text of one function of the host program."""

import ast
import builtins
import keyword
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from codegen_host.marks import without_marks
from codegen_host.references import HostReferences
from rewriter.printing.block_simplification import simplify_blocks
from rewriter.printing.conditions import join_conditions
from rewriter.printing.expression_text import expression_text
from rewriter.printing.naming import name_variables
from rewriter.printing.nesting import nest_temporaries
from rewriter.printing.python_text import body_lines
from rewriter.printing.renaming import rename_function
from rewriter.printing.signature import argument_lines, signature_text
from rewriter.program import Function

_NEVER_NESTED = 10_000


def definition_lines(function: Function, references: HostReferences) -> list[str]:
    """Return the lines of a named function."""
    return [
        f"def {function.name}({signature_text(function, None)}):",
        *(f"    {line}" for line in argument_lines(function)),
        *body_lines(function, references.expressions),
    ]


def readable(
    function: Function,
    references: HostReferences,
    subdnns: Sequence[str],
    taken: Set[str],
    *,
    is_entry: bool,
) -> Function:
    """Return the function with temporaries nested and variables named by the user's names.

    Calls of sub-DNNs keep a line of their own.
    """
    hints = {name: ast.Name(v.hint, ast.Load()) for name, v in function.variables.items()}
    spelled = {**hints, **references.expressions}
    called = frozenset(subdnns)

    def measure(expression: ast.expr) -> int:
        if _calls_inside(expression, called):
            return _NEVER_NESTED
        return len(expression_text(without_marks(expression), spelled))

    nested = nest_temporaries(simplify_blocks(function), measure)
    named = name_variables(join_conditions(nested, measure), taken, is_entry=is_entry)
    plain = simplify_blocks(named)  # names made copies needless, and so their blocks
    parameters = {parameter.name for parameter in plain.parameters}
    others = [name for name in plain.variables if name not in parameters]
    renamed = _without_underscores(others, taken | parameters)
    return rename_function(plain, {**renamed, **{name: name for name in parameters}})


def _without_underscores(names: Iterable[str], taken: Collection[str]) -> Mapping[str, str]:
    """Return nicer names for variables that the evaluator made up: ``test`` for ``_test``."""
    used = {*names, *taken, *keyword.kwlist, *dir(builtins)}
    renamed: dict[str, str] = {}
    for name in names:
        plain = name.lstrip("_")
        free = plain.isidentifier() and plain not in used
        renamed[name] = plain if free else name
        used.add(renamed[name])
    return renamed


def _calls_inside(expression: ast.expr, names: frozenset[str]) -> bool:
    """Return whether an expression calls one of ``names`` elsewhere than at its top."""
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
        for node in ast.walk(expression)
        if node is not expression
    )
