"""Sets of known numbers: walked in the order that Python's table gives; operators in place."""

import torch

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


ROWS = [(torch.tensor(row),) for row in ([1.0, 0.5, -1.0], [-1.0, 1.0, 3.0], [-1.0, -2.0, -1.0])]


@case(inputs=ROWS)
def put_in_one_by_one(x):
    """Sets that go to the host are made there as they came about, and walked alike."""
    tables = []
    for value in x[x > 0].tolist():
        table = set([8, 0, 16, 24, 5])
        tables.append(table)
        table.add(int(value) * 40)
    left = set(range(3))
    found = set(x.argsort().tolist()[:2])
    found.update({8, 16})
    found.add(int(x.argmax()) * 24)
    first = min(left - found, key=lambda i: -i, default=9)
    return [list(table) for table in tables], list(left - found), list(found), first


@case(inputs=ROWS)
def not_walked(x):
    """Sets that lost something on the way hold what they hold, also among others."""
    lost, tables, sizes = {16, 8, 0}, {3: {1}}, {7: {5}}
    lost.discard(16)
    tables[int(x.argmax())] = lost
    found = set(x.argsort().tolist()[:2])
    found |= lost
    sizes[int(x.argmax())] = {9, 17}
    return [sorted(each) for each in tables.values()], sorted(found), 8 in found, len(sizes)


def _after_a_loss(x):
    tables = [{1}]
    for value in x[x > 0].tolist():
        table = {16}
        table.add(8)
        table.add(0)
        table.discard(16 + 0 * int(value))
        tables.append(table)
    tables[-1].add(16)
    return tables[-1]


@case(inputs=ROWS, refused="DYCL051")
def list_after_a_loss(x):
    """What was taken out left its place, where 16 comes to: on the host there is none."""
    return list(_after_a_loss(x))  # <- refused


@case(inputs=ROWS, refused="DYCL051")
def first_of_equals_after_a_loss(x):
    """Which of the elements that are equal by a key comes first depends on the order."""
    return sorted(_after_a_loss(x), key=lambda value: 0)  # <- refused


@case(inputs=ROWS, refused="DYCL051")
def walked_after_it_took_such_a_set(x):
    """A set that takes the elements of another one in another order is walked in another, too."""
    numbers = {int(x.argmax()) + 5}
    numbers.update(_after_a_loss(x))
    return list(numbers)  # <- refused
