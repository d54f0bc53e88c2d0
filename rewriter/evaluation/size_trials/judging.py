"""The verdict on an operation: runs with symbols, runs at numbers, and what they say together."""

from collections.abc import Sequence

import sympy

from rewriter.dense_tensors import all_dense
from rewriter.evaluation.size_trials.agreement import agreement
from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.explanations import (
    Observations,
    always_raises,
    explained,
    reason,
)
from rewriter.evaluation.size_trials.likeness import connected, likeness
from rewriter.evaluation.size_trials.nearby import judged_nearby
from rewriter.evaluation.size_trials.probes import NotTried, probe
from rewriter.evaluation.size_trials.remembering import recalled, remember
from rewriter.evaluation.size_trials.symbolic import (
    SymbolicRun,
    differing,
    positive,
    symbolic_runs,
)
from rewriter.evaluation.size_trials.trial_sizes import trial_sizes
from rewriter.evaluation.size_trials.verdicts import (
    Computed,
    NotDense,
    Raises,
    Split,
    Undecided,
    Verdict,
)
from rewriter.evaluation.tensors.fixed_sizes import fixed_sizes
from rewriter.evaluation.tensors.impossible_sizes import contradict
from rewriter.evaluation.tensors.size_grid import Valuation, all_hold
from rewriter.sizes import UndecidedSize


def judge(call: SizedCall) -> Verdict:
    """Return what an operation does at every size on the path. May raise ``NotDense``."""
    try:
        return judged_nearby(call, _judged) or _judged_on_path(call)
    except NotTried:
        return Undecided("PyTorch's internal operators are not tried on tensors without elements")


def _judged_on_path(call: SizedCall) -> Verdict:
    like = likeness(
        call, connected(call)
    )  # before it is run: an operation may change its operands' shapes
    if like is None:
        return _judged(call)
    verdict = recalled(call, like)
    if verdict is None:
        verdict = _judged(call)
        remember(call, like, verdict)
    return verdict


def _judged(call: SizedCall) -> Verdict:
    runs = symbolic_runs(call)
    if runs is None:
        return Undecided("PyTorch asks too many questions about sizes here")
    if not all(all_dense(run.result) for run in runs):
        raise NotDense
    if len(runs) == 1 and runs[0].gives_sizes_only:
        return Computed(runs[0].result, runs[0].observer, (), frozenset())
    numbers = trial_sizes(call, runs)
    if not numbers:
        if _is_unreachable(call):
            return Raises(sympy.true, RuntimeError("no sizes are as was tested before"))
        return Undecided("no small sizes fit what is known of them")
    probes = [probe(call, values) for values in numbers]
    main = _for_most(runs, numbers)
    related = [agreement(call, _run_at(runs, each.values), each) for each in probes]
    apart = differing(call, runs, main)
    if apart is not None:
        return Split(positive(apart))
    seen = Observations(
        call=call,
        runs=runs,
        main=main,
        probes=probes,
        agreeing=[pairs is not None for pairs in related],
    )
    if not all(seen.agreeing) or seen.required or seen.requires_of_result:
        return explained(seen)
    if any(isinstance(run.error, UndecidedSize) for run in runs):
        return Undecided(reason(seen))  # the sizes tried may be few of many
    if main.error is not None:
        return always_raises(seen)
    return Computed(
        main.result,
        main.observer,
        tuple(pair for pairs in related for pair in pairs or ()),
        frozenset(r for r in main.required if not call.is_own(r)),
        main.assumed,
    )


def _is_unreachable(call: SizedCall) -> bool:
    """Return whether no call comes here: no sizes fit what is known."""
    if fixed_sizes(call.symbols, call.run.sizes, call.facts) is None:
        return True
    return contradict(call.facts, call.run.sizes)


def _for_most(runs: Sequence[SymbolicRun], numbers: Sequence[Valuation]) -> SymbolicRun:
    """Return the run whose assumptions hold most often."""
    return max(runs, key=lambda run: sum(all_hold(run.assumed, values) for values in numbers))


def _run_at(runs: Sequence[SymbolicRun], values: Valuation) -> SymbolicRun:
    return next((run for run in runs if all_hold(run.assumed, values)), runs[-1])
