"""Sets that lose an element at a time (`pop`), and sets of what an array holds."""

import torch
from torch import nn

from tests.language.harness import case

LABELS = [(torch.tensor(row),) for row in ([0, 1, 0, 2], [3, 3, 3, 3], [70000, -1, 8, 16])]
LENGTHS = [(torch.tensor(row),) for row in ([0, 1, 0, 2], [1, 1, 1, 1], [3, 2, 3, 0])]


@case(inputs=LABELS)
def classes_of_an_array(labels):
    """Each class of a batch once, in the order of Python's table."""
    labels = labels.numpy()
    found = []
    for label in set(labels):
        places = (labels == label).nonzero()[0]
        found.append((int(label), len(places)))
    return found, len(set(labels)), 3 in set(labels)


@case(inputs=LABELS)
def array_that_was_filtered(labels):
    """The array's length is known only at run time."""
    labels = labels.numpy()
    left = set(labels[labels > 1])
    return [int(label) for label in left], len(left)


@case(inputs=LABELS, refused="DYCL051")
def array_of_rows(labels):
    """Rows of an array are no elements of a set."""
    return len(set(labels.numpy().reshape(2, 2)))  # <- refused


@case(inputs=LABELS)
def emptied(labels):
    """A worklist that is a set, until nothing is left."""
    rest = set(labels.tolist())
    order = []
    while rest:
        order.append(rest.pop())
    return order, len(rest)


@case(inputs=LENGTHS)
def reached(heads):
    """What is reached from the first node, each node's followers added as it is taken."""
    heads = heads.tolist()
    seen, rest = set(), set(heads[:1])
    while len(rest) > 0:
        node = rest.pop()
        if node not in seen:
            seen.add(node)
            rest.update(i for i, head in enumerate(heads) if head == node)
    return sorted(seen)


@case(inputs=LABELS)
def put_back(labels):
    """What comes in after a pop lies in the table as the pops before have left it."""
    rest = set(labels.tolist())
    first = rest.pop()
    rest.add(first + 8)
    rest.add(first)
    copy = rest.copy()
    return rest.pop(), rest.pop(), copy.pop(), list(copy)


@case(inputs=LABELS)
def nothing_left(labels):
    """pop() of an empty set raises."""
    rest = set(labels.tolist())
    rest.pop()
    rest.pop()
    return len(rest)


@case(inputs=LABELS)
def nothing_left_is_caught(labels):
    """The program catches that."""
    rest = set(labels.tolist())
    try:
        rest.pop()
        rest.pop()
    except KeyError as error:
        return -1, str(error)
    return len(rest), ""


@case(inputs=LABELS, refused="DYCL051")
def texts(labels):
    """Which text comes first goes by hashes, which differ from run to run."""
    rest = {str(label) for label in labels.tolist()}
    return rest.pop()  # <- refused


@case(inputs=LABELS, refused="DYCL073")
def while_it_is_walked(labels):
    """A set that loses an element is not walked any further."""
    rest = set(labels.tolist())
    for _ in rest:  # <- refused
        if len(rest) > 1:
            rest.pop()
    return len(rest)


@case(inputs=LABELS)
def put_together(labels):
    """Unions, differences and copies of sets are emptied in the order that Python's tables give."""
    labels = labels.tolist()
    some, others = set(labels[:2]), set(labels[1:])
    all_of_them, left = some | others, others | some
    again = set(all_of_them)
    return all_of_them.pop(), all_of_them.pop(), left.pop(), again.pop(), list(again)


@case(inputs=LABELS, refused="DYCL051")
def known_on_one_way(labels):
    """How a set of known numbers came about is not certain where paths meet."""
    rest = {24, 8, 16} if labels[0] > 1 else set(labels.tolist())
    rest.add(int(labels[1]))
    return rest.pop(), sorted(rest)  # <- refused


@case(inputs=LABELS)
def in_a_function(labels):
    """A function that calls itself takes what is left."""

    def empty(rest, total):
        if not rest:
            return total
        return empty(rest, 2 * total + rest.pop())

    return empty(set(labels.tolist()), 0)


@case(inputs=LABELS, refused="DYCL051")
class Kept(nn.Module):
    """A set that the model keeps may be asked, not emptied in an order."""

    def __init__(self):
        super().__init__()
        self.todo = {0}

    def forward(self, labels):
        self.todo.update(labels.tolist())
        return self.todo.pop()  # <- refused
