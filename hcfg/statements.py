"""What one statement reads, writes and destroys; slices of straight lines.

All of these look at variable names only. A name may be assigned several times: the
program is not in single-assignment form.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from hcfg.graph import is_tensor
from hcfg.names import names_in
from rewriter.program import (
    CallStatement,
    Copy,
    HostStatement,
    Statement,
    TensorFromHost,
    TensorStatement,
    Variable,
)
from rewriter.program_names import statement_expressions, statement_targets

AnyStatement = TypeVar("AnyStatement", bound=Statement)
Variables = Mapping[str, Variable]


def reads(statement: Statement, variables: Variables) -> tuple[str, ...]:
    """Return the run-time variables a statement reads, in order, without repeats.

    A statement that updates ``old`` in place reads it: ``new`` is what ``old`` held, changed.
    """
    names = [n for e in statement_expressions(statement) for n in names_in(e)]
    if isinstance(statement, TensorStatement):
        names += [old for _, old in statement.updates]
    return tuple(dict.fromkeys(name for name in names if name in variables))


def writes(statement: Statement) -> tuple[str, ...]:
    """Return the variables a statement assigns, in order, without repeats."""
    return tuple(dict.fromkeys(statement_targets(statement)))


def clobbers(statement: Statement) -> tuple[str, ...]:
    """Return the variables whose content is gone once the statement has run.

    These are the ``old`` ones of in-place updates. Nobody reads them afterwards, but whoever
    reads them before must stay before.
    """
    match statement:
        case TensorStatement():
            return tuple(old for _, old in statement.updates)
        case HostStatement() | TensorFromHost() | Copy() | CallStatement():
            return ()


def works_in_place(statement: Statement) -> bool:
    """Return whether a statement writes into the storage of an existing tensor."""
    match statement:
        case TensorStatement():
            return bool(statement.updates) or statement.stores_into is not None
        case HostStatement() | TensorFromHost() | Copy() | CallStatement():
            return False


def has_effect(statement: Statement) -> bool:
    """Return whether a statement must run even when nobody reads what it assigns."""
    match statement:
        case HostStatement():
            return statement.effect
        case CallStatement():
            return True
        case TensorStatement() | TensorFromHost() | Copy():
            return False


def may_raise(statement: Statement) -> bool:
    """Return whether tensor code may raise, depending on the content of tensors."""
    return isinstance(statement, TensorStatement) and statement.may_raise


def reads_tensor(statement: Statement, variables: Variables) -> bool:
    """Return whether a statement reads a run-time tensor."""
    return any(is_tensor(name, variables) for name in reads(statement, variables))


def exposed_reads(statements: Iterable[Statement], variables: Variables) -> tuple[str, ...]:
    """Return the variables a straight line reads before it assigns them, in order."""
    written: set[str] = set()
    exposed: dict[str, None] = {}
    for statement in statements:
        for name in reads(statement, variables):
            if name not in written:
                exposed.setdefault(name)
        written.update(writes(statement))
    return tuple(exposed)


def all_writes(statements: Iterable[Statement]) -> tuple[str, ...]:
    """Return the variables a straight line assigns, in order of first assignment."""
    return tuple(dict.fromkeys(name for statement in statements for name in writes(statement)))


def _narrowed(statement: AnyStatement, live: Collection[str]) -> AnyStatement:
    """Return a parallel copy without the parts that nobody reads."""
    if not isinstance(statement, Copy) or all(target in live for target in statement.targets):
        return statement
    pairs = zip(statement.targets, statement.sources, strict=True)
    kept = [(target, source) for target, source in pairs if target in live]
    targets, sources = zip(*kept, strict=True) if kept else ((), ())
    return replace(statement, targets=targets, sources=sources)


def slice_for(
    statements: Sequence[AnyStatement], wanted: Iterable[str], variables: Variables
) -> tuple[tuple[AnyStatement, ...], frozenset[str]]:
    """Return what of a straight line is needed, and what it then needs from before.

    ``wanted`` are the variables read after it. Statements with effects are kept.
    """
    live = set(wanted)
    kept: list[AnyStatement] = []
    for original in reversed(statements):
        statement = _narrowed(original, live)
        targets = set(writes(statement))
        if has_effect(statement) or targets & live:
            kept.append(statement)
            live -= targets
            live.update(reads(statement, variables))
    return tuple(reversed(kept)), frozenset(live)
