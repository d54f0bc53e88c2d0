"""Compare texts that were printed, or that errors have."""

import re

from dycl.verification.comparison import compare

_FLOAT = re.compile(r"([-+]?\d+\.\d*(?:e[-+]?\d+)?)")


def same_text(original: str, host: str) -> bool:
    """Return whether two texts differ in nothing but the rounding of floats in them."""
    before, after = _FLOAT.split(original), _FLOAT.split(host)
    return (
        before[::2] == after[::2]
        and compare(
            [float(text) for text in before[1::2]], [float(text) for text in after[1::2]]
        ).same
    )
