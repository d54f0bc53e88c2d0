"""`in` of generators, iterators, and objects that are walked"""

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
COUNTS = [(3,), (0,), (2,)]


class Holder:
    """Is asked for its items."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


class Near:
    """Is equal to what is near."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return abs(self.number - other) < 1


@case(inputs=BOTH)
def as_far_as_needed(x):
    """A generator is left where the item was found, and goes on from there."""
    log = []

    def numbers():
        log.append("first")
        yield 1
        log.append("second")
        yield 2

    given = numbers()
    wanted = 1 if x.sum() > 0 else 2
    found = wanted in given
    seen = len(log)
    return found, seen, 2 in given, 3 not in numbers(), log


@case(inputs=COUNTS, slow=True)
def numbers_of_run_time(count):
    """A number of run time is looked for, or among such."""
    texts = iter(["a", "b", "c"])
    next(texts)
    asked = "b" if count > 1 else "a"
    products = (number * 3 for number in range(3))
    return count in products, list(products), asked in texts, list(texts), (count, 1) in zip([3], [1])


@case(inputs=COUNTS)
def lists_of_any_length(count):
    """The list that is walked has a length of run time."""
    squares = []
    for number in range(count):
        squares.append(number * number)
    return 4 in (square for square in squares), 1 in iter(squares), 4 in reversed(squares)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED * float("nan"),)])
def objects_walked(x):
    """Objects with an ``__iter__``; the items are asked whether they are equal, NaN by itself."""
    number = x.sum().item()
    held = Holder([number, 1.0])
    return number in held, 1.0 in held, 2.5 in Holder([Near(2)]), 4 in Holder(Near(2) for _ in "ab")


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def a_set_takes_from_an_iterator_no_more_than_it_must_see(x):
    """isdisjoint and issuperset stop at the first item that decides, and the rest is still there."""
    first, second, third, fourth = (iter([1, 2, 3, 4]) for _ in range(4))
    grown = {2}
    if x.flatten()[0] > 0:
        grown.add(3)
    answers = {2}.isdisjoint(first), {1}.issuperset(second), grown.isdisjoint(third), {1: x}.keys().isdisjoint(fourth)
    return answers, list(first), list(second), list(third), list(fourth), x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def a_generator_that_a_set_leaves_early(x):
    """What a generator does after the item that decides is never done."""
    asked = []

    def places():
        for place in range(4):
            asked.append(place)
            yield int(x.flatten()[0].item()) + place

    return {2, 5}.isdisjoint(places()), {0, 1}.issuperset(places()), len(asked), x
