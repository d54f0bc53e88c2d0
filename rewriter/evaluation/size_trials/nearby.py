"""Verdicts that need little of what a path knows: most of it is about other sizes.

What a path knows grows with each loop and branch on it, and relates more and more sizes to each
other; the same operation in another place would be judged anew for each of them. Most operations
ask for none of it. So they are judged first as if only the facts about their own sizes were known:
what they give then, if nothing was left to ask, they give wherever more is known, too.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeGuard

from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.likeness import likeness, own
from rewriter.evaluation.size_trials.remembering import recalled, remember
from rewriter.evaluation.size_trials.verdicts import Computed, NotDense, Verdict
from rewriter.fakes_errors import OF_CONTENT

_ON_PATH = "on its path"
"""Marks operations that are to be judged by all that their path knows."""


def judged_nearby(call: SizedCall, judged: Callable[[SizedCall], Verdict]) -> Computed | None:
    """Return the verdict that the facts about an operation's own sizes suffice for.

    None where they do not suffice, or where the path knows no more than these.
    """
    symbols = own(call)
    known = frozenset(symbols)
    facts = frozenset(fact for fact in call.facts if fact.free_symbols <= known)
    if not any(fact.free_symbols & known for fact in call.facts - facts):
        return None
    near = replace(call, facts=facts)
    like = likeness(near, symbols)
    if like is None or (_ON_PATH, like.key) in call.run.judgements:
        return None
    verdict = recalled(near, like)
    if verdict is None:
        try:
            verdict = judged(near)
        except (NotDense, *OF_CONTENT):
            verdict = None
        if _is_certain(verdict):
            remember(near, like, verdict)
    if _is_certain(verdict):
        return verdict
    kept = (call.compute, call.operands)  # what the key identifies by address
    call.run.judgements[_ON_PATH, like.key] = kept
    return None


def _is_certain(verdict: Verdict | None) -> TypeGuard[Computed]:
    """Return whether nothing was assumed or taken for granted."""
    return isinstance(verdict, Computed) and not verdict.assumed and not verdict.facts
