"""Removes statements without effect whose results are never read."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rewriter.printing.liveness import names_in, statement_names, terminator_names
from rewriter.program import (
    Block,
    CallStatement,
    Copy,
    Function,
    HostStatement,
    Pattern,
    Statement,
    TensorFromHost,
    TensorStatement,
)
from rewriter.program_names import statement_targets


def remove_dead_statements(function: Function) -> Function:
    """Remove what no effect, branch or result depends on; parts of a pattern become None.

    Works by marking from the effects, so a variable that only feeds itself around a loop
    goes as well. Returns the same function if all of it is needed.
    """
    needed = _needed_variables(function)
    changed = False
    blocks = {}
    for name, block in function.blocks.items():
        kept = tuple(
            statement
            for original in block.statements
            if (statement := _needed_part(original, needed)) is not None
        )
        same = len(kept) == len(block.statements) and all(map(_is, kept, block.statements))
        blocks[name] = block if same else replace(block, statements=kept)
        changed = changed or not same
    return replace(function, blocks=blocks) if changed else function


def has_effect(statement: Statement) -> bool:
    """Return whether a statement must run even if its results are never read."""
    match statement:
        case TensorStatement():
            return bool(statement.updates) or statement.stores_into is not None
        case HostStatement():
            return statement.effect
        case TensorFromHost() | Copy():
            return False
        case CallStatement():
            return True


@dataclass(slots=True)
class _Marking:
    definitions: Mapping[str, list[Statement]]
    needed: set[str] = field(default_factory=set)
    pending: list[str] = field(default_factory=list)

    def need(self, names: frozenset[str]) -> None:
        fresh = sorted(names - self.needed)
        self.needed.update(fresh)
        self.pending.extend(fresh)

    def run(self) -> None:
        while self.pending:
            variable = self.pending.pop()
            for statement in self.definitions.get(variable, ()):
                match statement:
                    case TensorStatement() | HostStatement() | TensorFromHost() | CallStatement():
                        self.need(statement_names(statement))
                    case Copy():
                        for target, source in zip(
                            statement.targets, statement.sources, strict=True
                        ):
                            if target == variable:
                                self.need(names_in(source))


def _needed_variables(function: Function) -> frozenset[str]:
    """Return the variables that an effect, a branch or the result depends on."""
    marking = _Marking(_definitions(function.blocks.values()))
    for block in function.blocks.values():
        marking.need(terminator_names(block.terminator))
        for statement in block.statements:
            if has_effect(statement):
                marking.need(statement_names(statement))
    marking.run()
    return frozenset(marking.needed)


def _definitions(blocks: Iterable[Block]) -> Mapping[str, list[Statement]]:
    definitions = defaultdict(list)
    for block in blocks:
        for statement in block.statements:
            for target in statement_targets(statement):
                definitions[target].append(statement)
    return definitions


def _needed_part(statement: Statement, needed: frozenset[str]) -> Statement | None:
    targets = statement_targets(statement)
    if needed.issuperset(targets) and (targets or has_effect(statement)):
        return statement
    if not has_effect(statement) and needed.isdisjoint(targets):
        return None
    match statement:
        case TensorStatement() | CallStatement():
            pattern = _needed_pattern(statement.pattern, needed)
            same = pattern == statement.pattern
            return statement if same else replace(statement, pattern=pattern)
        case HostStatement():
            return replace(statement, target=None)
        case TensorFromHost():
            return statement
        case Copy():
            pairs = [
                (target, source)
                for target, source in zip(statement.targets, statement.sources, strict=True)
                if target in needed
            ]
            return replace(
                statement,
                targets=tuple(target for target, _ in pairs),
                sources=tuple(source for _, source in pairs),
            )


def _needed_pattern(pattern: Pattern, needed: frozenset[str]) -> Pattern:
    match pattern:
        case None:
            return None
        case str():
            return pattern if pattern in needed else None
        case tuple():
            parts = tuple(_needed_pattern(part, needed) for part in pattern)
            return None if all(part is None for part in parts) else parts


def _is(left: object, right: object) -> bool:
    return left is right
