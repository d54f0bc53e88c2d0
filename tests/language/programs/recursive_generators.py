"""Generators that ask themselves for items until run-time values end it, taken as a whole."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
COUNTS = [(POSITIVE, number) for number in (3, 0, 1, 5)]


class Node:
    """A node of a tree that the call makes."""

    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right


def grown(depth, value):
    """Make a tree that is deep on one side."""
    root = None
    while depth > 0:
        root = Node(value * depth, root, Node(value - depth) if depth % 2 else None)
        depth -= 1
    return root


def walk(node):
    """Yield values in order."""
    if node is not None:
        yield from walk(node.left)
        yield node.value
        yield from walk(node.right)


@case(inputs=COUNTS)
def in_order(x, n):
    """A tree of run time is walked into a list."""
    values = list(walk(grown(n, x)))
    return torch.stack(values) if values else x


def counted(n):
    """Yield numbers down to one."""
    if n > 0:
        yield n
        yield from counted(n - 1)


@case(inputs=COUNTS)
def builtins_that_take_all(x, n):
    """Sums, sets, sorted lists, extremes, tuples."""
    most = max(counted(n)) if n > 0 else 0
    return x * sum(counted(n)), sorted(counted(n)), tuple(counted(n)), most, len(set(counted(n)))


@case(inputs=COUNTS)
def spread_out(x, n):
    """In lists and tuples, beside other elements."""
    return [0, *counted(n), n], (*counted(n), *counted(n + 1)), x


@case(inputs=ROWS)
class Refining(nn.Module):
    """A method that goes on while there is something left."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3, bias=False)

    def steps(self, x):
        """Yield what each step gives."""
        y = self.linear(x) * 0.5
        yield y
        if y.abs().sum().item() > 0.3:
            yield from self.steps(y)

    def forward(self, x):
        """Average over all steps."""
        return torch.stack([*self.steps(x)]).mean(0)


@case(inputs=COUNTS)
def effects_in_their_order(x, n):
    """What it prints, and what it puts elsewhere, comes in order; it ends once."""
    seen = []

    def down(number):
        print("asks", number)
        if number > 0:
            seen.append(number)
            yield number * x
            print("goes on", number)
            yield from down(number - 1)
        print("ends", number)

    items = down(n)
    first = list(items)
    return first, list(items), len(seen)


@case(inputs=COUNTS)
def an_error_on_the_way(x, n):
    """What it raises is caught where its items are taken."""

    def down(number):
        if number == 2:
            raise ValueError("two")
        if number > 0:
            yield number
            yield from down(number - 1)

    try:
        return x, list(down(n))
    except ValueError as error:
        return x, str(error)


@case(inputs=COUNTS, refused="DYCL023")
def a_key_that_prints(x, n):
    """The key is asked between the items."""

    def down(number):
        print("asks", number)
        if number > 0:
            yield number
            yield from down(number - 1)  # <- refused

    def key(number):
        print("has", number)
        return -number

    return x, max(down(n), key=key, default=0)


@case(inputs=COUNTS)
def what_a_loop_does_in_between(x, n):
    """A loop changes what the generator reads."""
    left = [n]

    def down():
        if left[0] > 0:
            yield left[0]
            yield from down()

    for number in down():
        x = x + number
        left[0] = number - 1
    return x


def changed_later(x, number):
    """Yield tensors, and write into each when the next one is asked for."""
    if number > 0:
        y = x * number
        yield y
        y.add_(1.0)
        yield from changed_later(x, number - 1)


@case(inputs=COUNTS)
def gathered_and_changed_later(x, n):
    """A list has what became of them."""
    items = list(changed_later(x, n))
    return torch.stack(items) if items else x


@case(inputs=COUNTS, refused="DYCL041")
def added_before_they_change(x, n):
    """A sum has what they were when they came."""
    return sum(changed_later(x, n)) + x  # <- refused


class Added:
    """A number that says when it is added."""

    def __init__(self, number):
        self.number = number

    def __radd__(self, other):
        print("adds", self.number)  # never
        return self.number + other  # never


@case(inputs=COUNTS, refused="DYCL041")
def operators_in_between(x, n):
    """The items are added one by one, each before the next is asked for."""

    def down(number):
        print("asks", number)
        if number > 0:
            yield Added(number)
            yield from down(number - 1)

    return x, sum(down(n))  # <- refused


@case(inputs=COUNTS, refused="DYCL041")
def stopped_by_its_own_error(x, n):
    """A StopIteration of a generator's body leaves it as a RuntimeError."""

    def down(number):
        if number == 2:
            raise StopIteration
        if number > 0:
            yield number
            yield from down(number - 1)  # <- refused

    try:
        return x, list(down(n))
    except RuntimeError:
        return x, []


@case(inputs=COUNTS, refused="DYCL041")
def stopped_by_what_it_calls(x, n):
    """Likewise where a function raises it that the generator calls."""

    def checked(number):
        if number == 2:
            raise StopIteration
        return number

    def down(number):
        if number > 0:
            yield checked(number)
            yield from down(number - 1)  # <- refused

    try:
        return x, list(down(n))
    except StopIteration:
        return x + 1, []  # never


@case(inputs=COUNTS)
def walked_by_a_loop(x, n):
    """A loop with `continue` and `else` fills a list and counts; what it binds last stays bound."""
    taken, count, value = [], 0, None
    for value in walk(grown(n, x)):
        if value.sum().item() > 4.0:
            continue
        taken.append(value * 2.0)
        count += 1
    else:
        count += 100
    return taken, count, x if value is None else value


@case(inputs=COUNTS)
def loops_in_loops(x, n):
    """The body of a loop walks with the same generator."""
    total = x * 0.0
    for value in walk(grown(n, x)):
        for number in counted(2):
            total = total + value * number
        for other in walk(grown(n - 2, value)):
            total = total - other
    return total


@case(inputs=COUNTS)
def said_in_their_order(x, n):
    """What the generator and the body print, and what each changes, comes in order."""
    shared = [0]

    def down(number):
        print("asks", number, shared[0])
        if number > 0:
            shared[0] += number
            yield shared
            print("goes on", number, shared[0])
            yield from down(number - 1)

    total = 0
    for given in down(n):
        total = total * 10 + given[0]
        given[0] = 0
        print("has", total)
    return x, total, shared[0]


@case(inputs=COUNTS)
def a_walk_of_what_its_body_cuts(x, n):
    """The body takes away what the generator would come to next."""

    def down(node):
        yield node
        if node.left is not None:
            yield from down(node.left)
        if node.right is not None:
            yield from down(node.right)

    total, count = x * 0.0, 0
    tree = grown(n, x)
    if tree is not None:
        for node in down(tree):
            total = total + node.value
            count += 1
            if count == 1:
                node.right = None
    return total


@case(inputs=COUNTS)
def an_error_between_items(x, n):
    """What the loop has done before the generator raises stays done."""

    def down(number):
        if number > 0:
            yield number
            yield from down(number - 1)
            if number == 3:
                raise KeyError("three")

    total = 0
    try:
        for number in down(n):
            total = total * 3 + number
    except KeyError:
        total = -total
    return x, total


@case(inputs=COUNTS)
def written_between_items(x, n):
    """Tensors that the generator writes to later are read before."""
    total = x * 0.0
    for y in changed_later(x, n):
        total = total + y
    return total


@case(inputs=COUNTS)
def a_loop_over_one_that_was_walked(x, n):
    """A generator that has ended gives nothing more."""
    items = counted(n)
    total = 0
    for number in items:
        total += number
    for _ in items:
        total += 1000  # never
    return x, total


@case(inputs=COUNTS, refused="DYCL023")
def left_by_break(x, n):
    """The loop may end before the generator does."""

    def down(number):
        if number > 0:
            yield number
            yield from down(number - 1)  # <- refused

    for number in down(n):
        x = x + number
        if x.sum().item() > 20.0:
            break
    return x


@case(inputs=COUNTS, refused="DYCL041")
def asked_on_after_an_error(x, n):
    """A body that raises leaves the generator where it waits: it could be asked for more."""
    items, total = counted(n), 0
    try:
        for number in items:
            total += number
            if number == 2:
                raise KeyError
    except KeyError:
        total += 100
    for number in items:  # <- refused
        total += number * 1000
    return x, total


@case(inputs=COUNTS, refused="DYCL041")
def asked_by_the_body(x, n):
    """The body takes items, too: the loop goes on with the one after."""
    items, total = counted(n), 0
    for number in items:
        total += number * 10 + next(items, 0)  # <- refused
    return x, total


@case(inputs=COUNTS)
def closed_by_the_body(x, n):
    """The body closes the generator: the loop ends."""
    items, total = counted(n), 0
    for number in items:
        total += number
        items.close()
    return x, total


@case(inputs=COUNTS)
def cleaned_up_in_the_body(x, n):
    """`try`, `finally` and `continue` in the body, and an error of an iteration."""
    log = []
    for number in counted(n):
        try:
            log.append(10 // (number - 1))
            if number == 2:
                continue
            log.append(-number)
        except ZeroDivisionError:
            log.append(1000)
        finally:
            log.append(0)
    return x, log


@case(inputs=COUNTS)
def an_error_of_the_body(x, n):
    """An error leaves the loop, and what it did before stays done."""
    total = 0
    try:
        for number in counted(n):
            total += number
            if number == 2:
                raise KeyError(str(total))
    except KeyError as error:
        return x, total, error.args
    return x, total
