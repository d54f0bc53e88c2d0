"""Arguments that must lie in memory by rows: the model reads memory by their layout."""

from typing import Any

import numpy as np

from ._arguments import array, refuse
from ._sizes import Sizes


class by_rows:
    """An array that the model reads as it lies in memory (``as_strided``): row by row."""

    def __init__(self, spec: array) -> None:
        self.spec = spec

    def __str__(self) -> str:
        return f"{self.spec} that is contiguous"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the array; one that lies otherwise is refused, as its copy has other places."""
        made = self.spec.check(place, value, sizes)
        own = value.detach().cpu() if hasattr(value, "detach") else value
        if not np.asarray(own).flags.c_contiguous:
            refuse(place, self, "one that is not")
        return made
