"""Short circuits: two tests in a row that share an outcome become ``and`` or ``or``.

For text only. ``if a: if b: T else: F else: F`` with one F becomes ``if a and b: T else: F``;
the second test still runs only where the first leaves the outcome open.
"""

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from rewriter.printing.nesting import MAX_WIDTH, Measure
from rewriter.program import Block, BlockId, Branch, Function
from rewriter.program_names import successors


def join_conditions(function: Function, measure: Measure) -> Function:
    """Return the function with tests joined where the line stays short."""
    entries = Counter(
        after for block in function.blocks.values() for after in successors(block.terminator)
    )
    blocks = dict(function.blocks)
    for name in function.blocks:
        while name in blocks and (joined := _joined(name, blocks, entries, function.entry)):
            second, terminator = joined
            if measure(terminator.condition) > MAX_WIDTH:
                break
            entries.subtract(successors(blocks.pop(second).terminator))
            entries.subtract(successors(blocks[name].terminator))
            entries.update(successors(terminator))
            blocks[name] = replace(blocks[name], terminator=terminator)
    return replace(function, blocks=blocks)


def negation(condition: ast.expr) -> ast.expr:
    """Return the opposite of a condition."""
    match condition:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Compare(left=left, ops=[ast.Is()], comparators=right):
            return ast.Compare(left=left, ops=[ast.IsNot()], comparators=right)
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=right):
            return ast.Compare(left=left, ops=[ast.Is()], comparators=right)
        case _:
            return ast.UnaryOp(op=ast.Not(), operand=condition)


def _joined(
    name: BlockId,
    blocks: Mapping[BlockId, Block],
    entries: Mapping[BlockId, int],
    entry: BlockId,
) -> tuple[BlockId, Branch] | None:
    """Return the block whose test can be joined with this one's, and the joined test."""
    first = blocks[name].terminator
    if not isinstance(first, Branch):
        return None
    for second_name in successors(first):
        second = blocks[second_name].terminator
        if (
            isinstance(second, Branch)
            and not blocks[second_name].statements
            and entries[second_name] == 1
            and second_name not in (name, entry)
        ):
            joined = _short_circuit(first, second, on_true=second_name == first.if_true)
            if joined is not None:
                return second_name, joined
    return None


def _short_circuit(first: Branch, second: Branch, *, on_true: bool) -> Branch | None:
    """Join two tests, the second of which runs on one outcome of the first."""
    operator = ast.And() if on_true else ast.Or()
    shared = first.if_false if on_true else first.if_true
    # Written so that the joined test is as the second one where it does not short-circuit.
    opposite_of_shared, as_shared = (
        (second.if_true, second.if_false) if on_true else (second.if_false, second.if_true)
    )
    if shared == as_shared:
        condition, other = second.condition, opposite_of_shared
    elif shared == opposite_of_shared:
        condition, other = negation(second.condition), as_shared
    else:
        return None
    return replace(
        first,
        condition=_operation(operator, first.condition, condition),
        if_true=other if on_true else shared,
        if_false=shared if on_true else other,
        sizes_if_true={},  # what either test says of sizes does not matter to who prints
        sizes_if_false={},
    )


def _operation(operator: ast.And | ast.Or, left: ast.expr, right: ast.expr) -> ast.expr:
    match left:
        case ast.BoolOp(op=op, values=values) if type(op) is type(operator):
            return ast.BoolOp(op=operator, values=[*values, right])
        case _:
            return ast.BoolOp(op=operator, values=[left, right])
