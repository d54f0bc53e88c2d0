"""Cut a straight line of mixed statements into as few sub-DNNs as possible.

Statements may swap places when neither touches what the other one needs. With a *level* for
each statement, the number of sub-DNNs that run before it is done,

* tensor code stands one level above the host code it depends on,
* host code stands on the level of the tensor code it depends on,

statements of equal level and kind can run together: host 0, sub-DNN 1, host 1, sub-DNN 2,
host 2, ... The highest level is the length of the longest alternating chain of dependences,
so no schedule has fewer sub-DNNs (``levels.py``).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hcfg.copies import move_copies_out, split_copy
from hcfg.graph import DnnStatement, HostCode
from hcfg.levels import Coloured, Host, TensorCode, levels
from rewriter.program import (
    CallStatement,
    Copy,
    HostStatement,
    KnownReference,
    Statement,
    TensorFromHost,
    TensorStatement,
    Variable,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorGroup:
    """Statements of one sub-DNN to be."""

    statements: tuple[DnnStatement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostGroup:
    """Statements of one host block to be."""

    statements: tuple[HostCode, ...]


Group: TypeAlias = TensorGroup | HostGroup


def schedule(
    statements: Iterable[Statement],
    variables: Mapping[str, Variable],
    knowns: Mapping[str, KnownReference],
) -> tuple[Group, ...]:
    """Return the statements of a straight line, grouped; their meaning is unchanged."""
    tensor_code: dict[int, list[DnnStatement]] = defaultdict(list)
    host_code: dict[int, list[HostCode]] = defaultdict(list)
    coloured = tuple(c for s in statements for c in _coloured(s, variables, knowns))
    for each, level in zip(coloured, levels(coloured, variables), strict=True):
        match each:
            case TensorCode():
                tensor_code[level].append(each.statement)
            case Host():
                host_code[level].append(each.statement)
    return _groups(tensor_code, host_code, variables)


def _coloured(
    statement: Statement,
    variables: Mapping[str, Variable],
    knowns: Mapping[str, KnownReference],
) -> tuple[Coloured, ...]:
    match statement:
        case TensorStatement():
            return (TensorCode(statement=statement),)
        case HostStatement() | TensorFromHost() | CallStatement():
            return (Host(statement=statement),)
        case Copy():
            # Copies of tensors count as tensor code for now: counted as host code, one between
            # two tensor statements would cut their sub-DNN in two.
            tensors, others = split_copy(statement, variables, knowns)
            return (
                *(TensorCode(statement=part) for part in tensors),
                *(Host(statement=part) for part in others),
            )


def _groups(
    tensor_code: Mapping[int, Sequence[DnnStatement]],
    host_code: Mapping[int, Sequence[HostCode]],
    variables: Mapping[str, Variable],
) -> tuple[Group, ...]:
    groups: list[Group] = []
    host = list(host_code.get(0, ()))
    for level in range(1, max((*tensor_code, *host_code), default=0) + 1):
        lifted, kept, sunk = move_copies_out(tensor_code.get(level, ()), variables)
        host += lifted
        if kept:
            if host:
                groups.append(HostGroup(statements=tuple(host)))
            groups.append(TensorGroup(statements=tuple(kept)))
            host = []
        host += [*sunk, *host_code.get(level, ())]
    if host:
        groups.append(HostGroup(statements=tuple(host)))
    return tuple(groups)
