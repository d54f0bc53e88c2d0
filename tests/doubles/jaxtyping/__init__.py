"""A stand-in for ``jaxtyping``: array types that name their dimensions, and what checks them."""

from jaxtyping._decorator import jaxtyped as jaxtyped


class _Dimension:
    broadcastable = treepath = False

    def __init__(self, told):
        if told.isdigit():
            self.size = int(told)
        else:
            self.name = told.lstrip("*")


class Float:
    """``Float[Tensor, "*batch n 4"]``."""

    def __class_getitem__(cls, told):
        kind, names = told
        made = type("Float", (), {})
        parts = names.split()
        made.array_type, made.dim_str, made.dtypes = kind, names, ["float32", "float64"]
        made.dims = tuple(object() if part in ("_", "...") else _Dimension(part) for part in parts)
        several = [place for place, part in enumerate(parts) if part[:1] == "*" or part == "..."]
        made.index_variadic = several[0] if several else None
        return made
