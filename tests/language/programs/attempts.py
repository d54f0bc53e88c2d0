"""Operations of the host in a `try` that catches what they raise: tried there, like in Python."""

import math
from collections import Counter, OrderedDict, deque

import numpy as np
import torch
from torch import nn

from tests.language.harness import case

ROWS = torch.tensor(
    [
        [0.5, -1.0, 2.0, 3.5, -0.25, 1.0, 6.0, -2.0, 0.0, 4.0],
        [-0.5, -1.0, -2.0, -3.5, -0.25, -1.0, -6.0, -2.0, -0.5, -4.0],
        [-0.5, -1.0, 2.0, -3.5, -0.25, -1.0, -6.0, -2.0, -0.5, 2.5],
        [800.0, 2.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        [2.5, 1.5, 3.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0],
    ]
)
INPUTS = [(x,) for x in ROWS]


def _positive(x):
    return [v for v in x.tolist() if v > 0]


@case(inputs=INPUTS)
def items_that_may_be_missing(x):
    """Whichever of several operations fails, the handler sees its own error."""
    items = _positive(x)
    try:
        first = items[0]
        last = items.pop()
        second = items.pop(1)
        items[2] = 7.0
        del items[3]
        return first, last, second, items
    except IndexError as error:
        return str(error), error.args, items


@case(inputs=INPUTS)
def both_ends_of_a_queue(x):
    """A deque has words of its own; `remove` and `insert` may fail, too."""
    items = deque(_positive(x), maxlen=4)
    try:
        items.remove(2.0)
        items.popleft()
        items.insert(0, 9.0)
        return list(items)
    except (IndexError, ValueError) as error:
        return type(error).__name__, str(error), list(items)


@case(inputs=INPUTS)
def keys_that_may_be_missing(x):
    """The missing key is in the error."""
    table = {int(v): i for i, v in enumerate(x.tolist()) if v > 0}
    found = []
    for key in (int(x[0]), int(x[2]), 6):
        try:
            found.append(table[key])
            del table[key + 1]
        except KeyError as error:
            found.append(error.args[0] * 100)
    try:
        while True:
            found.append(table.popitem()[0])
    except KeyError as error:
        return found, str(error)


@case(inputs=INPUTS)
def remembered_results(x):
    """A table of results is asked first, and filled where it has none."""
    table, hits = {}, 0
    for v in x.tolist():
        key = (int(v), v > 1)
        try:
            value = table[key]
            hits += 1
        except KeyError:
            value = v * v
            table[key] = value
    return hits, table


@case(inputs=INPUTS)
def numbers_out_of_range(x):
    """Functions of `math`, and divisions; infinite and undefined numbers."""
    results = []
    for v in x.tolist():
        try:
            result = math.exp(v) + math.log(v) + int(10 / (v - 2)) + math.sqrt(v - 0.5)
            results.append(f"{result:.3f}")
        except OverflowError as error:
            results.append(str(error))
        except ZeroDivisionError as error:
            results.append(str(error))
        except ValueError as error:
            results.append(str(error))
    return results


@case(inputs=[(x, n) for x in ROWS for n in (0, 3)])
def not_undefined(x, n):
    """What is no number cannot be an integer; division by a number that is zero."""
    value = x[0].item() * float("inf") if n else x[0].item()
    try:
        return int(value), round(value), 7 % n, 7.5 // n
    except ArithmeticError as error:
        return type(error).__name__, str(error)


@case(inputs=INPUTS)
def comprehension_fails_half_way(x):
    """What was done before the error stays done."""
    seen = []
    try:
        return [(seen.append(v), 3.0 / (v + 1.0))[1] for v in x.tolist()]
    except ZeroDivisionError:
        return seen


@case(inputs=INPUTS)
def another_error_passes(x):
    """An error that the handler does not catch leaves it, to the one around it or the caller."""
    items = _positive(x)
    try:
        try:
            return items[3] / (len(items) - 6)
        except ZeroDivisionError:
            return "none left"
    except LookupError as error:
        raise ValueError("too few") from error


@case(inputs=INPUTS)
def finally_runs(x):
    """`else` and `finally` run where they do."""
    items, log = _positive(x), []
    for n in range(3):
        try:
            items.pop(n)
        except IndexError:
            log.append(-n)
        else:
            log.append(n)
        finally:
            log.append(len(items))
    return log


@case(inputs=INPUTS)
def raised_again(x):
    """A handler may raise again what it caught."""
    items = _positive(x)
    try:
        try:
            return max(items) / (len(items) - 2)
        except (ValueError, ZeroDivisionError) as error:
            if not items:
                raise
            return str(error)
    except ValueError as error:
        return "nothing", str(error)


@case(inputs=INPUTS)
def tensors_in_lists(x):
    """Tensors are put into lists, and taken out of them."""
    rows = [x * v for v in x.tolist() if v > 0]
    spare = [x - 1.0]
    try:
        rows[1] = spare.pop()
        rows[0] += rows[4]
        return rows.pop() + rows[0]
    except IndexError:
        return x + len(rows)


def _depth(tree, key):
    try:
        return _depth(tree, tree[key]) + 1
    except KeyError:
        return 0


@case(inputs=INPUTS)
def recursion_ends_by_an_error(x):
    """A function that calls itself until a key is missing."""
    parents = {}
    for i, v in enumerate(x.tolist()):
        if v > 0 and i > 2:
            parents[i] = i // 2
    return [_depth(parents, i) for i in (9, 6, 1)]


class _Vocabulary:
    def __init__(self):
        self.words = {}

    def number(self, word):
        """Return the number of a word, a new one where it is new."""
        try:
            return self.words[word]
        except KeyError:
            self.words[word] = len(self.words)
            return -1


@case(inputs=INPUTS)
def numbered_words(x):
    """An object with a table that its method asks."""
    words = _Vocabulary()
    return [words.number(f"w{int(v)}") for v in x.tolist()], words.words


@case(inputs=INPUTS, slow=True)
def texts_as_numbers(x):
    """Texts that may be no numbers, and templates that numbers may not fit."""
    texts = [f"{v:.0f}" if v > 0 else f"{v:.2f}" for v in x.tolist()]
    found = []
    for text in texts:
        try:
            found.append("%d of %c" % (int(text), len(found) + 65))
            found.append("{:d}".format(int(text[3])))
        except ValueError as error:
            found.append(str(error))
        except IndexError:
            found.append(text.strip("-").upper())
    return found


@case(inputs=INPUTS, slow=True)
def anything_caught(x):
    """`except Exception` around much that may fail."""
    items = _positive(x)
    try:
        counts = Counter(int(v) for v in items)
        table = {int(v): v for v in items}
        ordered = OrderedDict()
        for v in items:
            ordered[int(v)] = v
        ordered.move_to_end(2)
        table.setdefault(5, 1.0)
        chosen = {int(v) for v in items}
        chosen.remove(1)
        first, second, *rest = items
        for key in table:
            if key > 5:
                table[key + 40] = 1.0
        return counts[2], table, ordered.popitem(), sorted(chosen), first - second, sum(rest), min(rest)
    except Exception as error:
        return type(error).__name__, str(error)


@case(inputs=INPUTS)
class KeptCount(nn.Module):
    """What is kept from call to call is changed before an error that leaves the program."""

    def __init__(self):
        super().__init__()
        self.steps = 0

    def forward(self, x):
        self.steps += 1
        items = _positive(x)
        try:
            self.steps += int(items[1])
            self.steps += int(items[2])
            return items[3], self.steps
        except IndexError:
            if not items:
                raise
            return 0.0, self.steps


@case(inputs=INPUTS, refused="DYCL063")
def powers_that_may_be_too_large(x):
    """The error of a power has two parts."""
    value = x[0].item()
    try:
        return 2.5**value  # <- refused
    except OverflowError as error:
        return value, error.args


@case(inputs=[(2, ROWS[0]), (-1, ROWS[1])], refused="DYCL063")
def arrays_that_cannot_be(n, x):
    """What numpy raises is not known beforehand."""
    try:
        return np.zeros(n).sum(), x  # <- refused
    except ValueError:
        return n
