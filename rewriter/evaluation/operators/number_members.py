"""Members of enumerations that are numbers or strings: operators see the number or string."""

import enum
from collections.abc import Callable
from typing import Any

from rewriter.values import Known, Value

_PLAIN: dict[type, Callable[[Any], object]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
}
"""What gives a member without its name."""


def plain_operands(function: Callable[..., Any], operands: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return operands with the numbers and strings that members of enumerations are.

    For operators that their classes have from ``int``, ``float`` or ``str``. An operator with
    known operands only is applied to them as they are.
    """
    if all(isinstance(operand, Known) for operand in operands):
        return operands
    return tuple(_plain(function, operand) for operand in operands)


def _plain(function: Callable[..., Any], operand: Value) -> Value:
    if not isinstance(operand, Known) or not isinstance(operand.value, enum.Enum):
        return operand
    member = operand.value
    name = f"__{function.__name__.strip('_')}__"
    for kind, plain in _PLAIN.items():
        if isinstance(member, kind) and _is_inherited(type(member), kind, name):
            return Known(plain(member))
    return operand


def _is_inherited(owner: type, kind: type, name: str) -> bool:
    own = getattr(owner, name, None)
    return own is not None and own is getattr(kind, name, None)
