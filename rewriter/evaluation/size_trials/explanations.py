"""Relations between the sizes of operands that tell apart what an operation does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
import torch
from sympy.logic.boolalg import Boolean
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.probes import OF_SOME_SIZES, Probe, eager_error, probe
from rewriter.evaluation.size_trials.symbolic import SymbolicRun, positive
from rewriter.evaluation.size_trials.trial_sizes import trial_sizes
from rewriter.evaluation.size_trials.verdicts import Raises, Split, Undecided
from rewriter.evaluation.tensors.size_grid import all_hold
from rewriter.size_expressions import expression_of
from rewriter.size_orders import order
from rewriter.sizes import UndecidedSize

_THRESHOLDS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Observations:
    """What was seen of an operation that does not do one thing at every size."""

    call: SizedCall
    runs: Sequence[SymbolicRun]
    main: SymbolicRun
    """The run for most sizes."""
    probes: Sequence[Probe]
    agreeing: Sequence[bool]
    """Which probes gave what their run foretells."""

    @property
    def required(self) -> list[sympy.Basic]:
        """Return what the operation takes for granted of its operands."""
        return [r for r in self.main.required if self.call.is_own(r)]

    @property
    def requires_of_result(self) -> bool:
        """Return whether an equality is required of sizes that the operation made."""
        return any(isinstance(r, sympy.Eq) and not self.call.is_own(r) for r in self.main.required)


def explained(seen: Observations) -> Split | Raises | Undecided:
    """Find a relation between the operands' sizes that tells apart what happens."""
    negated = [sympy.Not(r) for r in seen.required]
    guesses = [g for run in seen.runs for g in run.guessed if seen.call.is_own(g)]
    asked = [positive(part) for run in seen.runs for part in run.assumed]
    if all(probe.error is not None for probe in seen.probes) and (
        any(seen.call.decided(relation) for relation in negated)
        or all(probe.of_content for probe in seen.probes)
    ):
        return always_raises(seen)
    possible = dict.fromkeys([*negated, *asked, *guesses, *_thresholds(seen.call.operands)])
    candidates = [relation for relation in possible if seen.call.decided(relation) is None]
    found = _raising(seen, candidates) or _splitting(seen, [*candidates, *_conjuncts(guesses)])
    if found is not None:
        return found
    for relation in negated:
        if not _is_survived(seen, relation):
            return Raises(relation, RuntimeError(OF_SOME_SIZES))
        if seen.call.decided(relation) is None:
            return Split(positive(relation))
    return Undecided(reason(seen))


def _is_survived(seen: Observations, relation: sympy.Basic) -> bool:
    """Return whether eager raises nothing at some size where a relation holds.

    A run may take for granted what eager does not ask for: a row expanded to two is one, not two.
    """
    truths = zip(_truths(relation, seen.probes), seen.probes, strict=True)
    return any(holds and each.error is None for holds, each in truths)


def _raising(seen: Observations, candidates: list[sympy.Basic]) -> Raises | None:
    """Return where eager raises: exactly where a relation holds, or at least there."""
    if seen.main.error is not None:
        return None
    raising = [probe.error is not None for probe in seen.probes]
    tables = [(relation, _truths(relation, seen.probes)) for relation in candidates]
    exact = [(relation, truths) for relation, truths in tables if truths == raising]
    for relation, truths in [*exact, *tables]:
        if not any(truths) or not all(r for t, r in zip(truths, raising, strict=True) if t):
            continue
        if _always_raises(seen, relation):
            chosen = [p for p, t in zip(seen.probes, truths, strict=True) if t]
            error = eager_error(seen.call, chosen)
            if error is not None:
                return Raises(relation, error)
    return None


def always_raises(seen: Observations) -> Raises | Undecided:
    """Return the verdict on an operation that raises wherever it was tried."""
    error = eager_error(seen.call, seen.probes)
    if error is None:
        return Undecided("it is not known which error PyTorch raises")
    return Raises(sympy.true, error)


def _always_raises(seen: Observations, relation: sympy.Basic) -> bool:
    """Try an operation at sizes chosen for a relation: those seen so far may be few of many."""
    tried = [each.values for each in seen.probes]
    chosen = trial_sizes(seen.call, seen.runs, relation)
    return all(probe(seen.call, at).error is not None for at in chosen if at not in tried)


def _splitting(seen: Observations, candidates: list[sympy.Basic]) -> Split | None:
    """Return the relation that best tells what was foretold from what was not."""
    if all(seen.agreeing) and not seen.requires_of_result:
        return None
    splits = [
        (sum(t == a for t, a in zip(truths, seen.agreeing, strict=True)), place, relation)
        for place, relation in enumerate(candidates)
        if len(set(truths := _truths(relation, seen.probes))) == 2
    ]
    return Split(positive(min(splits, key=lambda split: split[:2])[2])) if splits else None


def _truths(relation: sympy.Basic, probes: Sequence[Probe]) -> list[bool]:
    return [all_hold((relation,), probe.values) for probe in probes]


def _thresholds(operands: object) -> list[sympy.Basic]:
    """Return ``size <= n`` for the sizes of the operands, and how these compare."""
    found: dict[sympy.Basic, None] = {}
    for leaf in tree_leaves(operands):
        if isinstance(leaf, FakeTensor):
            sizes: Iterable[Any] = leaf.shape
        else:
            sizes = (leaf,) if isinstance(leaf, torch.SymInt) else ()
        found |= {expression_of(size): None for size in sizes if isinstance(size, torch.SymInt)}
    relations = [
        order(sympy.Le, e, sympy.Integer(bound)) for e in found for bound in range(-1, _THRESHOLDS)
    ]
    expressions = list(found)
    relations += [
        relation
        for i, left in enumerate(expressions)
        for right in expressions[i + 1 :]
        for relation in (
            order(sympy.Lt, left, right),
            order(sympy.Gt, left, right),
            sympy.Ne(left, right),
        )
    ]
    return [relation for relation in relations if relation.free_symbols]


def reason(seen: Observations) -> str:
    """Return why no test of sizes tells apart what an operation does."""
    error = seen.main.error
    if isinstance(error, UndecidedSize):
        kind = "decided" if isinstance(error.cond, Boolean) else "known at compile time"
        return f"{error.cond} must be {kind}"
    if error is not None:
        return str(error).splitlines()[0] if str(error) else repr(error)
    if seen.requires_of_result:
        equal = next(r for r in seen.main.required if isinstance(r, sympy.Eq))
        return f"it holds only where {equal.args[0]} == {equal.args[1]}"
    differing = (p for p, agrees in zip(seen.probes, seen.agreeing, strict=True) if not agrees)
    one = next(differing, seen.probes[0])
    at = ", ".join(f"{symbol} = {number}" for symbol, number in one.values.items())
    return f"its result at {at} is of another kind"


def _conjuncts(relations: Iterable[sympy.Basic]) -> list[sympy.Basic]:
    return [p for r in relations if isinstance(r, sympy.And | sympy.Or) for p in r.args]
