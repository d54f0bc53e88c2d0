"""Whether two evaluations of one program have left the same."""

import ast
from dataclasses import replace

import torch

from rewriter.printing.program_text import print_program
from rewriter.printing.references import TABLE, resolve_references
from rewriter.program import RewrittenProgram

_PLAIN = (bool, int, float, str, bytes, type(None), torch.device)


def is_same_program(one: RewrittenProgram, other: RewrittenProgram) -> bool:
    """Return whether two programs read alike, but for notes, and refer to the same objects."""
    code, known = _read(one)
    other_code, others = _read(other)
    return code == other_code and all(map(_is_same, known, others))


def _read(program: RewrittenProgram) -> tuple[str, list[object]]:
    """Return the code, with a number for each object that it refers to, and these in order.

    Their own names count what an evaluation has met, also what is not left in the program.
    """
    tree = ast.parse(print_program(replace(program, notes=())))
    table = resolve_references(program).table
    met: dict[str, int] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
                if name == TABLE:
                    node.slice = ast.Constant(value=met.setdefault(key, len(met)))
    return ast.dump(tree), [table[key] for key in met]


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one is other or (one.dtype == other.dtype and torch.equal(one, other))
    return one is other or (
        isinstance(one, _PLAIN) and type(one) is type(other) and repr(one) == repr(other)
    )
