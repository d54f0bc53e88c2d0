"""Whether objects are of the types that a function's parameters are annotated with.

Types are described as ``rewriter.annotated_types`` says. ``sizes`` is what names of dimensions
stand for so far; None where each annotation stands for itself.
"""


def all_fit(values, types, sizes):
    """Return whether each of some objects is of its type."""
    return all(fits(value, kind, sizes) for value, kind in zip(values, types, strict=True))


def fits(value, kind, sizes):
    """Return whether an object, and all that it holds, is of a type."""
    name = kind[0]
    if name == "any":
        return True
    if name == "none":
        return value is None
    if name == "class":
        return isinstance(value, kind[1])
    if name == "callable":
        return callable(value)
    if name == "literal":
        return any(type(value) is type(each) and value == each for each in kind[1])
    if name == "union":
        return any(fits(value, each, sizes) for each in kind[1])
    if name == "array":
        return _is_array(value, kind, {} if sizes is None else sizes)
    return isinstance(value, kind[1]) and _holds(value, kind, sizes)


def _holds(value, kind, sizes):
    if kind[0] == "items":
        return all(fits(item, kind[2], sizes) for item in value)
    if kind[0] == "row":
        return len(value) == len(kind[2]) and all(
            fits(item, each, sizes) for item, each in zip(value, kind[2], strict=True)
        )
    return all(fits(key, kind[2], sizes) for key in value) and all(
        fits(item, kind[3], sizes) for item in value.values()
    )


def _is_array(value, kind, sizes):
    _, array_type, dtypes, before, between, after = kind
    if not isinstance(value, array_type):
        return False
    if dtypes is not None and str(value.dtype).rpartition(".")[2] not in dtypes:
        return False
    count = len(value.shape)
    least = len(before) + len(after)
    if count < least or (between is None and count != least):
        return False
    shape = tuple(value.shape)
    end = count - len(after)
    return (
        _are(shape[: len(before)], before, sizes)
        and _are(shape[end:], after, sizes)
        and (not between or _is_named(shape[len(before) : end], "*" + between, sizes))
    )


def _are(shape, dimensions, sizes):
    return all(
        _is_size(size, dimension, sizes) for size, dimension in zip(shape, dimensions, strict=True)
    )


def _is_size(size, dimension, sizes):
    name, may_be_one = dimension
    if name is None or (may_be_one and size == 1):
        return True
    return size == name if isinstance(name, int) else _is_named(size, name, sizes)


def _is_named(size, name, sizes):
    return sizes.setdefault(name, size) == size
