"""The sizes at which an operation is tried: some of all, and some of those that it asks for."""

from collections.abc import Sequence

import sympy

from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.symbolic import SymbolicRun
from rewriter.evaluation.tensors.size_grid import Valuation, is_possible, valuations


def trial_sizes(
    call: SizedCall, runs: Sequence[SymbolicRun], *relations: sympy.Basic
) -> list[Valuation]:
    """Return sizes that the path and the relations allow, with some that fit each run.

    What a run takes for granted may hold for few of all sizes (parts that add up to a size),
    and these are the ones where the operation does not raise.
    """
    facts = call.facts | frozenset(relations)
    found = _possible(call, facts)
    for run in runs:
        required = frozenset(filter(call.is_own, (*run.assumed, *run.required)))
        if required:
            found += [each for each in _possible(call, facts | required) if each not in found]
    return found


def _possible(call: SizedCall, facts: frozenset[sympy.Basic]) -> list[Valuation]:
    possible = valuations(call.symbols, call.run.sizes, facts)
    return [values for values in possible if is_possible(call.operands, values)]
