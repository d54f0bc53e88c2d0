"""Values that hold nothing but 0 and 1, by the operations that make them."""

from collections.abc import Callable, Iterable, Mapping

import torch

from hcfg.masks.values import MIXED, Operation, Trace, Value

Contents = frozenset[float]
"""The numbers that the elements of a value can be: few, whole, small, none negative."""

MASK: Contents = frozenset({0.0, 1.0})

_MOST, _LARGEST = 4, 16.0
_MOST_ELEMENTS = 1 << 20

_TESTS = frozenset(
    {"gt", "ge", "lt", "le", "eq", "ne", "isnan", "isinf", "isfinite", "any", "all",
     "logical_and", "logical_or", "logical_not", "logical_xor"}
)  # fmt: skip
"""Give true and false, whatever they are given: a comparison with NaN is false."""

_BITS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"})

SELECTING = frozenset(
    {"view", "_unsafe_view", "_reshape_alias", "select", "slice", "expand", "unsqueeze",
     "squeeze", "permute", "transpose", "t", "gather", "index_select", "clone", "detach", "alias",
     "lift_fresh", "lift_fresh_copy", "repeat", "flip", "unbind", "split", "split_with_sizes",
     "unfold", "roll", "diagonal", "_to_copy"}
)  # fmt: skip
"""Give elements of their first operand. One that is converted stays the whole number it is."""

EXTREMES = frozenset({"amax", "amin", "max", "min", "maximum", "minimum", "relu"})
"""Give elements of their operands, or 0."""

_FILLED = {"zero": 0.0, "zeros_like": 0.0, "new_zeros": 0.0, "ones_like": 1.0, "new_ones": 1.0}

_PAIRWISE: Mapping[str, Callable[[float, float], float]] = {
    "mul": lambda left, right: left * right,
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "rsub": lambda left, right: right - left,
}


def few_contents(trace: Trace) -> dict[Value, Contents]:
    """Return what is known about the elements of values that hold few different ones."""
    known: dict[Value, Contents] = {}

    def of(argument: object) -> Contents | None:
        match argument:
            case Value():
                return known.get(argument) or _constant(argument)
            case bool() | int() | float():
                return _few((float(argument),))
            case list():
                return _union(map(of, argument))
            case _:  # an operand that is not given
                return None

    for operation in trace.operations:
        found = _of_result(operation, of)
        if found is not None and operation.results:
            known[operation.results[0]] = found
            if operation.name in ("unbind", "split", "split_with_sizes"):
                known.update(dict.fromkeys(operation.results, found))
    return known


def _of_result(operation: Operation, of: Callable[[object], Contents | None]) -> Contents | None:
    name, given = operation.name, operation.arguments
    if name in _TESTS:
        return MASK
    if name in _BITS:
        return MASK if operation.results[0].dtype == torch.bool else None
    if name in SELECTING:
        return of(given["self"])
    if name in _FILLED:
        return _few((_FILLED[name],))
    if name in ("full_like", "new_full"):
        return of(given["fill_value"])
    if name in _PAIRWISE:
        return _pairwise(operation, of)
    return _of_chosen(operation, of)


def _of_chosen(operation: Operation, of: Callable[[object], Contents | None]) -> Contents | None:
    """Return the contents of what consists of elements of several operands."""
    given = operation.arguments
    match operation.name:
        case "where":
            return _union(map(of, (given.get("self"), given.get("other"))))
        case "scatter":
            if given.get("reduce") is not None:
                return None
            return _union(map(of, (given["self"], given.get("src", given.get("value")))))
        case "masked_fill":
            return _union(map(of, (given["self"], given["value"])))
        case "fill":
            return of(given["value"])
        case "copy":
            return of(given["src"])
        case "cat" | "stack":
            return of(given["tensors"])
        case name if name in EXTREMES or name == MIXED:
            return _union(map(of, operation.operands))
        case _:  # no rule
            return None


def _pairwise(operation: Operation, of: Callable[[object], Contents | None]) -> Contents | None:
    given = operation.arguments
    left, right = of(given["self"]), of(given["other"])
    if left is None or right is None or given.get("alpha", 1) != 1:
        return None
    combine = _PAIRWISE[operation.name]
    return _few(combine(first, second) for first in left for second in right)


def _union(parts: Iterable[Contents | None]) -> Contents | None:
    whole: set[float] = set()
    for part in parts:
        if part is None:
            return None
        whole |= part
    return _few(whole)


def _few(numbers: Iterable[float]) -> Contents | None:
    found = frozenset(numbers)
    small = all(0 <= each <= _LARGEST and each == int(each) for each in found)
    return found if small and 0 < len(found) <= _MOST else None


def _constant(value: Value) -> Contents | None:
    content = value.content
    if content is None or content.is_complex() or not 0 < content.numel() <= _MOST_ELEMENTS:
        return None
    unique = torch.unique(content.detach().double())
    return _few(unique.tolist()) if unique.numel() <= _MOST else None
