"""Arguments that the model takes to be other objects than further arguments."""

from typing import Any

from ._arguments import Spec, check, describe
from ._sizes import Sizes


class separate:
    """An array of which the model asks whether it is another argument: it is taken not to be."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def __str__(self) -> str:
        return describe(self.spec)

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the array; calls that give it in two such places are refused."""
        sizes.separate.append((place, value))
        return check(self.spec, place, value, sizes)
