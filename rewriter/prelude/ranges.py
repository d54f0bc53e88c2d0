"""Elements and parts of ranges whose bounds are known only at run time, in Python."""

import operator


def item(numbers, place):
    """``numbers[place]``."""
    if isinstance(place, slice):
        return _part(numbers, place)
    place = operator.index(place)
    count = len(numbers)
    if place < 0:
        place += count
    if place < 0 or place >= count:
        raise IndexError("range object index out of range")
    return numbers.start + place * numbers.step


def _part(numbers, place):
    count = len(numbers)
    step = 1 if place.step is None else place.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    first, last = (0, count) if step > 0 else (-1, count - 1)
    start = _within(place.start, first, last, first if step > 0 else last, count)
    stop = _within(place.stop, first, last, last if step > 0 else first, count)
    begin, end = numbers.start + start * numbers.step, numbers.start + stop * numbers.step
    return range(begin, end, step * numbers.step)


def _within(bound, first, last, default, count):
    """Return where a bound of a slice lies."""
    if bound is None:
        return default
    if bound < 0:
        bound += count
    return min(max(bound, first), last)
