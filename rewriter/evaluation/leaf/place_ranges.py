"""Between which numbers the elements of a tensor lie that says where something was found.

``experts[int(gate.argmax())]`` chooses among as many experts as the gate has elements: the paths
for negative places, and for one that is out of range, are never taken.
"""

import math
import types

import torch

from rewriter.evaluation.leaf.operation import Fakes, Operation
from rewriter.values import TensorValue, TupleValue, Value

_DIM: dict[str, tuple[int, int | None]] = {
    **dict.fromkeys(("argmax", "argmin"), (1, None)),
    **dict.fromkeys(("max", "min", "median", "nanmedian"), (1, None)),
    **dict.fromkeys(("sort", "argsort", "mode"), (1, -1)),
    **dict.fromkeys(("topk", "kthvalue"), (2, -1)),
}
"""Operations that say where they found something: place and default of their ``dim``."""
_BESIDE_VALUES = frozenset(
    {"max", "min", "median", "nanmedian", "sort", "mode", "topk", "kthvalue"}
)
"""Those of them that give values first, and places after them."""
_SELECTING = frozenset(
    {"indexing", "iteration over a tensor", "chunk", "clone", "contiguous", "cpu", "detach",
     "expand", "flatten", "flip", "gather", "index_select", "long", "masked_select", "permute",
     "repeat", "reshape", "select", "split", "squeeze", "t", "take", "transpose", "unbind",
     "unsqueeze", "view"}
)  # fmt: skip
"""Operations that give elements of their first operand, as they are."""


def note_ranges(operation: Operation, fakes: Fakes, value: Value) -> None:
    """Record between which numbers the elements of an operation's result lie, if that is known.

    ``fakes`` are the operands. A written tensor is another value, of which nothing is known.
    """
    name = operation.description.removeprefix("Tensor.")
    if not _is_own(operation, name):
        return
    if name in _DIM:
        found = _places(name, fakes)
        parts = value.items if isinstance(value, TupleValue) else (value,)
        _note(operation, parts[1:2] if name in _BESIDE_VALUES else parts, found)
    elif name in _SELECTING and operation.operands:
        chosen = operation.operands[0]
        if isinstance(chosen, TensorValue):
            found = operation.run.ranges.get(operation.state.current(chosen).name)
            _note(operation, value.items if isinstance(value, TupleValue) else (value,), found)


def _is_own(operation: Operation, name: str) -> bool:
    """Return whether this is torch's, not a user's operator or script that has the same name."""
    compute = operation.compute
    if compute in (getattr(torch, name, None), getattr(torch.Tensor, name, None)):
        return True
    # methods, indexing, iteration
    is_function = isinstance(compute, types.FunctionType)
    return is_function and compute.__module__.startswith("rewriter.")


def _note(operation: Operation, parts: tuple[Value, ...], found: range | None) -> None:
    for part in parts:
        if found is None:
            return
        if isinstance(part, TensorValue) and part.fake.dtype is torch.int64:
            operation.run.ranges[part.name] = found


def _places(name: str, fakes: Fakes) -> range | None:
    """Return the places along the dimension in which an operation searches, None where unknown."""
    place, default = _DIM[name]
    given = fakes.arguments[place] if place < len(fakes.arguments) else default
    dim = fakes.keywords.get("dim", fakes.keywords.get("axis", given))
    searched = fakes.arguments[0] if fakes.arguments else fakes.keywords.get("input")
    if not isinstance(searched, torch.Tensor):
        return None
    sizes = list(searched.shape or (1,))
    if type(dim) is int:
        sizes = [sizes[dim]]
    elif dim is not None:
        return None
    return range(math.prod(sizes)) if all(type(size) is int for size in sizes) else None
