"""Give positional arguments the names of the entry point's parameters."""

import inspect
from collections.abc import Callable, Sequence
from typing import TypeVar

from dycl.errors import UserError

Value = TypeVar("Value")


def parameter_names(entry: Callable[..., object]) -> list[str]:
    """Return the names that positional arguments of ``entry`` may have, in order."""
    # nn.Module.__call__ takes anything; forward has the names
    forward = getattr(entry, "forward", entry)
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(forward).parameters.values()
    return [p.name for p in parameters if p.kind in positional]


def bind_names(
    entry: Callable[..., object], values: Sequence[tuple[str | None, Value]]
) -> dict[str, Value]:
    """Name every value; those without a name take the parameters in order."""
    names = parameter_names(entry)
    bound: dict[str, Value] = {}
    for position, (given, value) in enumerate(values):
        if given is None and position >= len(names):
            raise UserError(
                f"input {position + 1} has no parameter to go to",
                help=f"the entry point takes: {', '.join(names) or 'no positional arguments'}",
            )
        name = names[position] if given is None else given
        if name in bound:
            raise UserError(f"two inputs for the parameter {name!r}")
        bound[name] = value
    return bound
