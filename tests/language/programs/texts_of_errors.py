"""Exceptions and objects as operands of ``%``."""

from tests.language.harness import case

NUMBERS = [(3.5,), (-1.25,), (0.0,)]


class _Place:
    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return f"<{self.number}>"


@case(inputs=NUMBERS)
def written_with_percent(number):
    """%r and %s of an exception, and of an object with a text of its own, between numbers."""
    try:
        if number < 0:
            raise ValueError(f"below: {number}")
        if number == 0:
            raise KeyError("nothing", number)
    except (ValueError, KeyError) as error:
        return "%r" % error, "got %s of %5.2f (%r)" % (error, number, type(error).__name__)
    place = _Place(number)
    return "%s|%r|%8s" % (place, place, place)
