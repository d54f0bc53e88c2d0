"""What ``finally`` and ``__exit__`` do after errors that nothing catches: it is done."""

import contextlib
import logging
import time
import warnings
from dataclasses import dataclass

import torch
from torch import nn

from tests.language.harness import POSITIVE, case

ROWS = [(torch.tensor(rows),) for rows in ((1, 2), (1, 7), (0, 2), (-1, 0), (0, 0))]
COUNTS = [(3, [1]), (0, [2]), (1, [3])]


class Table(nn.Module):
    """A table of four rows; a row that is not there is an IndexError."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3)
        self.busy = False
        self.calls = 0
        self.seen = []


@case(inputs=ROWS, messages=False)
class SetBack(Table):
    """An attribute is set back, and another one counts, by a clause after a look-up"""

    def forward(self, rows):
        self.busy = True
        try:
            y = self.table(rows)
        finally:
            self.busy = False
            self.calls += 1
        return y, self.busy, self.calls


@case(inputs=ROWS, messages=False)
class Printed(Table):
    """What a clause prints comes before the error"""

    def forward(self, rows):
        try:
            y = self.table(rows)
            self.calls += 1
        finally:
            print("left after", self.calls, rows.shape[0], sep=": ")
        return y


@case(inputs=ROWS, messages=False)
class Warned(Table):
    """A warning"""

    def forward(self, rows):
        try:
            return self.table(rows)
        finally:
            warnings.warn("left", stacklevel=2)


@case(inputs=ROWS, messages=False)
class Logged(Table):
    """A log, of a number that is computed from a tensor in the clause"""

    def forward(self, rows):
        try:
            return self.table(rows)
        finally:
            logging.getLogger("tables").warning("left %d", rows.sum().item())


@case(inputs=ROWS, messages=False)
class Appended(Table):
    """A list that the model keeps grows by each call, also by one that fails"""

    def forward(self, rows):
        try:
            y = self.table(rows)
        finally:
            self.seen.append(rows.max().item())
        return y, len(self.seen), self.seen[0]


@case(inputs=ROWS, messages=False)
class TensorKept(Table):
    """A tensor is kept by the clause"""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))

    def forward(self, rows):
        try:
            y = self.table(rows)
        finally:
            self.total = self.total + rows
        return y, self.total


@case(inputs=ROWS, messages=False)
class InAMode(Table):
    """``@contextmanager``: an attribute is another one for the body"""

    @contextlib.contextmanager
    def _busy(self):
        before, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = before
            print("no longer busy")

    def forward(self, rows):
        with self._busy():
            y = self.table(rows) * (1 + self.busy)
        self.calls += 1
        return y, self.calls


class _Timer:
    def __init__(self):
        self.calls = 0
        self.elapsed = 0.0

    def __enter__(self):
        self.begun = time.perf_counter()
        return self

    def __exit__(self, *error):
        self.elapsed = time.perf_counter() - self.begun
        self.calls += 1


class _Named(_Timer):
    def __exit__(self, kind, error, trace):
        super().__exit__(kind, error, trace)
        print("failed" if kind is not None else "done", self.calls)


@case(inputs=ROWS, messages=False)
class Timed(Table):
    """A timer of the model's keeps how long it took, and counts"""

    def __init__(self):
        super().__init__()
        self.timer = _Named()

    def forward(self, rows):
        with self.timer:
            y = self.table(rows)
        return y, self.timer.calls, self.timer.elapsed >= 0


@case(inputs=COUNTS)
def divided(n, log):
    """A list of the caller's, and a division of the host"""
    try:
        a = 10 // n
        log.append(a)
    finally:
        log.append("end")
        print(len(log))
    return a


@dataclass
class Work:
    """What the caller gives."""

    busy: bool
    name: str


@case(inputs=[(Work(False, "a"), 2), (Work(False, "b"), 0)])
def an_object(work, n):
    """An attribute of the caller's object is set, and set back"""
    work.busy = True
    try:
        return 1 / n
    finally:
        work.busy = False


@case(inputs=[(3, 2, [1]), (0, 1, [2]), (1, 0, [3]), (1, 1, [4])])
def one_in_another(n, k, log):
    """Two clauses: an error in the body of the inner one passes both, one behind it the outer"""
    try:
        try:
            a = 6 // n
        finally:
            print("inner")
            log.append(n)
        b = 6 // k
    finally:
        print("outer", n, k)
        log.append(k)
    c = 3 // (n - 1)
    return a, b, c


@case(inputs=[(2, 1, {2: 3}), (0, 2, {2: 3}), (0, 0, {2: 3})])
def from_a_handler(n, k, table):
    """What a handler raises passes the clause, too"""
    try:
        a = table[n]
    except KeyError:
        a = 1 / k
    else:
        a = a * 2
    finally:
        print("end", k)
    return a


@case(inputs=[(3,), (0,), (2,)])
def in_a_loop(n):
    """A clause in each round of a loop that is unrolled"""
    total = 0.0
    for step in range(3):
        try:
            total += 1 / (n - step)
        finally:
            print("round", step, total)
    return total


@case(inputs=[(2, [0]), (4, [0]), (1, [0])])
def in_a_loop_of_the_host(n, log):
    """A clause in each round of a loop that ends at run time; what is behind it has none"""
    total = 0.0
    while n > -2:
        log.append(12 // (n + 5))
        try:
            total += 1 / (n - 3)
        finally:
            n -= 1
            print("round", n, len(log))
            log.append(n)
        total += 1 / (n - 9)
    return total


@case(inputs=[(3, [1]), (4, [1]), (-2, [1])])
def in_a_recursion(n, log):
    """Each call that is open does what its clause says, innermost first"""
    if n <= 0:
        return 1 / (n + 2)
    try:
        log.append(n)
        return in_a_recursion(n - 2, log) + 1
    finally:
        print("left", n)


@case(inputs=[(3,), (4,), (-2,)])
def list_of_a_recursion(n):
    """The clause appends to a list of the call, and prints its length, which calls within change"""

    def walk(n):
        if n <= 0:
            return 1 / (n + 2)
        try:
            log.append(n)
            return walk(n - 2) + 1
        finally:
            log.append(-n)
            print(len(log))

    log = []
    return walk(n), log


@case(inputs=[(5,), (1,), (0,)])
def in_a_generator(n):
    """What a generator raises passes its own clause"""

    def quotients():
        for step in range(3):
            try:
                yield 6 // (n - step)
            finally:
                print("step", step)

    return sum(quotients())


@case(inputs=[(5,), (1,), (2,)], refused="DYCL064")
def waiting_generator(n):
    """An error in the body of a loop over such a generator: Python closes it"""

    def steps():
        try:
            yield from (1, 2)
        finally:
            print("closed")

    total = 0.0
    for step in steps():  # <- refused
        total += 1 / (n - step)
    return total


@case(inputs=[(torch.tensor([1, 2, 3]), 1), (torch.tensor([1, 2, 3]), 0)])
def a_list_is_changed_and_read(x, n):
    """The clause reads what it has just changed"""
    items = [number for number in x.tolist() if number > n]
    try:
        a = 1 / n
    finally:
        items.append(3)
        print(len(items), items[0])
    return a


@case(inputs=[(3, 1), (0, 1), (1, 0)])
def decides_on_its_own(n, k):
    """A clause decides by a number of run time, and nobody sees what, after an error"""
    found = 0
    try:
        a = 1 / n
    finally:
        if k > 0:
            found = 1
    return a + found


@case(inputs=[(3, 1), (0, 1), (1, 0)], refused="DYCL063")
def decides_what_is_seen(n, k):
    """It decides what is printed"""
    try:
        a = 1 / n  # <- refused
    finally:
        if k > 0:
            print("positive")
    return a


@case(inputs=[(2,), (0,)], refused="DYCL063")
def not_bound_yet(n):
    """The clause reads what is not bound after an error: another error comes of it"""
    try:  # <- refused
        y = 1 / n
    finally:
        print(y)
    return y


@case(inputs=[(2, 1), (0, 1), (2, 0)], refused="DYCL063")
def may_raise_itself(n, k):
    """The clause may raise itself"""
    try:
        y = 1 / n
    finally:
        print(1 / k)  # <- refused
    return y


@case(inputs=ROWS, refused="DYCL063")
class WrittenInPlace(Table):
    """The clause writes into a tensor"""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))

    def forward(self, rows):
        try:
            y = self.table(rows)  # <- refused
        finally:
            self.total += 1
        return y, self.total.clone()


@case(inputs=[(POSITIVE, 1), (-POSITIVE, 0), (POSITIVE, 0)])
def raised_by_the_program(x, n):
    """An error of the program's own passes the clause as ever"""
    try:
        if x.sum() < 0:
            raise ValueError("negative")
        return x / (1 // n)
    finally:
        print("end", n)


class _Open:
    """Counts the bodies that it stands around."""

    def __init__(self):
        self.open = 0
        self.left = 0

    def __enter__(self):
        self.open += 1
        return self

    def __exit__(self, kind, error, trace):
        self.open -= 1
        if kind is not None:
            self.left += 10
            return False
        self.left += 1
        return False


@case(inputs=ROWS, messages=False)
class LeftByFalse(Table):
    """An ``__exit__`` that returns False, in any case, ends no error"""

    def __init__(self):
        super().__init__()
        self.bodies = _Open()

    def forward(self, rows):
        with self.bodies:
            y = self.table(rows)
        return y, self.bodies.open, self.bodies.left
