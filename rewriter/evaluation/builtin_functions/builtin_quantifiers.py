"""Builtins that give one flag for many items: ``any``, ``all``, ``torch.equal``."""

from collections.abc import Iterator

import libcst as cst
import sympy
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.containers.comprehensions import merged
from rewriter.evaluation.containers.lazy_iterators import next_item
from rewriter.evaluation.control.iteration import items_of, iterator_of, refuse_endless
from rewriter.evaluation.control.loop_attempts import LoopEnds
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.truth import item_of, truths
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_consumers import each
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.tensors.size_relations import by_relation
from rewriter.size_expressions import expression_of
from rewriter.state import State
from rewriter.values import (
    IteratorValue,
    Known,
    MethodValue,
    TensorValue,
    Value,
)


def _quantifier(wanted: bool) -> SpecialRule:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        del keywords
        source = positional[0]
        if is_run_time(state, source):
            yield from _any_at_run_time(frame, node, state, source, wanted)
            return
        if isinstance(source, IteratorValue):
            yield from _any_lazily(frame, node, state, source, wanted)
            return
        for after, items in items_of(frame, node, state, source):
            yield from _any(frame, node, after, list(items), wanted)

    return rule


def _any_at_run_time(
    frame: Frame, node: cst.CSTNode, state: State, source: Value, wanted: bool
) -> Outcomes:
    def take(after: State, item: Value, ends: LoopEnds) -> list[State]:
        going_on: list[State] = []
        for tested, truth in truths(frame, node, after, item):
            (ends.broken if truth is wanted else going_on).append(tested)
        return going_on

    for after, iterator in iterator_of(frame, node, state, source):
        ends = each(frame, node, after, iterator, take)
        for end in merged(frame, node, ends.broken):
            yield end, Known(wanted)
        for end in ends.exhausted:
            yield end, Known(not wanted)


def _any_lazily(
    frame: Frame, node: cst.CSTNode, state: State, source: IteratorValue, wanted: bool,
    taken: int = 0,
) -> Outcomes:  # fmt: skip
    if taken > frame.run.options.unroll:
        refuse_endless(frame, node, state, source)
    for after, element in next_item(frame, node, state, source):
        if element is None:
            yield after, Known(not wanted)
            continue
        for tested, truth in truths(frame, node, after, element):
            if truth is wanted:
                yield tested, Known(wanted)
            else:
                yield from _any_lazily(frame, node, tested, source, wanted, taken + 1)


def _any(
    frame: Frame, node: cst.CSTNode, state: State, items: list[Value], wanted: bool
) -> Outcomes:
    if not items:
        yield state, Known(not wanted)
        return
    for after, truth in truths(frame, node, state, items[0]):
        if truth is wanted:
            yield after, Known(wanted)
        else:
            yield from _any(frame, node, after, items[1:], wanted)


special(any)(_quantifier(True))


special(all)(_quantifier(False))


@special(torch.equal)
def equal(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.equal(a, b)``: one flag computed with the tensors, read on the host."""
    named = [keywords[name] for name in ("input", "other") if name in keywords]
    operands = [*positional, *named]
    tensors = [fakes for value in operands if (fakes := tensor_of(value)) is not None]
    if not len(tensors) == len(operands) == 2:
        frame.refuse("DYCL045", node, "torch.equal() of what are not two tensors")
    if tensors[0].dim() != tensors[1].dim():
        yield state, Known(False)
        return
    for arm, alike in _of_one_size(frame, node, state, operands, tensors[0].dim()):
        if not alike:
            yield arm, Known(False)
            continue
        for after, same in ordered(frame, node, arm, cst.Equal, *operands):
            yield from _all_true(frame, node, after, same)


def _of_one_size(
    frame: Frame, node: cst.CSTNode, state: State, operands: list[Value], rank: int
) -> Iterator[tuple[State, bool]]:
    """Yield whether two tensors agree in their first dimensions; the host asks what is open."""
    if rank == 0:
        yield state, True
        return
    open_ones = [value for value in operands if isinstance(value, TensorValue)]
    for arm, alike in _of_one_size(frame, node, state, operands, rank - 1):
        shapes = [fake.shape for value in operands if (fake := tensor_of(value)) is not None]
        one, other = (expression_of(shape[rank - 1]) for shape in shapes)
        relation = sympy.Eq(one, other)
        if not alike or relation == sympy.true:
            yield arm, alike
        elif relation == sympy.false:
            yield arm, False
        else:
            yield from by_relation(frame, node, arm, relation, *open_ones)


@special(torch.is_nonzero)
def is_nonzero(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.is_nonzero(x)``: what ``bool(x)`` is."""
    yield from call_value(frame, node, state, Known(bool), [*positional, *keywords.values()], {})


@special(torch.allclose)
def allclose(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.allclose(a, b)``: one flag computed with the tensors, read on the host."""
    function = Known(torch.isclose, "torch.isclose")
    for after, close in call_value(frame, node, state, function, positional, keywords):
        yield from _all_true(frame, node, after, close)


def _all_true(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    for after, flag in call_value(frame, node, state, MethodValue(value, "all"), [], {}):
        assert isinstance(flag, TensorValue)
        yield from item_of(frame, node, after, flag)
