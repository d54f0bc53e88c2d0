"""Classes that replace what Python does itself: the text of a format, the lookup of attributes"""

from tests.language.harness import NEGATIVE, POSITIVE, case


class Length:
    """A class with all four texts."""

    def __init__(self, metres):
        self.metres = metres

    def __repr__(self):
        return f"Length({self.metres})"

    def __str__(self):
        return f"{self.metres} m"

    def __format__(self, spec):
        return f"{self.metres * 100} cm" if spec == "cm" else f"<{self.metres}{spec}>"


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 3)])
def texts_of_an_object(x, metres):
    """format() calls __format__; conversions take __repr__ or __str__ and no __format__"""
    length = Length(metres)
    texts = f"{length} {length:cm} {length!r} {length!s} {length!r:>12}", format(length, "cm")
    return x + metres, texts, str(length), repr(length)


class Text:
    """A class without __format__."""

    def __repr__(self):
        return "repr é"

    def __str__(self):
        return "str"


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def conversions(x):
    """!a takes __repr__ as !r does"""
    text = Text()
    return x * 2, f"{text!r} {text!s} {text} {text!a}"


class Answering:
    """A class that answers for every attribute."""

    def __init__(self, x):
        self.x = x

    def __getattribute__(self, name):
        return 1


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def own_lookup(x):
    """__getattribute__ of the user's is not passed over"""
    return x * Answering(x).x
