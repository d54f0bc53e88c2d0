"""Parameters that hide a name which the generated text needs."""

from collections.abc import Collection, Iterable

from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.printing.liveness import statement_names, terminator_names
from rewriter.program import Function


def require_visible(function: Function, needed: Collection[str]) -> None:
    """Raise CompileError where a parameter has one of the names that the text needs.

    Other variables get other names; parameters keep those that callers pass them by.
    """
    hidden = [p.name for p in function.parameters if p.name in needed]
    if hidden:
        raise CompileError([_refusal(name) for name in hidden])


def plain_names(function: Function, tables: Iterable[Collection[str]]) -> frozenset[str]:
    """Return the names in expressions that none of ``tables`` explains: builtins."""
    names: set[str] = set()
    for block in function.blocks.values():
        names.update(terminator_names(block.terminator))
        names.update(*map(statement_names, block.statements))
    return frozenset(names.difference(function.variables, *tables))


def _refusal(name: str) -> Diagnostic:
    return Diagnostic(
        code="DYCL074",
        message=f"the parameter {name!r} hides something else of that name, which the "
        "generated program needs",
        origin=None,
        help="give the parameter another name",
    )
