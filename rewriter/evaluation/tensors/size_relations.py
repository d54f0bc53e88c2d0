"""Comparisons of sizes: as relations, decided, assumed on a path, tested by the host."""

import operator
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst
import sympy
from torch.utils._sympy.functions import FloorDiv, Mod, PythonMod

from rewriter.evaluation.run import Frame, Run
from rewriter.evaluation.tensors.size_on_host import NotOnHost, host_expression
from rewriter.evaluation.tensors.size_values import size_of
from rewriter.fact_parts import symbols_in
from rewriter.program import BlockId, ScalarSpec
from rewriter.size_expressions import expression_of, key_of
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value

_COMPARISONS: dict[Callable[..., Any], type[sympy.Basic]] = {
    operator.lt: sympy.Lt, operator.le: sympy.Le, operator.gt: sympy.Gt,
    operator.ge: sympy.Ge, operator.eq: sympy.Eq, operator.ne: sympy.Ne,
}  # fmt: skip


def relation_of(
    run: Run, function: Callable[..., Any], operands: tuple[Value, ...]
) -> sympy.Basic | None:
    """Return the relation between sizes that a comparison of integers is, None for others."""
    if function not in _COMPARISONS:
        return None
    sizes = [size_of(run, operand) for operand in operands]
    if any(size is None for size in sizes) or all(isinstance(size, int) for size in sizes):
        return None
    return _COMPARISONS[function](*(sympy.sympify(key_of(s)) for s in sizes if s is not None))


def decided(run: Run, state: State, relation: sympy.Basic) -> bool | None:
    """Return whether a relation holds on a path, None where it depends."""
    if not relation.free_symbols:
        return bool(relation)
    run.sizes.facts = state.size_facts
    return run.sizes.decide(relation)


def assume(run: Run, state: State, relation: sympy.Basic, truth: bool) -> None:
    """Record on a path that a relation holds or does not."""
    fact = relation if truth else sympy.Not(relation)
    parts = fact.args if isinstance(fact, sympy.And) else (fact,)
    facts = set(state.size_facts)
    for part in parts:
        facts.add(part)
        if isinstance(part, sympy.Ne):
            run.sizes.facts = state.size_facts
            facts |= run.sizes.strictly(part)
        facts |= _of_multiples(run, state, part)
    facts |= _left_over(run, facts)
    state.size_facts = frozenset(filter(symbols_in, facts))


def _of_multiples(run: Run, state: State, fact: sympy.Basic) -> set[sympy.Basic]:
    """Return what a size is where nothing is left over when it is divided: 4 * (n // 4)."""
    if isinstance(fact, sympy.Eq) and fact.args[1] == 0:
        rest = fact.args[0]
        if isinstance(rest, Mod | PythonMod):
            whole, part = rest.args
            if decided(run, state, sympy.Gt(part, 0)):
                return {sympy.Eq(whole, part * FloorDiv(whole, part))}
    return set()


def _left_over(run: Run, facts: set[sympy.Basic]) -> set[sympy.Basic]:
    """Return the alternatives of facts "this or that" whose others are ruled out."""
    found: set[sympy.Basic] = set()
    for alternatives in (fact.args for fact in facts if isinstance(fact, sympy.Or)):
        run.sizes.facts = frozenset(facts)
        possible = [part for part in alternatives if run.sizes.decide(part) is not False]
        found.update(possible if len(possible) == 1 else ())
    return found


def note_extreme(
    run: Run, state: State, function: object, number: ScalarValue, items: tuple[Value, ...]
) -> None:
    """Record that a number is the largest of some (or the smallest, by ``function``)."""
    found = [size for each in (number, *items) if (size := size_of(run, each)) is not None]
    if len(found) < len(items) + 1:
        return
    extreme, *sizes = map(expression_of, found)
    for size in sizes:
        relation = sympy.Ge(extreme, size) if function is max else sympy.Le(extreme, size)
        assume(run, state, relation, truth=True)


def note_natural(
    run: Run, state: State, function: object, number: ScalarValue, items: tuple[Value, ...]
) -> None:
    """Record that the largest of integers (or the smallest) is not negative, where they tell."""
    told = (_is_natural(run, state, item) for item in items)
    if any(told) if function is max else all(told):
        run.naturals.add(number.name)
        run.builder.respecify(number.name, ScalarSpec(type=int, minimum=0))


def _is_natural(run: Run, state: State, item: Value) -> bool:
    if isinstance(item, Known):
        return type(item.value) is int and item.value >= 0
    if not isinstance(item, ScalarValue) or item.type is not int:
        return False
    if item.size is None:
        return item.name in run.naturals
    return decided(run, state, sympy.Ge(expression_of(item.size), 0)) is True


def branch_on_relation(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    relation: sympy.Basic,
    tensors: list[TensorValue],
) -> Iterator[tuple[State, bool]]:
    """End the block by a test of sizes. Raises NotOnHost where the host cannot make it."""
    condition = host_expression(frame, node, state, relation, tensors)
    block = state.block
    arms = frame.run.branch(state, condition, frame.origin(node))
    for arm, truth in arms:
        assume_on_arm(frame.run, arm, relation, truth, block)
    return iter(arms)


def by_relation(
    frame: Frame, node: cst.CSTNode, state: State, relation: sympy.Basic, *tensors: TensorValue
) -> Iterator[tuple[State, bool]]:
    """Yield whether a relation of the sizes of tensors holds: as known, or both arms of a test."""
    known = decided(frame.run, state, relation)
    if known is not None:
        yield state, known
        return
    try:
        yield from branch_on_relation(
            frame, node, state, relation, list(map(state.current, tensors))
        )
    except NotOnHost as error:
        frame.refuse("DYCL075", node, f"this depends on {relation}; the host lacks {error}")


def elements_of(tensor: TensorValue) -> sympy.Basic:
    """Return how many elements a tensor has."""
    return sympy.prod(sympy.sympify(key_of(size)) for size in tensor.fake.shape)


def assume_on_arm(
    run: Run, state: State, relation: sympy.Basic, truth: bool, block: BlockId
) -> None:
    """Record that a relation holds on an arm of the test that ends ``block``, or does not."""
    before = state.size_facts
    assume(run, state, relation, truth)
    if sizes := run.sizes.told(state.size_facts - before, before):
        run.builder.say_sizes(block, truth, sizes)
