"""Copies at joins that nobody reads: left over where the arms of a branch were merged.

They go before the graph is built, whatever passes run later: a source of such a copy need
not have a value.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from hcfg.names import names_in
from hcfg.statements import reads
from rewriter.program import Block, Copy, Function, Statement
from rewriter.program_names import terminator_expressions


def without_dead_copies(function: Function) -> Function:
    """Return a function with only those copies that something else depends on."""
    needed = _needed(function)
    return replace(
        function,
        blocks={
            block_id: replace(block, statements=tuple(_kept(block, needed)))
            for block_id, block in function.blocks.items()
        },
    )


def _needed(function: Function) -> set[str]:
    """Return the variables that anything but copies reads, and what is copied to those."""
    sources: dict[str, set[str]] = defaultdict(set)
    pending: set[str] = set()
    for block in function.blocks.values():
        for expression in terminator_expressions(block.terminator):
            pending.update(names_in(expression))
        for statement in block.statements:
            if isinstance(statement, Copy):
                for target, source in zip(statement.targets, statement.sources, strict=True):
                    sources[target].update(names_in(source))
            else:
                pending.update(reads(statement, function.variables))
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending.update(sources[name])
    return needed


def _kept(block: Block, needed: set[str]) -> Iterator[Statement]:
    for statement in block.statements:
        if not isinstance(statement, Copy):
            yield statement
            continue
        pairs = zip(statement.targets, statement.sources, strict=True)
        kept = [(target, source) for target, source in pairs if target in needed]
        if len(kept) == len(statement.targets):
            yield statement
        elif kept:
            targets, sources = zip(*kept, strict=True)
            yield replace(statement, targets=targets, sources=sources)
