"""Operations on run-time containers happen in the order in which they are written."""

from tests.language.harness import case


@case(inputs=[(3,), (0,)])
def reads_stay_before_writes(n):
    """What is read of a list or dict is what it held then, not what it holds later."""
    a = [i for i in range(n)]
    size = len(a)
    total = sum(a)
    has = 7 in a
    text = str(a)
    a.append(7)
    table = {i: i for i in a}
    found = table.get(7, 0)
    table[7] = 99
    first = a[-1]
    a[-1] = 55
    same = a
    copied = a[:]
    a.clear()
    return size, total, has, text, len(a), found, first, same, copied, table


@case(inputs=[(3,), (0,)])
def one_list_in_two_lists(n):
    """An empty list that is put into two lists stays one object."""
    shared = []
    left, right = [], []
    for i in range(n):
        left.append(shared)
        right.append(shared)
        shared.append(i)
    return left, right, shared
