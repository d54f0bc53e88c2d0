"""Elements of lists and tuples in which others are spread: evaluated one after another."""

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


def told(value):
    """Yield a value, and say so."""
    print("gives", value.shape[0])
    yield value


def shown(value):
    """Return a value, and say so."""
    print("shows", value.shape[0])
    return value


@case(inputs=ROWS)
def a_generator_before_a_call(x):
    """A generator runs before the next element is evaluated."""
    return [*told(x), shown(x)], (shown(x), *told(x), shown(x))


@case(inputs=ROWS)
def a_list_that_the_next_one_changes(x):
    """What is spread is as it was when its turn came."""
    items = [x]

    def added():
        items.append(x + 1)
        return x

    return [*items, added()], (*items, added(), *items)


@case(inputs=ROWS)
def a_run_time_list_that_the_next_one_changes(x):
    """The same of a list of any length."""
    items = [value for value in x.flatten().tolist() if value > 0]

    def added():
        items.append(9.0)
        return len(items)

    return [*items, added(), *items], (*items, len(items), *items)


@case(inputs=ROWS)
def an_iterator_that_the_next_one_asks(x):
    """An iterator has nothing left once it was spread."""
    known, kept = iter([1, 2]), [value for value in x.flatten().tolist() if value > 0]
    left = iter(kept)
    return [*known, next(known, 5)], [*left, next(left, 5.0)]


@case(inputs=ROWS)
def an_error_after_some(x):
    """What raises in between has been done up to there."""
    items = [value for value in x.flatten().tolist() if value > 0]

    def added():
        items.append(1.0)
        if len(items) > 2:
            raise ValueError(str(len(items)))
        return 0.5

    try:
        return [*items, added(), added()]
    except ValueError as error:
        return items, str(error)
