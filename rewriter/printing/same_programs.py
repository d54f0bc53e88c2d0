"""Whether two evaluations of one program have left the same."""

import re
from dataclasses import replace

import torch

from rewriter.printing.program_text import print_program
from rewriter.printing.references import TABLE, resolve_references
from rewriter.program import RewrittenProgram

_NUMBERED = re.compile(r"\bknown_\d+\b")
_PLAIN = (bool, int, float, str, bytes, type(None), torch.device)


def is_same_program(one: RewrittenProgram, other: RewrittenProgram) -> bool:
    """Return whether two programs read alike, but for notes, and refer to the same objects."""
    text, table = _numbered_anew(one)
    other_text, others = _numbered_anew(other)
    return (
        text == other_text
        and table.keys() == others.keys()
        and all(_is_same(table[key], others[key]) for key in table)
    )


def _numbered_anew(program: RewrittenProgram) -> tuple[str, dict[str, object]]:
    """Return the code, and the objects that it refers to, which have numbers as they come in it.

    Their own numbers count what an evaluation has met, also what is not left in the program.
    """
    lines = print_program(replace(program, notes=())).splitlines()
    code = "\n".join(line for line in lines if not line.startswith("#"))
    table = {
        key: content
        for key, content in resolve_references(program).table.items()
        if f"{TABLE}[{key!r}]" in code
    }
    numbers = {name: f"known_{n}" for n, name in enumerate(dict.fromkeys(_NUMBERED.findall(code)))}
    return (
        _NUMBERED.sub(lambda found: numbers[found[0]], code),
        {numbers.get(key, key): content for key, content in table.items()},
    )


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one is other or (one.dtype == other.dtype and torch.equal(one, other))
    return one is other or (
        isinstance(one, _PLAIN) and type(one) is type(other) and repr(one) == repr(other)
    )
