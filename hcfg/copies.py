"""Copies between variables, in and around sub-DNNs.

A copy of a tensor is a renaming on the host and costs nothing there. Inside a sub-DNN it
is wanted only where tensor code on both sides needs it at that place.
"""

import ast
from collections.abc import Mapping, Sequence

import torch

from hcfg.graph import DnnStatement, SubDnn, is_tensor
from hcfg.statements import clobbers, reads, writes
from rewriter.program import Copy, KnownReference, Statement, Variable

Variables = Mapping[str, Variable]


def split_copy(
    copy: Copy, variables: Variables, knowns: Mapping[str, KnownReference]
) -> tuple[tuple[Copy, ...], tuple[Copy, ...]]:
    """Return a parallel copy in two parts: of tensors, and of everything else.

    The parts may run in any order; where they would not be independent, all is one part.
    """
    pairs = tuple(zip(copy.targets, copy.sources, strict=True))
    tensors = [pair for pair in pairs if _copies_tensor(*pair, variables, knowns)]
    others = [pair for pair in pairs if pair not in tensors]
    first, second = _part(copy, tensors), _part(copy, others)
    if first and second and conflict(first[0], second[0], variables):
        return (), (copy,)
    return first, second


def _part(copy: Copy, pairs: Sequence[tuple[str, ast.expr]]) -> tuple[Copy, ...]:
    if not pairs:
        return ()
    targets, sources = zip(*pairs, strict=True)
    return (Copy(targets=targets, sources=sources, origin=copy.origin),)


def _copies_tensor(
    target: str, source: ast.expr, variables: Variables, knowns: Mapping[str, KnownReference]
) -> bool:
    if not is_tensor(target, variables) or not isinstance(source, ast.Name):
        return False
    if source.id in knowns:
        return isinstance(knowns[source.id].value, torch.Tensor)
    return is_tensor(source.id, variables)


def move_copies_out(
    statements: Sequence[DnnStatement], variables: Variables
) -> tuple[list[Copy], list[DnnStatement], list[Copy]]:
    """Return copies to run before a sub-DNN, its statements, and copies to run after it."""
    kept: list[DnnStatement] = []
    sunk: list[Copy] = []
    for statement in reversed(statements):
        if isinstance(statement, Copy) and _independent(statement, kept, variables):
            sunk.insert(0, statement)
        else:
            kept.insert(0, statement)
    lifted: list[Copy] = []
    stay: list[DnnStatement] = []
    for position, statement in enumerate(kept):
        later = kept[position + 1 :]
        if isinstance(statement, Copy) and _can_lift(statement, stay, later, variables):
            lifted.append(statement)
        else:
            stay.append(statement)
    return lifted, stay, sunk


def _can_lift(
    copy: Copy,
    earlier: Sequence[DnnStatement],
    later: Sequence[DnnStatement],
    variables: Variables,
) -> bool:
    # A constant stays, so that the sub-DNN's compiler sees it. A name that is overwritten in
    # place stays, so that whatever shares storage with it stays together.
    constant = not reads(copy, variables)
    names = {*writes(copy), *reads(copy, variables)}
    overwritten = any(names & {*clobbers(statement)} for statement in later)
    return not constant and not overwritten and _independent(copy, earlier, variables)


def _independent(copy: Copy, others: Sequence[DnnStatement], variables: Variables) -> bool:
    return not any(conflict(copy, other, variables) for other in others)


def host_copies(pairs: Mapping[str, str], node: SubDnn) -> tuple[Copy, ...]:
    """Return assignments ``target = source`` that do what a sub-DNN did for its outputs.

    Each comes from the line that gave the output its value.
    """
    last = {name: statement.origin for statement in node.statements for name in writes(statement)}
    if set(pairs) & set(pairs.values()):  # an exchange: only all at once
        origin = last[next(iter(pairs))]
        sources = tuple(ast.Name(id=source, ctx=ast.Load()) for source in pairs.values())
        return (Copy(targets=tuple(pairs), sources=sources, origin=origin),)
    return tuple(
        Copy(
            targets=(target,),
            sources=(ast.Name(id=source, ctx=ast.Load()),),
            origin=last[target],
        )
        for target, source in pairs.items()
    )


def conflict(first: Statement, second: Statement, variables: Variables) -> bool:
    """Return whether two statements must keep their order, by the variables they touch."""
    first_changes = {*writes(first), *clobbers(first)}
    second_changes = {*writes(second), *clobbers(second)}
    return bool(
        first_changes & (second_changes | {*reads(second, variables)})
        or second_changes & {*reads(first, variables)}
    )
