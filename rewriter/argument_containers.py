"""Arguments of the user's own classes of lists and dicts: their items, and no more than these."""

import dataclasses
from collections import OrderedDict
from collections.abc import Mapping

from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.evaluation.containers.container_classes import passed_over
from rewriter.evaluation.run import Run
from rewriter.parameters import InputSpec, MappingInput, SequenceInput
from rewriter.plain_objects import own_attributes
from rewriter.state import State
from rewriter.values import NONE, DictCell, ListCell, Reference, Value

Content = list[object] | dict[object, object]


def is_own_container(kind: type) -> bool:
    """Return whether a class of the user's is a list or dict that is evaluated."""
    known = kind in (list, dict, OrderedDict)
    return not known and issubclass(kind, list | dict) and passed_over(kind) is None


def items_of(example: object, place: str) -> Content:
    """Return what an example holds; refuse one that shows something else than it holds."""
    if isinstance(example, dict):
        held = {key: dict.__getitem__(example, key) for key in dict.keys(example)}
        shown = list(example) == list(held) and all(example[k] is held[k] for k in held)
        if shown and len(example) == len(held):
            return OrderedDict(held) if isinstance(example, OrderedDict) else held
    elif isinstance(example, list):
        items = list(list.__iter__(example))
        if len(example) == len(items) and all(example[i] is x for i, x in enumerate(items)):
            return items
    raise _refusal(f"argument {place!r} has other items than its class shows")


def with_class(
    run: Run, state: State, example: object, items: tuple[InputSpec, Value], place: str
) -> tuple[InputSpec, Value]:
    """Give the container of the items of an example its class; it may not be changed.

    The host sees that an argument has no attributes that the example could not have.
    """
    spec, made = items
    if not isinstance(spec, SequenceInput | MappingInput):
        raise _refusal(f"argument {place!r} is of a class of its own, and of any length")
    assert isinstance(made, Reference)
    run.containers.places.pop(made.identity, None)
    run.lasting_cells.add(made.identity)
    cell = state.heap[made.identity]
    assert isinstance(cell, DictCell | ListCell)
    values = cell.items if isinstance(cell, DictCell) else {}
    attributes = _attributes(example, values, place)
    state.heap[made.identity] = dataclasses.replace(cell, kind=type(example), attributes=attributes)
    return dataclasses.replace(spec, is_own=True), made


def _attributes(example: object, values: Mapping[object, Value], place: str) -> dict[str, Value]:
    """Return the attributes of an example: each is an item, or a field for one that is missing."""
    fields = getattr(example, "__dataclass_fields__", {})
    found: dict[str, Value] = {}
    for name, content in own_attributes(example):
        if isinstance(example, dict) and name in values and dict.get(example, name) is content:
            found[name] = values[name]
        elif content is None and name in fields and isinstance(example, dict):
            found[name] = NONE
        else:
            raise _refusal(f"attribute {name!r} of argument {place!r} is none of its items")
    return found


def _refusal(message: str) -> CompileError:
    help_ = "pass a plain list or dict, and build the object in the function"
    return CompileError([Diagnostic(code="DYCL072", message=message, origin=None, help=help_)])
