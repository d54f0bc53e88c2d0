"""What the host calls where the program catches errors: the error is a result like any other.

Stands in host packages as it is here: it may import nothing.
"""

from collections.abc import Callable
from typing import Any


def attempted(
    kinds: tuple[type[BaseException], ...], function: Callable[..., Any], /, *arguments: Any
) -> tuple[type[BaseException] | None, Any]:
    """Return None and what a call gives, or the kind of error that it raises, and its words."""
    try:
        return None, function(*arguments)
    except kinds as error:
        if type(error) not in kinds:
            raise
        return type(error), error.args[0]
