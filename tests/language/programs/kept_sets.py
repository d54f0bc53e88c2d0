"""Sets that calls put run-time numbers into, kept from one call to the next."""

import torch
from torch import nn

from tests.language.harness import case


def _row(*numbers):
    return (torch.tensor(numbers, dtype=torch.float32),)  # at import


ROWS = [_row(3, 1, 2), _row(2, 5, 2), _row(3, 0, 0), _row(2, 5, 2), _row(7, 1, 2)]


class _Set(nn.Module):
    """Begins with a set."""

    def __init__(self):
        super().__init__()
        self.seen = self.made()

    @staticmethod
    def made():
        return set()


@case(inputs=ROWS)
class Seen(_Set):
    """What was seen before takes another path."""

    def forward(self, x):
        number = int(x[0].item())
        if number in self.seen:
            return x * 2, len(self.seen)
        self.seen.add(number)
        return x + number, len(self.seen)


@case(inputs=ROWS)
class Written(_Set):
    """It begins with numbers, is written in place in several ways, and given back sorted."""

    @staticmethod
    def made():
        return {2, 9}

    def forward(self, x):
        numbers = [int(number) for number in x.tolist()]
        self.seen.update(numbers)
        self.seen -= {0, numbers[0]}
        self.seen.discard(7)
        return x * len(self.seen), sorted(self.seen), max(self.seen)


@case(inputs=ROWS)
class Texts(_Set):
    """Texts, and tuples in another set; one is bound anew."""

    def __init__(self):
        super().__init__()
        self.pairs = set()

    def forward(self, x):
        number = int(x[0].item())
        self.seen.add(f"n{number}")
        self.pairs = self.pairs | {(number, number > 2)}
        return x, sorted(self.seen), sorted(self.pairs), "n3" in self.seen


@case(inputs=ROWS)
class SetsInADict(_Set):
    """Beside other things in a dict of known keys; emptied now and then."""

    def __init__(self):
        super().__init__()
        self.state = {"seen": set(), "calls": 0}

    def forward(self, x):
        self.state["calls"] += 1
        seen = self.state["seen"]
        seen |= {int(number) for number in x.tolist()}
        if len(seen) > 4:
            seen.clear()
        return x * len(seen), self.state["calls"], 5 in seen


@case(inputs=ROWS, refused="DYCL051")
class Walked(_Set):
    """Its order depends on all that ever was in it."""

    def forward(self, x):
        self.seen.add(int(x[0].item()))
        for number in self.seen:  # <- refused
            x = x * 2 + number
        return x


@case(inputs=ROWS, refused="DYCL051")
class Popped(_Set):
    """So does which element is taken out."""

    def forward(self, x):
        self.seen |= {int(number) for number in x.tolist()}
        return x * self.seen.pop()  # <- refused


@case(inputs=ROWS, refused="DYCL067")
class Objects(_Set):
    """Objects are in it by which one they are."""

    def forward(self, x):
        self.seen.add(object())
        return x * len(self.seen)  # <- refused


SIGNS = [_row(3, 1, 2), _row(-2, -5, 2), _row(3, 0, -1), _row(-2, -5, 2), _row(-7, 1, 2)]


@case(inputs=SIGNS)
class KnownOnes(_Set):
    """Known elements, in many combinations: texts of which each path makes another one"""

    def forward(self, x):
        signs = "".join("+" if number > 0 else "-" for number in x.tolist())
        is_new = signs not in self.seen
        self.seen.add(signs)
        return is_new, len(self.seen), sorted(self.seen)


@case(inputs=SIGNS)
class TakenOut(_Set):
    """Known elements that come and go, under two names, until there is a new set"""

    @staticmethod
    def made():
        return {"begun"}

    def __init__(self):
        super().__init__()
        self.same = self.seen

    def forward(self, x):
        for place, number in enumerate(x.tolist()):
            self.seen ^= {f"{'p' if number > 0 else 'n'}{place}"}
        if x[1] < 0:
            self.seen.discard("begun")
        if len(self.same) < 4:
            self.seen = set()
        return len(self.seen), sorted(self.same), "p1" in self.seen


@case(inputs=SIGNS, refused="DYCL051")
class WalkedKnownOnes(_Set):
    """The order of a set with many combinations of texts is not known"""

    def forward(self, x):
        for place, number in enumerate(x.tolist()):
            self.seen.add("np"[number > 0] + str(place))
        return [sign for sign in self.seen]  # <- refused
