"""Generators that end at run time and what else reads, changes or holds them."""

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
COUNTS = [(POSITIVE, number) for number in (3, 0, 1, 5)]


def doubled(number):
    """Yield even numbers."""
    for place in range(number):
        yield place * 2


@case(inputs=COUNTS)
def walked_twice(x, n):
    """The second loop over one generator finds nothing; a name and a list hold it."""
    steps = doubled(n)
    held = [steps, steps]
    total = 0
    for step in held[0]:
        total += step
    for step in held[1]:
        total += 100 + step  # never
    return x, total, [s for s in steps]


@case(inputs=COUNTS)
def in_a_run_time_loop(x, n):
    """One generator is gone on with in each turn of a loop that ends at run time."""
    steps = doubled(n)
    total, turns = 0, 0
    while turns < n + 1:
        for step in steps:
            total += step
            break
        turns += 1
    return x, total, turns


@case(inputs=COUNTS)
def made_in_each_turn(x, n):
    """A generator for each turn of a loop that ends at run time."""
    total, turns = 0, 0
    while turns < n:
        for step in doubled(turns):
            total += step
        turns += 1
    return x, total


@case(inputs=ROWS)
def a_list_that_changes(x):
    """The list that the generator walks grows and shrinks while it waits."""
    items = [number for number in x.flatten().tolist() if number > 0]

    def walked():
        for item in items:
            yield item

    seen = 0.0
    for item in walked():
        seen += item
        if len(items) < 5:
            items.append(item + 1)
        if item > 2:
            items.pop()
    return x, seen, items


@case(inputs=COUNTS)
def variables_that_change(x, n):
    """The generator reads a variable of the function that the loop changes."""
    factor = 1

    def scaled():
        for place in range(n):
            yield place * factor

    told = []
    for value in scaled():
        told.append(value)
        factor += 1
        n = 0
    return x, told, factor, n


@case(inputs=COUNTS)
def caught_inside(x, n):
    """The generator catches what its body raises, and goes on."""

    def steps():
        for place in range(n):
            try:
                if place == 1:
                    raise ValueError
                yield place
            except ValueError:
                yield -1

    total = x
    for step in steps():
        total = total * 2 + step
    return total


@case(inputs=COUNTS)
def two_ways_to_wait(x, n):
    """It waits in two places of its loop, or in none in a turn."""

    def steps():
        for place in range(n):
            if place == 1:
                continue
            if place % 2:
                yield place
                x.add(1)
            else:
                yield -place
        else:
            yield 50

    told = []
    for step in steps():
        told.append(step)
    else:
        told.append(99)
    return x, told


@case(inputs=COUNTS)
def endless_with_loops(x, n):
    """A loop that ends at run time in one without end, which a return ends."""

    def steps():
        rounds = 0
        while True:
            for place in range(n):
                yield place
            rounds += 1
            if rounds == 2:
                return

    total = 0
    for step in steps():
        total += step
    return x, total


@case(inputs=COUNTS, refused="DYCL041")
def broken_inside(x, n):
    """break inside of the generator, and a generator that walks another."""

    def first(steps):
        for step in steps:
            if step > 4:
                break
            yield step + 1

    total = 0
    for step in first(doubled(n)):
        total += step
    return x, total, [step for step in first(range(n))]


@case(inputs=COUNTS)
def writes_a_tensor(x, n):
    """The generator and the loop write into one tensor in turn."""
    y = x.clone()

    def steps():
        for place in range(n):
            y.add_(place)
            yield y.sum()

    for row in steps():
        y[1] = row * 0.5 + n
    return y


def recursive(n):
    """Yield numbers of generators of its own."""
    if n > 0:
        yield n
        yield from recursive(n - 1)


@case(inputs=COUNTS)
def of_itself(x, n):
    """A generator that delegates to itself at run time."""
    total = 0
    for step in recursive(n):
        total += step
    return x, total
