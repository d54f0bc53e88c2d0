"""Sets of known numbers: walked in the order that Python's table gives; operators in place."""

from tests.language.harness import case

COUNTS = [(3,), (1,), (0,)]


@case(inputs=COUNTS)
def order_of_insertion(n):
    """Numbers that meet at one place of the table are walked as they were put in."""
    one, other = set(), set([0, 8, 16, 24])
    for i in [24, 8, 0, 16]:
        one.add(i)
    return list(one), list(other), list(one | other), list(one - {8}), [x + n for x in one]


@case(inputs=COUNTS)
def order_after_a_removal(n):
    """What was taken out leaves its place."""
    numbers = {0, 8}
    numbers.remove(0)
    numbers.add(16)
    numbers.add(0)
    return list(numbers), n


@case(inputs=COUNTS)
def order_in_a_table_that_was_larger(n):
    """A table does not get smaller when elements are taken out."""
    numbers = set(range(40))
    for i in range(38):
        numbers.remove(i)
    numbers.add(1)
    numbers.add(70)
    return list(numbers), list(numbers.copy()), n


@case(inputs=COUNTS)
def operators_in_place_keep_the_set(n):
    """-=, |=, &= and ^= change the set that another name holds."""
    numbers = {1, 2, 3}
    same = numbers
    numbers -= {1}
    numbers |= {7}
    numbers &= {2, 7, 3}
    numbers ^= {3, 9}
    return sorted(same), same is numbers, n


@case(inputs=COUNTS, refused="DYCL051")
def union_of_known_sets(n):
    """| of two sets is a new one."""
    one, other = {1, 2}, {2, n > 5}
    return sorted(one | {9}), sorted(one), len(other)
