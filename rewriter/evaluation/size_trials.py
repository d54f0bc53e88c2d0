"""Operations on tensors whose sizes are known only at run time: what holds at every size.

An operation is run with symbols for sizes, under every answer to the comparisons that it
asks and nobody can answer; then again at small numbers, 0 and 1 among them. What comes out
must agree. Where it does not, or where eager raises at some sizes, the path is split by a
test that the host makes; where no test explains it, the program is refused.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import sympy
import torch
from sympy.logic.boolalg import Boolean
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.evaluation.observation import Observer, concrete_copy, quiet_fake_tensors
from rewriter.evaluation.run import Run
from rewriter.evaluation.shape_rules import ShapeRules
from rewriter.evaluation.size_grid import Valuation, concrete, holds_at, is_possible, valuations
from rewriter.size_expressions import expression_of
from rewriter.sizes import Sizes, UndecidedSize
from rewriter.storages import storage_key

_MOST_RUNS = 24
_THRESHOLDS = 6
_LARGEST_TRIED = 1 << 18
"""Elements of operands up to which eager itself is tried where a tensor is empty."""


@dataclass(frozen=True, slots=True)
class Computed:
    """The operation gives this at every size on the path."""

    result: object
    observer: Observer
    related: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    """Tensors that share memory at some sizes."""
    facts: frozenset[sympy.Basic]
    """What holds of the sizes that the operation made."""


@dataclass(frozen=True, slots=True)
class Split:
    """It depends on a relation what the operation gives."""

    relation: sympy.Basic


@dataclass(frozen=True, slots=True)
class Raises:
    """The operation raises where the relation holds."""

    relation: sympy.Basic
    error: Exception


@dataclass(frozen=True, slots=True)
class Undecided:
    """No test of sizes explains what the operation gives."""

    reason: str


Verdict: TypeAlias = Computed | Split | Raises | Undecided


@dataclass(slots=True)
class _Symbolic:
    """One run with symbols."""

    assumed: tuple[sympy.Basic, ...]
    result: object = None
    error: Exception | None = None
    observer: Observer = field(default_factory=Observer)
    required: tuple[sympy.Basic, ...] = ()
    guessed: tuple[sympy.Basic, ...] = ()


@dataclass(slots=True)
class _Probe:
    """One run at numbers, and what the symbols foretell there."""

    values: Valuation
    arguments: list[object]
    keywords: dict[str, object]
    result: object = None
    error: Exception | None = None
    agrees: bool = False


@dataclass(slots=True)
class Trial:
    """One operation with its operands, on one path."""

    run: Run
    compute: Callable[..., object]
    arguments: list[object]
    keywords: dict[str, object]
    symbols: list[sympy.Symbol]
    facts: frozenset[sympy.Basic]

    def verdict(self) -> Verdict:
        """Return what the operation does at every size on the path."""
        runs = self._symbolic_runs()
        if runs is None:
            return Undecided("PyTorch asks too many questions about sizes here")
        if len(runs) == 1 and _is_asked_only(runs[0]):
            return Computed(runs[0].result, runs[0].observer, (), frozenset())
        numbers = [v for v in self._valuations() if is_possible(self._operands(), v)]
        if not numbers:
            return Undecided("no small sizes fit what is known of them")
        probes = [self._probe(values) for values in numbers]
        main = self._main(runs, probes)
        related: list[tuple[torch.Tensor, torch.Tensor]] = []
        for probe in probes:
            own = self._run_at(runs, probe.values)
            probe.agrees = self._agrees(own, probe, related)
        apart = self._differing(runs, main)
        if apart is not None:
            return Split(_positive(apart))
        required = [r for r in main.required if self._is_own(r)]
        if all(probe.agrees for probe in probes) and not required and not self._foreign(main):
            if main.error is not None:
                return Raises(sympy.true, self._eager_error(probes))
            facts = {r for r in main.required if not self._is_own(r)}
            return Computed(main.result, main.observer, tuple(related), frozenset(facts))
        return self._explained(runs, main, probes, required)

    # --- with symbols -------------------------------------------------------------------------

    def _symbolic_runs(self) -> list[_Symbolic] | None:
        """Run the operation under every answer to what it asks."""
        found: list[_Symbolic] = []
        pending: list[tuple[sympy.Basic, ...]] = [()]
        while pending:
            if len(found) + len(pending) > _MOST_RUNS:
                return None
            assumed = pending.pop(0)
            made = self._symbolic(assumed)
            if isinstance(made.error, UndecidedSize):
                asked = made.error.cond
                if not isinstance(asked, Boolean) or not self._is_own(asked):
                    found.append(made)
                    continue
                pending += [(*assumed, asked), (*assumed, sympy.Not(asked))]
                continue
            found.append(made)
        return found

    def _symbolic(self, assumed: tuple[sympy.Basic, ...]) -> _Symbolic:
        sizes = self.run.sizes
        made = _Symbolic(assumed)
        sizes.begin(self.facts | set(_consequences(sizes, self.facts, assumed)))
        forget_memos(self._operands())
        try:
            with (
                torch.no_grad(),
                quiet_fake_tensors(),
                without_cache(self.run.mode),
                enable_python_dispatcher(),
                self.run.mode,
                made.observer,
                ShapeRules(),
            ):
                made.result = self.compute(*self.arguments, **self.keywords)
        except Exception as error:
            made.error = error
        made.required, made.guessed = tuple(sizes.required), tuple(sizes.guessed)
        sizes.pending_fresh_unbacked_symbols.clear()
        return made

    def _is_own(self, relation: sympy.Basic) -> bool:
        """Return whether a relation is about the operands only."""
        return bool(relation.free_symbols <= set(self.symbols))

    def _foreign(self, main: _Symbolic) -> bool:
        """Return whether an equality is required of sizes that the operation made."""
        return any(isinstance(r, sympy.Eq) and not self._is_own(r) for r in main.required)

    def _main(self, runs: list[_Symbolic], probes: list[_Probe]) -> _Symbolic:
        """Return the run for most sizes."""
        if len(runs) == 1:
            return runs[0]
        counts = [sum(_holds(run.assumed, p.values) for p in probes) for run in runs]
        return runs[counts.index(max(counts))]

    def _run_at(self, runs: list[_Symbolic], values: Valuation) -> _Symbolic:
        return next((run for run in runs if _holds(run.assumed, values)), runs[-1])

    def _differing(self, runs: list[_Symbolic], main: _Symbolic) -> sympy.Basic | None:
        """Return a relation on which the kind or the sizes of the result depend."""
        for run in runs:
            if run is main:
                continue
            facts = self.facts | set(_consequences(self.run.sizes, self.facts, run.assumed))
            if not self._alike(main, run, facts):
                other = set(main.assumed)
                return next(
                    _positive(part)
                    for part in run.assumed
                    if part not in other and _positive(part) not in self.facts
                )
        return None

    def _alike(self, main: _Symbolic, run: _Symbolic, facts: frozenset[sympy.Basic]) -> bool:
        if (main.error is None) != (run.error is None) or main.required != run.required:
            return False
        if main.error is not None:
            return True
        left, right = tree_leaves(main.result), tree_leaves(run.result)
        sizes = self.run.sizes
        sizes.facts = facts
        return len(left) == len(right) and all(
            _same_leaf(one, two, sizes) for one, two in zip(left, right, strict=True)
        )

    # --- at numbers ---------------------------------------------------------------------------

    def _operands(self) -> tuple[object, ...]:
        return (self.arguments, self.keywords)

    def _valuations(self) -> list[Valuation]:
        return valuations(self.symbols, self.run.sizes, self.facts)

    def _probe(self, values: Valuation) -> _Probe:
        mode = self.run.probe_mode
        operands: Any = concrete(self._operands(), values, mode)
        probe = _Probe(values, *operands)
        try:
            with torch.no_grad(), quiet_fake_tensors(), mode:
                probe.result = self.compute(*probe.arguments, **probe.keywords)
            if _is_empty((probe.arguments, probe.keywords)):
                probe.error = self._eager_at(probe)  # fakes do not see all that eager refuses
        except Exception as error:
            probe.error = error
        return probe

    def _agrees(
        self,
        main: _Symbolic,
        probe: _Probe,
        related: list[tuple[torch.Tensor, torch.Tensor]],
    ) -> bool:
        """Return whether the result at numbers is what the symbols foretell."""
        if isinstance(probe.error, UndecidedSize):
            return True
        if main.error is not None:
            return probe.error is not None
        if probe.error is not None or not _holds(
            tuple(r for r in main.required if self._is_own(r)), probe.values
        ):
            return False
        foretold, found = tree_leaves(main.result), tree_leaves(probe.result)
        if len(foretold) != len(found):
            return False
        values = {s: sympy.Integer(n) for s, n in probe.values.items()}
        if not all(_fits(one, two, values) for one, two in zip(foretold, found, strict=True)):
            return False
        return self._memory_agrees(foretold, found, probe, related)

    def _memory_agrees(
        self,
        foretold: list[Any],
        found: list[Any],
        probe: _Probe,
        related: list[tuple[torch.Tensor, torch.Tensor]],
    ) -> bool:
        """See which results share memory with which operands, with symbols and at numbers."""
        ours = tree_leaves(self._operands())
        theirs = tree_leaves((probe.arguments, probe.keywords))
        for symbolic, actual in zip(foretold, found, strict=True):
            if not isinstance(symbolic, FakeTensor):
                continue
            for one, two in zip(ours, theirs, strict=True):
                if not isinstance(one, FakeTensor):
                    continue
                shared = storage_key(symbolic) == storage_key(one)
                if storage_key(actual) == storage_key(two) and not shared:
                    related.append((symbolic, one))
                elif shared and storage_key(actual) != storage_key(two) and actual.numel():
                    return False
        return True

    # --- explanations -------------------------------------------------------------------------

    def _explained(
        self,
        runs: list[_Symbolic],
        main: _Symbolic,
        probes: list[_Probe],
        required: list[sympy.Basic],
    ) -> Verdict:
        """Find a relation between the operands' sizes that tells apart what happens."""
        guesses = [g for run in runs for g in run.guessed if self._is_own(g)]
        asked = [_positive(part) for run in runs for part in run.assumed]
        negated = [sympy.Not(r) for r in required]
        candidates = list(dict.fromkeys([*negated, *asked, *guesses, *self._thresholds()]))
        raising = [probe.error is not None for probe in probes]
        if main.error is None:
            for relation in candidates:
                truth = [_holds((relation,), probe.values) for probe in probes]
                if truth == raising and any(raising):
                    return Raises(relation, self._eager_error(probes))
            for relation in candidates:
                truth = [_holds((relation,), probe.values) for probe in probes]
                if any(truth) and all(r for t, r in zip(truth, raising, strict=True) if t):
                    chosen = [p for p, t in zip(probes, truth, strict=True) if t]
                    return Raises(relation, self._eager_error(chosen))
        bad = [not probe.agrees for probe in probes]
        splits = [
            (sum(t != b for t, b in zip(truth, bad, strict=True)), place, relation)
            for place, relation in enumerate([*candidates, *_conjuncts(guesses)])
            if len(set(truth := [_holds((relation,), p.values) for p in probes])) == 2
        ]
        if splits and (any(bad) or self._foreign(main)):
            return Split(_positive(min(splits, key=lambda split: split[:2])[2]))
        for relation in negated:
            return Raises(relation, RuntimeError(f"sizes do not fit: {sympy.Not(relation)}"))
        return Undecided(self._reason(main, probes))

    def _reason(self, main: _Symbolic, probes: list[_Probe]) -> str:
        if isinstance(main.error, UndecidedSize):
            kind = "decided" if isinstance(main.error.cond, Boolean) else "known at compile time"
            return f"{main.error.cond} must be {kind}"
        if main.error is not None:
            return str(main.error).splitlines()[0] if str(main.error) else repr(main.error)
        if self._foreign(main):
            equal = next(r for r in main.required if isinstance(r, sympy.Eq))
            return f"it holds only where {equal.args[0]} == {equal.args[1]}"
        probe = next((probe for probe in probes if not probe.agrees), probes[0])
        at = ", ".join(f"{symbol} = {number}" for symbol, number in probe.values.items())
        return f"its result at {at} is of another kind"

    def _thresholds(self) -> list[sympy.Basic]:
        """Return ``size <= n`` for the sizes of the operands."""
        found: dict[sympy.Basic, None] = {}
        for leaf in tree_leaves(self._operands()):
            if isinstance(leaf, FakeTensor):
                sizes: Iterable[Any] = leaf.shape
            else:
                sizes = (leaf,) if isinstance(leaf, torch.SymInt) else ()
            found |= {expression_of(size): None for size in sizes if isinstance(size, torch.SymInt)}
        relations = [sympy.Le(e, bound) for e in found for bound in range(-1, _THRESHOLDS)]
        expressions = list(found)
        relations += [
            relation
            for i, left in enumerate(expressions)
            for right in expressions[i + 1 :]
            for relation in (sympy.Lt(left, right), sympy.Gt(left, right), sympy.Ne(left, right))
        ]
        return [relation for relation in relations if relation.free_symbols]

    def _eager_error(self, probes: list[_Probe]) -> Exception:
        """Return what eager raises: its own words where they do not depend on the sizes."""
        raising = [probe for probe in probes if probe.error is not None][:6]
        errors = [self._eager_at(probe) or probe.error for probe in raising]
        first = errors[0]
        assert first is not None
        if any(str(error) != str(first) for error in errors):
            return type(first)("the sizes of these tensors do not fit the operation")
        return first

    def _eager_at(self, probe: _Probe) -> Exception | None:
        arguments = tree_map(concrete_copy, probe.arguments)
        keywords = tree_map(concrete_copy, probe.keywords)
        try:
            with torch.no_grad():
                self.compute(*arguments, **keywords)
        except Exception as error:
            return error
        return None


def _is_asked_only(run: _Symbolic) -> bool:
    """Return whether a run gave sizes only, and took nothing for granted."""
    sizes = all(isinstance(leaf, int | torch.SymInt) for leaf in tree_leaves(run.result))
    plain = sizes and not isinstance(run.result, bool)
    return run.error is None and plain and not (run.required or run.observer.written)


def _is_empty(content: object) -> bool:
    """Return whether some tensor has no elements, and the others are small."""
    counts = [x.numel() for x in tree_leaves(content) if isinstance(x, FakeTensor)]
    return 0 in counts and sum(counts) < _LARGEST_TRIED


def _holds(relations: Iterable[sympy.Basic], values: Valuation) -> bool:
    return all(holds_at(relation, values) for relation in relations)


def _positive(relation: sympy.Basic) -> sympy.Basic:
    if isinstance(relation, sympy.Ne):
        return sympy.Eq(*relation.args)
    return relation.args[0] if isinstance(relation, sympy.Not) else relation


def _conjuncts(relations: Iterable[sympy.Basic]) -> list[sympy.Basic]:
    return [p for r in relations if isinstance(r, sympy.And | sympy.Or) for p in r.args]


def _consequences(
    sizes: Sizes, facts: frozenset[sympy.Basic], assumed: Iterable[sympy.Basic]
) -> Iterable[sympy.Basic]:
    """Return facts that follow from what is assumed, plain ones where they are known."""
    for relation in assumed:
        yield relation
        if isinstance(relation, sympy.Ne):
            left, right = relation.args
            sizes.facts = facts
            if sizes.decide(sympy.Ge(left, right)):
                yield sympy.Gt(left, right)
            elif sizes.decide(sympy.Le(left, right)):
                yield sympy.Lt(left, right)


def _same_leaf(one: object, two: object, sizes: Sizes) -> bool:
    if isinstance(one, FakeTensor) and isinstance(two, FakeTensor):
        return (
            one.dtype == two.dtype
            and one.dim() == two.dim()
            and all(_same_size(a, b, sizes) for a, b in zip(one.shape, two.shape, strict=True))
        )
    if isinstance(one, torch.SymInt) or isinstance(two, torch.SymInt):
        return _same_size(one, two, sizes)
    if isinstance(one, bool | int | float | str):
        return type(one) is type(two) and one == two
    return type(one) is type(two)


def _same_size(one: Any, two: Any, sizes: Sizes) -> bool:
    left, right = expression_of(one), expression_of(two)
    if left == right:
        return True
    return sizes.decide(sympy.Eq(left, right)) is True


def _fits(foretold: Any, found: Any, values: dict[sympy.Basic, sympy.Integer]) -> bool:
    """Compare one result; sizes that the operation made take the numbers they have here."""
    if isinstance(foretold, FakeTensor):
        return (
            isinstance(found, torch.Tensor)
            and foretold.dtype == found.dtype
            and foretold.dim() == found.dim()
            and all(
                _size_fits(one, two, values)
                for one, two in zip(foretold.shape, found.shape, strict=True)
            )
        )
    if isinstance(foretold, torch.SymInt):
        return _size_fits(foretold, found, values)
    if isinstance(foretold, bool | int | float | str | None):
        return type(foretold) is type(found) and bool(foretold == found)
    return type(foretold) is type(found)


def _size_fits(foretold: Any, found: Any, values: dict[sympy.Basic, sympy.Integer]) -> bool:
    if not isinstance(found, int):
        return True  # depends on the content at numbers, too
    expression = expression_of(foretold)
    if expression.is_Symbol and expression not in values:
        values[expression] = sympy.Integer(found)
        return True
    at = expression.xreplace(values)
    return bool(at.free_symbols) or int(at) == found


class without_cache:
    """While open, a mode remembers no results: they depend on the facts of a path."""

    def __init__(self, mode: FakeTensorMode) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.before, self.mode.cache_enabled = self.mode.cache_enabled, False

    def __exit__(self, *_: object) -> None:
        self.mode.cache_enabled = self.before


def forget_memos(content: object) -> None:
    """Forget the sizes that operations gave for a tensor's content: it may have changed."""
    for leaf in tree_leaves(content):
        if isinstance(leaf, FakeTensor):
            leaf.nonzero_memo = None
            leaf.item_memo = None
            leaf.unique_memo = None
            leaf.unique_consecutive_memo = None
