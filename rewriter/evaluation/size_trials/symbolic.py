"""Runs of an operation with symbols for sizes: one for every answer to what it asks."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sympy
import torch
from sympy.logic.boolalg import Boolean
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.observation import (
    Observer,
    WritesModel,
    forget_memos,
    quiet_fake_tensors,
)
from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.tensors.shape_rules import ShapeRules
from rewriter.evaluation.tensors.shown_code import ShownCode
from rewriter.size_expressions import expression_of
from rewriter.sizes import Sizes, UndecidedSize

_MOST_RUNS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolicRun:
    """One run with symbols."""

    assumed: tuple[sympy.Basic, ...]
    """The answers that it was given."""
    result: object
    error: Exception | None
    observer: Observer
    required: tuple[sympy.Basic, ...]
    """What the operation took for granted."""
    guessed: tuple[sympy.Basic, ...]
    """Comparisons that it went on from as if they were false."""

    @property
    def gives_sizes_only(self) -> bool:
        """Return whether the run gave nothing but sizes, and took nothing for granted."""
        sizes = all(isinstance(leaf, int | torch.SymInt) for leaf in tree_leaves(self.result))
        plain = sizes and not isinstance(self.result, bool)
        return self.error is None and plain and not (self.required or self.observer.written)


def symbolic_runs(call: SizedCall) -> list[SymbolicRun] | None:
    """Run an operation under every answer to what it asks; None where it asks too much."""
    found: list[SymbolicRun] = []
    pending: list[tuple[sympy.Basic, ...]] = [()]
    while pending:
        if len(found) + len(pending) > _MOST_RUNS:
            return None
        assumed = pending.pop(0)
        made = run_with_symbols(call, assumed)
        asked = _question(call, made)
        if asked is None:
            found.append(made)
        else:
            pending += [(*assumed, asked), (*assumed, sympy.Not(asked))]
    return found


def _question(call: SizedCall, run: SymbolicRun) -> sympy.Basic | None:
    """Return what a run must be told of the operands to come to an end."""
    if not isinstance(run.error, UndecidedSize):
        return None
    asked = run.error.cond
    is_question = isinstance(asked, Boolean) and not isinstance(asked, sympy.Symbol)
    return asked if is_question and call.is_own(asked) else None


def run_with_symbols(call: SizedCall, assumed: tuple[sympy.Basic, ...]) -> SymbolicRun:
    """Run an operation with symbols, where some answers are assumed."""
    sizes, observer = call.run.sizes, Observer()
    result: object = None
    raised: Exception | None = None
    sizes.begin(facts_under(call, assumed))
    forget_memos(call.operands)
    try:
        with (
            torch.no_grad(),
            quiet_fake_tensors(),
            _without_cache(call.run.mode),
            enable_python_dispatcher(),
            call.run.mode,
            observer,
            ShapeRules(),
            ShownCode(),
        ):
            result = call.compute(*call.arguments, **call.keywords)
    except WritesModel:
        sizes.pending_fresh_unbacked_symbols.clear()
        raise
    except Exception as error:
        raised = error
    required, guessed = tuple(sizes.required), tuple(sizes.guessed)
    sizes.pending_fresh_unbacked_symbols.clear()
    return SymbolicRun(
        assumed=assumed,
        result=result,
        error=raised,
        observer=observer,
        required=required,
        guessed=guessed,
    )


@contextmanager
def _without_cache(mode: FakeTensorMode) -> Iterator[None]:
    """Let a mode remember no results: they depend on the facts of a path."""
    before, mode.cache_enabled = mode.cache_enabled, False
    try:
        yield
    finally:
        mode.cache_enabled = before


def facts_under(call: SizedCall, assumed: Sequence[sympy.Basic]) -> frozenset[sympy.Basic]:
    """Return what holds where answers are assumed, with what follows from them plainly."""
    sizes = call.run.sizes
    following = set(assumed)
    for relation in assumed:
        if isinstance(relation, sympy.Ne):
            sizes.facts = call.facts
            following |= sizes.strictly(relation)
    return call.facts | following


# --- the runs compared ----------------------------------------------------------------------


def differing(call: SizedCall, runs: list[SymbolicRun], main: SymbolicRun) -> sympy.Basic | None:
    """Return a relation on which the kind or the sizes of the result depend."""
    for run in runs:
        if run is not main and not _alike(call, main, run):
            other = set(main.assumed)
            return next(
                positive(part)
                for part in run.assumed
                if part not in other and positive(part) not in call.facts
            )
    return None


def _alike(call: SizedCall, main: SymbolicRun, run: SymbolicRun) -> bool:
    if (main.error is None) != (run.error is None) or main.required != run.required:
        return False
    if main.error is not None:
        return True
    left, right = tree_leaves(main.result), tree_leaves(run.result)
    sizes = call.run.sizes
    sizes.facts = facts_under(call, run.assumed)
    return len(left) == len(right) and all(
        _same_leaf(one, two, sizes) for one, two in zip(left, right, strict=True)
    )


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


def positive(relation: sympy.Basic) -> sympy.Basic:
    """Return a relation or its negation: the one that is not a negation."""
    if isinstance(relation, sympy.Ne):
        return sympy.Eq(*relation.args)
    return relation.args[0] if isinstance(relation, sympy.Not) else relation
