"""Members of enums chosen by values known only at run time."""


def member_of(kind, value):
    """Return ``kind(value)``: the member with this value."""
    for member in kind:
        if member.value == value:
            return member
    raise ValueError(f"{value!r} is not a valid {kind.__qualname__}")


def member_or_else(kind, missing, value):
    """Return ``kind(value)`` of a class that says what stands for other values, ``_missing_``."""
    if isinstance(value, kind):
        return value
    for member in kind:
        if member.value == value:
            return member
    found = missing(kind, value)
    if found is None:
        raise ValueError(f"{value!r} is not a valid {kind.__qualname__}")
    if not isinstance(found, kind):
        raise TypeError(
            f"error in {kind.__name__}._missing_: returned {found!r} instead of None or a valid "
            "member"
        )
    return found


def member_named(kind, name):
    """Return ``kind[name]``, aliases included."""
    for own, member in kind.__members__.items():
        if own == name:
            return member
    raise KeyError(name)
