"""Nesting: temporaries move into the statement that reads them. For text only.

``_t = self.bn(x); out = F.relu(_t)`` becomes ``out = F.relu(self.bn(x))``. The order of
evaluation stays exactly as it was; variables that the user named are never moved.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rewriter.printing.evaluation_order import is_evaluated_first
from rewriter.printing.naming import is_temporary
from rewriter.printing.substitution import substitute
from rewriter.program import (
    Block,
    Branch,
    CallStatement,
    Copy,
    Function,
    HostStatement,
    Jump,
    Raise,
    Return,
    Statement,
    TensorFromHost,
    TensorStatement,
    Terminator,
)
from rewriter.program_names import (
    call_expression,
    statement_expressions,
    statement_targets,
    terminator_expressions,
)

MAX_WIDTH = 80
"""Longest text of a nested statement, before its indentation."""

Measure = Callable[[ast.expr], int]
"""Returns about how long an expression will be in the text."""


def nest_temporaries(function: Function, measure: Measure) -> Function:
    """Return the function with temporaries nested where that reads well."""
    nesting = _Nesting(function, measure, _single_use_temporaries(function))
    blocks = {name: nesting.block(block) for name, block in function.blocks.items()}
    return replace(function, blocks=blocks)


@dataclass(frozen=True, slots=True)
class _Nesting:
    function: Function
    measure: Measure
    candidates: frozenset[str]

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            while statements and (nested := self._into_statement(statements[-1], statement)):
                statements.pop()
                statement = nested
            statements.append(statement)
        terminator = block.terminator
        while statements and (end := self._into_terminator(statements[-1], terminator)):
            statements.pop()
            terminator = end
        return Block(statements=tuple(statements), terminator=terminator)

    def _into_statement(self, first: Statement, second: Statement) -> Statement | None:
        match second:
            case TensorStatement():
                stored = second.stores_into
                # Python evaluates what is stored before where it is stored.
                places = (second.expression, *(() if stored is None else (stored,)))
                nested = self._nested(first, places, _target_width(self.function, second))
                if nested is None:
                    return None
                return replace(
                    second,
                    expression=nested[0],
                    stores_into=None if stored is None else nested[1],
                )
            case HostStatement() | TensorFromHost():
                places = (second.expression,)
                nested = self._nested(first, places, _target_width(self.function, second))
                return None if nested is None else replace(second, expression=nested[0])
            case CallStatement():
                width = _target_width(self.function, second)
                nested = self._nested(first, second.arguments, width)
                return None if nested is None else replace(second, arguments=tuple(nested))
            case Copy():
                return None

    def _into_terminator(self, first: Statement, end: Terminator) -> Terminator | None:
        nested = self._nested(first, terminator_expressions(end), len("return "))
        if nested is None:
            return None
        match end:
            case Jump():
                return None
            case Branch():
                return replace(end, condition=nested[0])
            case Return():
                return replace(end, value=nested[0])
            case Raise():
                return replace(end, exception=nested[0])

    def _nested(
        self, first: Statement, places: Sequence[ast.expr], extra_width: int
    ) -> Sequence[ast.expr] | None:
        """Return the expressions with the result of ``first`` nested, None if it cannot be."""
        moved = _movable(first)
        if moved is None or moved.name not in self.candidates:
            return None
        if not is_evaluated_first(moved.name, places, after_effect=moved.has_effect):
            return None
        nested = [substitute(place, {moved.name: moved.expression}) for place in places]
        width = extra_width + sum(map(self.measure, nested))
        return nested if width <= MAX_WIDTH else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Movable:
    name: str
    expression: ast.expr
    has_effect: bool


def _movable(statement: Statement) -> _Movable | None:
    """Return what a statement assigns, if it is one variable and nothing else happens."""
    match statement:
        case TensorStatement(pattern=str() as name, stores_into=None, updates=()):
            return _Movable(name=name, expression=statement.expression, has_effect=False)
        case HostStatement(target=str() as name):
            return _Movable(name=name, expression=statement.expression, has_effect=statement.effect)
        case CallStatement(pattern=str() as name):
            return _Movable(name=name, expression=call_expression(statement), has_effect=True)
        case TensorStatement() | HostStatement() | TensorFromHost() | Copy() | CallStatement():
            return None


def _single_use_temporaries(function: Function) -> frozenset[str]:
    """Return the temporaries that are assigned once and read once."""
    reads = Counter(_occurrences(function))
    writes = Counter(
        target
        for block in function.blocks.values()
        for statement in block.statements
        for target in statement_targets(statement)
    )
    return frozenset(
        name
        for name, variable in function.variables.items()
        if is_temporary(variable.hint) and reads[name] == 1 and writes[name] == 1
    )


def _occurrences(function: Function) -> Iterator[str]:
    """Yield each name as often as it is read."""
    for block in function.blocks.values():
        expressions = [*terminator_expressions(block.terminator)]
        for statement in block.statements:
            expressions += statement_expressions(statement)
            if isinstance(statement, TensorStatement):
                yield from (old for _, old in statement.updates)
        for expression in expressions:
            yield from (node.id for node in ast.walk(expression) if isinstance(node, ast.Name))


def _target_width(function: Function, statement: Statement) -> int:
    names = statement_targets(statement)
    return sum(len(function.variables[name].hint) + len(", ") for name in names) + len("= ")
