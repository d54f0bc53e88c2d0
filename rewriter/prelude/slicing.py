"""Where slices begin and end, in Python."""


def place(bound, size):
    """Return where a bound of a slice that goes forwards lies in a row."""
    return max(bound + size, 0) if bound < 0 else min(bound, size)


def positive_step(step):
    """Return the step of a slice of a tensor."""
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    return step
