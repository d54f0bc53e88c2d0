"""Members of enums chosen by values known only at run time."""


def member_of(kind, value):
    """Return ``kind(value)``: the member with this value."""
    for member in kind:
        if member.value == value:
            return member
    raise ValueError(f"{value!r} is not a valid {kind.__qualname__}")


def member_named(kind, name):
    """Return ``kind[name]``, aliases included."""
    for own, member in kind.__members__.items():
        if own == name:
            return member
    raise KeyError(name)
