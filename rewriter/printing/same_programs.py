"""Whether two evaluations of one program have left the same."""

from dataclasses import replace

import torch

from rewriter.printing.program_text import print_program
from rewriter.printing.references import resolve_references
from rewriter.program import RewrittenProgram

_PLAIN = (bool, int, float, str, bytes, type(None))


def is_same_program(one: RewrittenProgram, other: RewrittenProgram) -> bool:
    """Return whether two programs read alike, but for notes, and refer to the same objects."""
    texts = [print_program(replace(each, notes=())) for each in (one, other)]
    if texts[0] != texts[1]:
        return False
    table, others = resolve_references(one).table, resolve_references(other).table
    return table.keys() == others.keys() and all(_is_same(table[key], others[key]) for key in table)


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one is other or (one.dtype == other.dtype and torch.equal(one, other))
    return one is other or (
        isinstance(one, _PLAIN) and type(one) is type(other) and repr(one) == repr(other)
    )
