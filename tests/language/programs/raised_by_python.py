"""What Python raises of its own accord, and what it notes in exceptions"""

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class Three:
    """Gives three numbers, and ends with a word."""

    def __init__(self):
        self.given = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.given += 1
        if self.given > 3:
            raise StopIteration("done")
        return self.given


class Silent(StopIteration):
    """Takes nothing."""


class Ending:
    """Ends at once."""

    def __iter__(self):
        return self

    def __next__(self):
        raise Silent


def _resumed():
    word = "going on"
    while True:
        try:
            yield word
        except ValueError:
            word = "caught"


@case(inputs=BOTH)
def raised_what_is_no_exception(x):
    """What is raised and is no exception, is a TypeError; classes are not called."""
    texts = []
    for wrong in (5, "text", int, None):
        try:
            if x.sum() > 0:
                raise wrong
            raise ValueError from wrong
        except (TypeError, ValueError) as error:
            texts.append(repr(error))
    return texts


@case(inputs=BOTH)
def thrown_what_is_no_exception(x):
    """throw() of what is no exception raises at the call; the generator is as it was."""
    resumed = _resumed()
    texts = [next(resumed)]
    try:
        resumed.throw("text" if x.sum() > 0 else 5)
    except TypeError as error:
        texts.append(str(error))
    texts.append(resumed.throw(ValueError))
    return texts


@case(inputs=[(POSITIVE,)], refused=True)
def thrown_number(x):
    """Whose type is not told."""
    resumed = _resumed()
    next(resumed)
    return resumed.throw(x.sum())  # <- refused


@case(inputs=BOTH)
def cause_of_a_generators_end(x):
    """A StopIteration that leaves a generator is the cause of the RuntimeError."""

    def broken():
        yield 1
        if x.sum() > 0:
            raise StopIteration("early")

    numbers = broken()
    try:
        return [next(numbers), next(numbers)]
    except RuntimeError as error:
        return str(error), type(error.__cause__).__name__, error.__cause__.value
    except StopIteration as end:
        return end.value, end.args


@case(inputs=BOTH)
def value_of_an_iterators_end(x):
    """`yield from` gives what an iterator's StopIteration has."""

    def outer(iterator):
        word = yield from iterator
        yield word

    return list(outer(Three() if x.sum() > 0 else Ending()))


@case(inputs=BOTH)
def first_argument(x):
    """StopIteration has its first argument as value, SystemExit as code."""
    try:
        if x.sum() > 0:
            raise StopIteration(x.sum().item())
        raise SystemExit
    except StopIteration as end:
        return end.value, end.args
    except SystemExit as end:
        return end.code, end.args


@case(inputs=BOTH, refused=True)
def asks_itself(x):
    """A generator that asks itself for an item."""

    def numbers():  # <- refused
        yield next(itself)

    itself = numbers()
    return next(itself) if x.sum() > 0 else 0


@case(inputs=BOTH, refused=True)
def name_in_an_error(x):
    """Which attribute was missing is in the words only."""
    try:
        return x.nothing if x.sum() > 0 else x.none
    except AttributeError as error:
        return error.name  # <- refused


@case(inputs=BOTH, refused=True)
def context_of_an_error(x):
    """What was being handled when Python raised something else."""
    try:
        try:
            raise ValueError if x.sum() > 0 else KeyError
        except (ValueError, KeyError):
            return {}["missing"]
    except KeyError as error:
        return type(error.__context__).__name__  # <- refused


@case(inputs=BOTH)
def without_a_hash(x):
    """A list in a set that is written out."""
    try:
        return x, {(1, [])}
    except TypeError as error:
        return x + 1, str(error)


@case(inputs=BOTH)
def attributes_of_a_number(x):
    """``vars`` asks for a ``__dict__``, which numbers and texts have not."""
    found = []
    for content in (42, "text", 1.5 if x.sum() > 0 else None):
        try:
            found.append(vars(content))
        except TypeError as error:
            found.append(str(error))
    return x, found


@case(inputs=BOTH)
def made_by_their_classes(x):
    """The class of an OSError is chosen by its number, and arguments may not fit."""
    found = []
    for make in (lambda: OSError(2, "missing"), lambda: OSError("other")):
        try:
            raise make()
        except FileNotFoundError as error:
            found.append(("missing", error.args))
        except OSError as error:
            found.append(error.args)
    for kind in (KeyError, UnicodeError):
        try:
            found.append(str(kind(key=x.sum().item())))
        except TypeError as error:
            found.append(str(error))
    return x, found


@case(inputs=[(2,), (1,)], refused="DYCL050")
def chosen_by_a_number(n):
    """A number of run time would choose the class of an OSError."""
    try:
        raise OSError(n, "failed")  # <- refused
    except FileNotFoundError:
        return 1
