"""Elements are worked out one by one: what one does, the next one sees."""

import functools

from tests.language.harness import case

COUNTS = [(3,), (1,), (0,)]


@case(inputs=COUNTS)
def comprehension_appends_to_what_it_walks(n):
    """A comprehension walks a list as it is at each step."""
    numbers = [1, 2, 3]
    made = [numbers.append(x + n) or x for x in numbers if len(numbers) < 7]  # known
    return made, numbers


@case(inputs=COUNTS)
def comprehension_takes_from_what_it_walks(n):
    """It ends earlier where the list gets shorter."""
    numbers = [1, 2, 3, n]
    return [numbers.pop() for _ in numbers], numbers


@case(inputs=COUNTS)
def comprehension_takes_keys_out(n):
    """A dict that loses a key in a comprehension."""
    table = {1: n, 2: n, 3: n}
    return [table.pop(key) for key in table if key < 3 and n > 1], table


@case(inputs=COUNTS)
def comprehension_over_map(n):
    """An item is asked for after the element before it is done."""
    log = []

    def first(x):
        log.append(("first", x))
        return x + n

    def second(x):
        log.append(("second", x))
        return x

    listed = [second(x) for x in map(first, [1, 2])]
    table = {second(x): first(x) for x in map(first, [1, 2])}
    return listed, table, log


@case(inputs=COUNTS)
def nested_generator_expression(n):
    """The inner clause of a generator expression is walked as elements are asked for."""
    log = []

    def noted(x):
        log.append(x)
        return x

    for value in (noted(y + x) for x in [0, 10] for y in [1, 2, n]):
        log.append(-value)
        if value > 10:
            break
    return log


@case(inputs=COUNTS)
def nested_generator_expression_over_a_list_that_grows(n):
    """The inner list grows between two elements."""
    inner, seen = [1, 2], []
    for value in (x + y for x in [0, 10] for y in inner):
        seen.append(value)
        if len(inner) < 4:
            inner.append(n)
    return seen


@case(inputs=COUNTS)
def three_clauses(n):
    """A clause reads the variables of the ones before, with filters between."""
    return list((a, b, c) for a in range(2) for b in range(a, 2) if b < n for c in [a, b])


@case(inputs=COUNTS)
def functions_made_by_a_generator_expression(n):
    """All of them read the variable as it is in the end."""
    functions = list((lambda: i + n) for i in range(3))
    return [function() for function in functions]


@case(inputs=COUNTS, slow=True)
def extend_by_what_reads_the_list(n):
    """extend() appends one by one what an iterator gives."""
    numbers = [1, n]
    numbers.extend(x for x in numbers if len(numbers) < 9)
    numbers += (len(numbers) + x for x in [1, 2])
    return numbers


@case(inputs=COUNTS)
def extend_by_what_reads_a_run_time_list(n):
    """The same with a list of the host."""
    numbers = []
    for i in range(n):
        numbers.append(i)
    numbers.extend(x + 1 for x in numbers if len(numbers) < 9)
    return numbers


@case(inputs=COUNTS)
def update_by_what_reads_the_container(n):
    """update() of a dict and of a set puts in one by one."""
    table, numbers = {0: n}, {0}
    table.update((len(table), x) for x in [5, 6, 7])
    numbers.update(len(numbers) + x for x in [5, 6, 7])
    return table, sorted(numbers)


@case(inputs=COUNTS)
def unpacking_asks_for_one_more(n):
    """What is too much for the targets is asked for once."""
    log = []

    def given():
        for i in range(5):
            log.append(i + n)
            yield i

    try:
        _, _ = given()
    except ValueError as error:
        log.append(str(error))
    return log


@case(inputs=COUNTS)
def key_of_max_is_called_at_once(n):
    """max() calls the key for an item before it asks for the next one; sorted() does not."""
    log = []

    def given():
        for i in range(3):
            log.append(i)
            yield i + n

    def key(x):
        log.append("key")
        return -x

    return max(given(), key=key), sorted(given(), key=key), log


@case(inputs=COUNTS)
def reduce_over_a_list_that_grows(n):
    """functools.reduce walks a list as it is at each step."""
    numbers = [1, 2, 3]

    def combine(a, b):
        if len(numbers) < 6:
            numbers.append(b + n)
        return a + b

    return functools.reduce(combine, numbers, 0), numbers
