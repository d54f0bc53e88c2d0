"""The statements that a gradient goes through: what is computed between two tensors of one path.

A gradient is a function of what PyTorch recorded, not of what tensors hold. Blocks that are reached
by tests alone, one after the other, are what a path has certainly run, in this order and once: a
tensor that came about within them is known by its statements, and whatever is older cannot
depend on it.
"""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from rewriter.builder import Builder
from rewriter.program import BlockId, Statement, TensorFromHost, TensorStatement, Variable
from rewriter.program_names import expression_names, statement_expressions, statement_targets
from rewriter.specs import TensorSpec

Place = tuple[int, BlockId, int]
"""A place between statements: the function's builder by its ``id``, the block, and how many
statements stand before it there."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A tensor object that asked for gradients, under which variable, and where it did."""

    tensor: str
    content: str
    place: Place
    was_without: bool
    """Whether it surely was without gradients until then."""


class Broken(Exception):
    """What a gradient goes through is not all known; the text says what is met."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a path has certainly run since its last join or turn of a loop, in order."""

    statements: tuple[tuple[Place, Statement], ...]
    variables: Mapping[str, Variable]

    def records(self) -> bool:
        """Return whether PyTorch records anything of it."""
        return any(isinstance(s, TensorStatement) and s.records for _, s in self.statements)

    def place_of(self, name: str) -> int | None:
        """Return after how many statements a variable is there, None where it is older."""
        for index, (_, statement) in enumerate(self.statements):
            if name in statement_targets(statement):
                return index + 1
        return None

    def now(self, leaf: Leaf) -> tuple[int, str] | None:
        """Return the variable of a tensor that asks for gradients, and since when it has that.

        None where it did so before the line, or was written with gradients: PyTorch raises.
        """
        begins, name = self.index_of(leaf.place), leaf.content
        if begins is None:
            return None
        for index, (_, statement) in enumerate(self.statements):
            new = dict((old, new) for new, old in _updates(statement)).get(name)
            if index < begins or new is None:
                continue
            if not self._is_silent(statement):
                return None
            begins, name = index + 1, new
        return begins, name

    def reads(self, name: str, since: int) -> bool:
        """Return whether a statement from a place on reads a variable, but to detach it."""
        return any(
            name in expression_names(each)
            for _, statement in self.statements[since:]
            if not _is_constant(statement)
            for each in statement_expressions(statement)
        )

    def _is_silent(self, statement: Statement) -> bool:
        """Return whether a write is not recorded: without gradients, or by what is detached."""
        if not isinstance(statement, TensorStatement):
            return False
        written = statement.stores_into or statement.expression
        while isinstance(written, ast.Call | ast.Attribute | ast.Subscript):
            written = written.func if isinstance(written, ast.Call) else written.value
        name = written.id if isinstance(written, ast.Name) else None
        return name in self.detached() or not statement.records

    def detached(self, asking: Collection[str] = ()) -> set[str]:
        """Return the variables of tensors that were detached from what they lie over, and views.

        Views of those that have asked for gradients themselves are left out.
        """
        found, asked = set[str](), set(asking)
        for _, each in self.statements:
            if not isinstance(each, TensorStatement):
                continue
            for names in (found, asked):
                names.update(new for new, old in _updates(each) if old in names)
            for name in statement_targets(each):
                if _detaches(each.expression) or self._is_view(name, each, found - asked):
                    found.add(name)
        return found

    def _is_view(self, name: str, statement: TensorStatement, of: Collection[str]) -> bool:
        """Return whether what a statement makes certainly is a view of one of some tensors."""
        storage = self._storage(name)
        bases = [each for each in _read(statement) if self._storage(each) == storage]
        return storage is not None and bool(bases) and all(each in of for each in bases)

    def _storage(self, name: str) -> int | None:
        spec = self.variables[name].spec if name in self.variables else None
        return spec.storage if isinstance(spec, TensorSpec) else None

    def overwritten(self) -> set[str]:
        """Return the variables whose tensors are written in place."""
        return {old for _, statement in self.statements for _, old in _updates(statement)}

    def written_since(self, part: "Slice") -> Iterator[tuple[str, set[str]]]:
        """Yield what other statements write in place, with what the slice has met before."""
        own, met = dict(part.statements), set[str]()
        for index, (_, statement) in enumerate(self.statements):
            if index in own:
                met.update(statement_targets(own[index]), _read(own[index]))
                continue
            for _, old in _updates(statement):
                yield old, met

    def index_of(self, place: Place) -> int | None:
        """Return how many statements stand before a place, None where that is not on the line."""
        builder, block, length = place
        blocks = [each[1] for each, _ in self.statements]
        if block not in blocks or builder != self.statements[0][0][0]:
            return None
        return blocks.index(block) + length

    def since(self, start: int, targets: Collection[str]) -> "Slice":
        """Return what computes some variables, beginning at a place of the line.

        Raises:
            Broken: where something else than tensor code stands between them.
        """
        needed, found = set(targets), list[tuple[int, TensorStatement]]()
        read: dict[str, None] = dict.fromkeys(targets)
        for index in range(len(self.statements) - 1, start - 1, -1):
            statement = self.statements[index][1]
            if needed.isdisjoint(statement_targets(statement)) or _is_constant(statement):
                continue
            if not isinstance(statement, TensorStatement):
                raise Broken("a decision, a loop or a container of the host")
            found.append((index, statement))
            needed |= set(_read(statement))
            read.update(dict.fromkeys(_read(statement)))
        inner = {name for _, each in found for name in statement_targets(each)}
        return Slice(tuple(reversed(found)), tuple(n for n in read if n not in inner))


@dataclass(frozen=True, slots=True)
class Slice:
    """Statements of a line, by their places on it, and the names that they read from before."""

    statements: tuple[tuple[int, TensorStatement], ...]
    read: tuple[str, ...]

    def made(self) -> set[str]:
        """Return the variables that it assigns."""
        return {name for _, each in self.statements for name in statement_targets(each)}


def line_to(builder: Builder, block: BlockId) -> Line:
    """Return what has certainly run when the end of an open block is reached."""
    blocks = [block]
    while (before := builder.tested_before(blocks[0])) is not None:
        blocks.insert(0, before)
    return Line(
        tuple(
            ((id(builder), each, index), statement)
            for each in blocks
            for index, statement in enumerate(builder.tail(each, 0))
        ),
        builder.variables,
    )


def _is_constant(statement: Statement) -> bool:
    """Return whether what a statement makes has no gradients, whatever it is made of."""
    if isinstance(statement, TensorFromHost):
        return statement.joined is None
    if not isinstance(statement, TensorStatement):
        return False
    return _detaches(statement.expression) or not (statement.records or statement.updates)


def _detaches(expression: ast.expr) -> bool:
    """Return whether an expression is ``x.detach()`` or ``x.data``."""
    called = expression.func if isinstance(expression, ast.Call) else expression
    is_method = called is not expression
    names = "detach" if is_method else "data"
    return isinstance(called, ast.Attribute) and called.attr == names


def _updates(statement: Statement) -> tuple[tuple[str, str], ...]:
    return statement.updates if isinstance(statement, TensorStatement) else ()


def _read(statement: TensorStatement) -> Iterator[str]:
    for expression in statement_expressions(statement):
        yield from expression_names(expression)
    yield from (old for _, old in statement.updates)
