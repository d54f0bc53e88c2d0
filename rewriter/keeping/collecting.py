"""Attributes that are kept, where there are many: each evaluation that is given up finds several.

An attribute that a call reads and writes is found in the middle of an evaluation, which then starts
anew. Where that has happened often, it goes on instead, as if nothing had been found, and is given
up at its end, or where it ends otherwise.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from rewriter.diagnostics import CompileError
from rewriter.keeping.plan import Plan, StartAnew
from rewriter.keeping.roots import Key
from rewriter.keeping.shapes import Unkeepable
from rewriter.known_places import PlacesFound
from rewriter.schemas import WritesFound

_MANY = 20
"""After so many evaluations, each goes on to find more attributes."""


@contextmanager
def attempt(plan: Plan, number: int) -> Iterator[None]:
    """Evaluate once. Raises StartAnew where that was given up, whatever else it came to."""
    for owner, name in plan.found.values():
        plan.carry_attribute(owner, name)
    plan.found.clear()
    plan.is_patient, plan.gives_up, plan.read_before = number >= _MANY, False, {*plan.read}
    try:
        yield
    except (CompileError, PlacesFound, Unkeepable, WritesFound):
        if plan.gives_up:
            raise StartAnew from None
        raise


def carry(plan: Plan, owner: object, name: str) -> None:
    """Start anew with an attribute that is read and written: at once, or in the end."""
    key: Key = (id(owner), name)
    if key in plan.roots or plan.name_of(owner, name) is None:
        return
    if key in plan.read_before:
        plan.found[key] = owner, name
    plan.read.add(key)
    plan.gives_up = True
    if not plan.is_patient:
        raise StartAnew
