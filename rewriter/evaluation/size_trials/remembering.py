"""Verdicts on operations that were judged before, under other names for the same sizes."""

import re
from dataclasses import dataclass, replace

import sympy
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.likeness import Likeness
from rewriter.evaluation.size_trials.remembered_layouts import (
    SizedLayout,
    is_plain,
    layout_of,
)
from rewriter.evaluation.size_trials.symbolic import facts_under, run_with_symbols
from rewriter.evaluation.size_trials.verdicts import Computed, Raises, Split, Undecided, Verdict

_NAMES_A_SYMBOL = re.compile(r"\bu\d+\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """It computes its result in one way: run again, it gives fresh tensors and symbols."""

    assumed: tuple[sympy.Basic, ...]
    related: tuple[tuple[int, int], ...]
    """Places among the leaves of the result and of the operands."""
    result: FakeTensor | None = None
    """What it gave the last time that it was run, if that is one plain tensor."""
    layout: SizedLayout | None = None
    """What it gives, where nothing else comes of it: then it need not be run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """One verdict, and the symbols of the operation that it was given on."""

    verdict: Again | Split | Raises
    symbols: tuple[sympy.Symbol, ...]
    kept: object
    """What the key identifies by address: alive as long as the key."""


def remember(call: SizedCall, like: Likeness, verdict: Verdict) -> None:
    """Keep a verdict for operations that are alike."""
    match verdict:
        case Computed():
            results, operands = tree_leaves(verdict.result), tree_leaves(call.operands)
            related = tuple(
                (_place(one, results), _place(other, operands)) for one, other in verdict.related
            )
            kept: Again | Split | Raises = Again(
                assumed=verdict.assumed, related=related, result=_one_tensor(verdict.result)
            )
        case Raises() if not _is_told_alike(verdict.error):
            return
        case Split() | Raises():
            kept = verdict
        case Undecided():
            return
    call.run.judgements[like.key] = Remembered(
        verdict=kept, symbols=like.symbols, kept=(call.compute, call.operands)
    )


def recalled(call: SizedCall, like: Likeness) -> Verdict | None:
    """Return the verdict on an operation that is like one judged before, None where none is."""
    known = call.run.judgements.get(like.key)
    if not isinstance(known, Remembered):
        return None
    renamed = dict(zip(known.symbols, like.symbols, strict=True))
    match known.verdict:
        case Again() as again:
            return _computed(call, like, again, renamed)
        case Split(relation):
            return Split(relation.xreplace(renamed))
        case Raises(relation, error):
            return Raises(relation.xreplace(renamed), type(error)(*error.args))


def _computed(
    call: SizedCall, like: Likeness, again: Again, renamed: dict[sympy.Symbol, sympy.Symbol]
) -> Computed | None:
    assumed = tuple(relation.xreplace(renamed) for relation in again.assumed)
    if again.layout is not None:
        call.run.sizes.begin(facts_under(call, assumed))
        result, observer = again.layout.made(call, renamed)
        return _as_before(call, again, Computed(result, observer, (), frozenset(), assumed))
    made = run_with_symbols(call, assumed)
    if made.error is not None or any(map(call.is_own, made.required)):
        return None
    facts = frozenset(made.required)
    verdict = _as_before(call, again, Computed(made.result, made.observer, (), facts, assumed))
    call.run.judgements[like.key] = Remembered(
        verdict=replace(
            again,
            assumed=assumed,
            result=_one_tensor(made.result),
            layout=layout_of(call, verdict, again.result, like),
        ),
        symbols=like.symbols,
        kept=(call.compute, call.operands),
    )
    return verdict


def _as_before(call: SizedCall, again: Again, verdict: Computed) -> Computed:
    """Return a verdict with what may share memory at some sizes."""
    results, operands = tree_leaves(verdict.result), tree_leaves(call.operands)
    related = tuple((results[one], operands[other]) for one, other in again.related)
    return replace(verdict, related=related)


def _one_tensor(result: object) -> FakeTensor | None:
    return result if isinstance(result, FakeTensor) and is_plain(result) else None


def _place(tensor: object, leaves: list[object]) -> int:
    return next(place for place, leaf in enumerate(leaves) if leaf is tensor)


def _is_told_alike(error: Exception) -> bool:
    """Return whether an error is one of Python's own and names no symbol."""
    return type(error).__module__ == "builtins" and not _NAMES_A_SYMBOL.search(str(error.args))
