"""Where slices begin and end, in Python."""


def place(bound, size):
    """Return where a bound of a slice that goes forwards lies in a row."""
    return max(bound + size, 0) if bound < 0 else min(bound, size)
