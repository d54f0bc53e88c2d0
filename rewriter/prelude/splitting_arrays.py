"""``numpy.split`` and ``array_split`` of arrays, in Python: along their first dimension first."""

import operator


def at_places(ary, places):
    """Return the parts of an array between places in it."""
    parts = []
    start = 0
    for place in places:
        end = operator.index(place)
        parts.append(ary[start:end])
        start = end
    parts.append(ary[start:])
    return parts


def in_sections(ary, sections):
    """Return so many parts of an array, the first ones longer by one where they must be."""
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, longer = len(ary) // sections, len(ary) % sections
    parts = []
    start = 0
    for place in range(sections):
        end = start + each + (1 if place < longer else 0)
        parts.append(ary[start:end])
        start = end
    return parts


def in_equal_sections(ary, sections):
    """Return so many parts of an array, all of one length."""
    if len(ary) % sections:
        raise ValueError("array split does not result in an equal division")
    return in_sections(ary, sections)


def along(split, ary, parts, axis):
    """Return the parts of an array along another dimension than the first."""
    turned = ary.swapaxes(axis, 0)
    return [part.swapaxes(axis, 0) for part in split(turned, parts)]
