"""Attributes that Python checks as they are set, and other errors that it raises by itself."""

from tests.language.harness import case

NUMBERS = [(2,), (0,), (-1,)]


def _told(error, name, value):
    try:
        setattr(error, name, value)
    except TypeError as wrong:
        return str(wrong)
    return "taken"


@case(inputs=NUMBERS)
def attributes_of_exceptions(number):
    """`__traceback__`, `__cause__` and the like of an exception take certain classes only."""
    error = ValueError(number)
    texts = [_told(error, "__traceback__", number), _told(error, "__cause__", number)]
    texts += [_told(error, "__context__", 5), _told(error, "args", number)]
    return texts, _told(error, "__cause__", KeyError(1)), _told(error, "note", number)


@case(inputs=NUMBERS, refused="DYCL043")
def arguments_of_an_exception(number):
    """What becomes the arguments of an exception is made a tuple: a list is refused."""
    error = ValueError(number)
    error.args = [1, number]  # <- refused
    return len(error.args)


@case(inputs=NUMBERS)
def raised_from_a_number(number):
    """`raise ... from` what is no exception raises TypeError."""
    try:
        raise ValueError(number) from number
    except TypeError as error:
        return str(error)


class Square:
    """Has an area that cannot be set, a call that is none, and no sum."""

    __call__ = None
    __add__ = None

    def __init__(self, side):
        self.side = side  # at import

    @property
    def area(self):
        """The area."""
        return self.side * self.side


SQUARE = Square(3)


@case(inputs=NUMBERS)
def property_without_a_setter(number):
    """A property without a setter raises AttributeError."""
    try:
        SQUARE.area = number + SQUARE.area
    except AttributeError as error:
        return str(error)


@case(inputs=NUMBERS)
def operators_set_to_none(number):
    """Operators that the class of the model's own object sets to None raise TypeError."""
    texts = []
    for operation in (lambda: SQUARE + number, lambda: number + SQUARE, lambda: SQUARE(number)):
        try:
            operation()
        except TypeError as error:
            texts.append(str(error))
    return texts


@case(inputs=NUMBERS)
def no_class(number):
    """`isinstance` with what is no class raises TypeError."""
    try:
        return isinstance(number, 1)
    except TypeError as error:
        return str(error)


class _Named:
    def name(self):
        return "base"


class _Forgetful(_Named):
    def name(self):
        del self
        return super().name()


@case(inputs=NUMBERS)
def parent_of_what_is_deleted(number):
    """`super()` after the receiver was deleted raises RuntimeError."""
    try:
        return _Forgetful().name(), number
    except RuntimeError as error:
        return str(error), _Named().name()


class _Other:
    def name(self):
        return "other"


@case(inputs=NUMBERS, refused="DYCL043")
def another_class(number):
    """`__class__` of an object is not set."""
    thing = _Named()
    thing.__class__ = _Other  # <- refused
    return thing.name(), number
