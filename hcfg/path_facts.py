"""What a path knows of host values: which expressions variables are, and what tests have said.

An expression is written in one way, with what is known put in and numbers computed: after
``k = 0; n = len(items)`` the test ``k < n`` is ``0 < len(items)``. Only expressions are looked at
that give the same until something is assigned or changed: no elements of tensors.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from hcfg.graph import HostCode
from hcfg.names import names_in
from hcfg.plain_expressions import (
    Bounds,
    comparison,
    is_number,
    looks_into_objects,
    names_of,
    only_reads,
    outcome_within,
    parsed,
    reads_element,
    said,
    within,
)
from hcfg.plain_spelling import Spelling, Unstable
from hcfg.statements import writes
from rewriter.printing.expression_text import plain_text
from rewriter.printing.substitution import substitute
from rewriter.program import (
    CallStatement,
    Copy,
    HostSpec,
    HostStatement,
    KnownReference,
    ScalarSpec,
    Statement,
    Variable,
)

_MOST_CHARACTERS = 200
"""Of an expression that is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known at one place of one path."""

    variables: Mapping[str, Variable]
    knowns: Mapping[str, KnownReference]
    pure: Collection[str] = frozenset()
    """Functions of the program that change nothing."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Variables, and the expressions they are."""
    holders: Mapping[str, str] = field(default_factory=dict)
    """Elements that were read, and the variable that each was read into."""
    outcomes: Mapping[str, bool] = field(default_factory=dict)
    """Tests, and how they came out."""
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    """Integers that were compared with numbers."""

    @property
    def key(self) -> object:
        """Return what tells whether two paths know the same."""
        tables: tuple[Mapping[str, object], ...]
        tables = self.values, self.holders, self.outcomes, self.bounds
        return tuple(frozenset(table.items()) for table in tables)

    def decided(self, condition: ast.expr) -> bool | None:
        """Return how a test comes out, None where that is not known."""
        try:
            return self._outcome(self._plain(condition))
        except Unstable:
            return None

    def told(self, condition: ast.expr, outcome: bool) -> "Facts":
        """Return what is known behind a test."""
        try:
            test = self._plain(condition)
        except Unstable:
            return self
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, outcome = test.operand, not outcome
        compared = comparison(test)
        if compared is not None and (outcome or compared[1] is not ast.Eq):
            text, operation, number = compared
            bounds = within(self._bounds_of(text), said(operation, number, outcome))
            return replace(self, bounds={**self.bounds, text: bounds})
        if not self._stays(test):
            return self
        return replace(self, outcomes={**self.outcomes, plain_text(test): outcome})

    def after(self, statement: Statement) -> "Facts":
        """Return what is known once a statement of the host has run."""
        found: dict[str, str] = {}
        match statement:
            case HostStatement(target=str() as target):
                self._note(target, statement.expression, found)
            case Copy():
                for name, source in zip(statement.targets, statement.sources, strict=True):
                    self._note(name, source, found)
            case _:  # tensors, results of calls, effects
                pass
        known = self._unchanged() if self._changes_something(statement) else self
        known = known.without(writes(statement))
        kept = {n: t for n, t in found.items() if names_of(t).isdisjoint(writes(statement))}
        if not kept:
            return known
        read = isinstance(statement, HostStatement)
        new = {t: n for n, t in kept.items() if read and reads_element(t)}
        return replace(known, values={**known.values, **kept}, holders={**new, **known.holders})

    def without(self, names: Iterable[str]) -> "Facts":
        """Return what is still known after variables got new values."""
        gone = {*names}
        if not gone:
            return self
        return self._filtered(lambda text: names_of(text).isdisjoint(gone), gone)

    def only(self, names: Collection[str], live: Collection[str]) -> "Facts":
        """Return what is known of some variables, and of what they are made of.

        And what was read, as long as it may be read again: its container is a live variable.
        """
        roots = {*names}
        for name, text in self.values.items():
            if name in roots:
                roots |= names_of(text)
        values = {
            name: text
            for name, text in self.values.items()
            if (name in roots and self._is_about(text, roots))
            or (reads_element(text) and self._is_about(text, live))
        }
        known = self._filtered(lambda text: self._is_about(text, roots), ())
        holders = {t: name for t, name in self.holders.items() if self._is_about(t, live)}
        return replace(known, values=values, holders=holders)

    def holder(self, name: str) -> str:
        """Return the variable that an element was first read into, of one that holds it as well."""
        return self.holders.get(self.values.get(name, ""), name)

    def simplified(self, statement: HostCode) -> HostCode:
        """Return a statement with the numbers that are known, and without reading a thing again."""
        match statement:
            case HostStatement(target=str() as target, expression=expression):
                found: dict[str, str] = {}
                self._note(target, expression, found)
                source = self._source(found.get(target), target)
                if source is not None:
                    return Copy(targets=(target,), sources=(source,), origin=statement.origin)
                return replace(statement, expression=self._with_numbers(expression))
            case Copy():
                sources = tuple(self._with_numbers(source) for source in statement.sources)
                return replace(statement, sources=sources)
            case _:
                return statement

    def cannot_raise(self, statement: Statement) -> bool:
        """Return whether a statement with an effect does nothing, and is known to raise nothing."""
        match statement:
            case HostStatement(expression=ast.Subscript(value=ast.Name(id=name), slice=place)):
                return self._is_element(name, place)
            case HostStatement(expression=ast.List(elts=[])):
                return True
            case _:
                return False

    def _is_element(self, name: str, place: ast.expr) -> bool:
        spec = self.variables[name].spec if name in self.variables else None
        if not isinstance(spec, HostSpec) or spec.description != "list":
            return False
        length = ast.Call(ast.Name("len", ast.Load()), [ast.Name(name, ast.Load())], [])
        ends_before = self.decided(ast.Compare(place, [ast.Lt()], [length]))
        is_negative = self.decided(ast.Compare(place, [ast.Lt()], [ast.Constant(0)]))
        return ends_before is True and is_negative is False

    def _source(self, text: str | None, target: str) -> ast.expr | None:
        """Return a constant, or a variable that holds it, in the place of an expression."""
        if text is None:
            return None
        if is_number(text):
            return parsed(text)
        known = self.holders.get(text, target)
        return None if known == target else ast.Name(known, ast.Load())

    def _with_numbers(self, expression: ast.expr) -> ast.expr:
        numbers = {
            name: parsed(self.values[name])
            for name in names_in(expression)
            if name in self.values and is_number(self.values[name])
        }
        return substitute(expression, numbers) if numbers else expression

    def _changes_something(self, statement: Statement) -> bool:
        match statement:
            case CallStatement():
                return statement.function not in self.pure
            case HostStatement():
                fills = any(self._is_filled(name) for name in names_in(statement.expression))
                return statement.effect and (fills or not only_reads(statement.expression))
            case _:
                return False

    def _is_filled(self, name: str) -> bool:
        """Return whether reading an element of a variable may add it."""
        spec = self.variables[name].spec if name in self.variables else None
        return isinstance(spec, HostSpec) and "defaultdict" in (spec.description or "")

    def _unchanged(self) -> "Facts":
        """Return what no change of an object can touch."""
        return self._filtered(lambda text: not looks_into_objects(text), ())

    def _filtered(self, keep: Callable[[str], bool], gone: Collection[str]) -> "Facts":
        return replace(
            self,
            values={n: t for n, t in self.values.items() if n not in gone and keep(t)},
            holders={t: n for t, n in self.holders.items() if n not in gone and keep(t)},
            outcomes={t: outcome for t, outcome in self.outcomes.items() if keep(t)},
            bounds={t: bounds for t, bounds in self.bounds.items() if keep(t)},
        )

    def _is_about(self, text: str, names: Collection[str]) -> bool:
        """Return whether an expression has no other variables than some."""
        return all(name in names or name not in self.variables for name in names_of(text))

    def _note(self, target: str, source: ast.expr, found: dict[str, str]) -> None:
        try:
            text = plain_text(self._plain(source))
        except Unstable:
            return
        if len(text) <= _MOST_CHARACTERS and target not in names_of(text):
            found[target] = text

    def _plain(self, expression: ast.expr) -> ast.expr:
        return Spelling(self.variables, self.knowns, self.values).of(expression)

    def _stays(self, test: ast.expr) -> bool:
        """Return whether a test comes out alike until something it names is assigned or changed."""
        match test:
            case ast.Name(id=name) if name in self.variables:  # not a list that may become empty
                return isinstance(self.variables[name].spec, ScalarSpec)
            case _:
                return isinstance(test, ast.Compare)

    def _outcome(self, test: ast.expr) -> bool | None:
        match test:
            case ast.Constant(value=value):
                return bool(value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._outcome(operand)
                return None if inner is None else not inner
            case _:
                pass
        known = self.outcomes.get(plain_text(test))
        compared = comparison(test)
        if known is not None or compared is None:
            return known
        text, operation, number = compared
        return outcome_within(self._bounds_of(text), operation, number)

    def _bounds_of(self, text: str) -> Bounds:
        is_length = isinstance(parsed(text), ast.Call)
        return self.bounds.get(text, (0 if is_length else None, None))
