"""``unique`` along a dimension counted from the end: PyTorch's shape rule for it is wrong there.

Without content it takes ``dim=-1`` of a tensor of rank one for a tensor of rank two. Counted from
the front, the dimension is the same, and so is the rule.
"""

from rewriter.evaluation.rendering import tensor_of
from rewriter.values import Known, Value

_PLACES = {"unique": 4, "unique_consecutive": 3}
"""Where the dimension stands among the positional arguments, the tensor first."""


def counted_from_the_front(
    name: str, values: list[Value], keywords: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """Return the arguments of an operation of torch, without a negative ``dim`` of ``unique``."""
    place = _PLACES.get(name)
    tensor = tensor_of(values[0] if values else keywords.get("input", Known(None)))
    if place is None or tensor is None:
        return values, keywords
    values, keywords = list(values), dict(keywords)
    if place < len(values):
        values[place] = _counted(values[place], tensor.dim())
    if "dim" in keywords:
        keywords["dim"] = _counted(keywords["dim"], tensor.dim())
    return values, keywords


def _counted(dim: Value, rank: int) -> Value:
    if isinstance(dim, Known) and type(dim.value) is int and -rank <= dim.value < 0:
        return Known(dim.value + rank)
    return dim
