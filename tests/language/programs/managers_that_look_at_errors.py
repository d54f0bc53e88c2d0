"""``__exit__`` that asks of which class the error is, around tensors that are looked up."""

import torch
from torch import nn

from tests.language.harness import case

ROWS = torch.arange(6.0).reshape(3, 2)
PLACES = [(ROWS, place) for place in (1, 5, 0, -4)]


class Quiet:
    """Ends some errors, and says what it has seen."""

    def __init__(self, kinds, passing=False):
        self.kinds = kinds
        self.passing = passing
        self.seen = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            print("failed", kind.__name__)
            self.seen += 1
        return kind is not None and issubclass(kind, self.kinds) and not self.passing


@case(inputs=PLACES)
def ended_by_its_class(x, place):
    """What is found is used; what is not found is an error that ends here."""
    found = x[0]
    with Quiet(IndexError) as guard:
        found = x[place] * 2
        found = found + 1
    return found, guard.seen


@case(inputs=PLACES)
def passed_on(x, place):
    """The error goes on; the manager has been told of it."""
    try:
        with Quiet(LookupError, passing=True):
            return x[place] * 2
    except IndexError:
        return x.sum()


@case(inputs=PLACES)
def of_another_class(x, place):
    """A manager for other errors lets it pass; one around that ends it."""
    found = x[0]
    with Quiet((ValueError, IndexError)) as outer, Quiet(KeyError) as inner:
        found = x[place]
    return found, outer.seen, inner.seen


class OnlyWithout:
    """Says that all went well: an error passes where nothing is returned for it."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        import math

        self.left = math.sqrt(4.0)
        return error is None or isinstance(error, IndexError)


@case(inputs=PLACES)
class OfAModel(nn.Module):
    """A manager of the model's, which imports something and asks for the class of the error."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.guard = OnlyWithout()

    def forward(self, x, place):
        """Look a row up behind a layer."""
        found = x[0]
        with self.guard:
            found = self.linear(x)[place]
        return found + self.guard.left


class Texts:
    """Keeps what the error says."""

    text = ""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.text = str(error)
        return True


@case(inputs=PLACES, refused="DYCL063")
def its_text(x, place):
    """Which of two errors PyTorch meets first is not known."""
    with Texts() as guard:
        x[torch.tensor([place, place + 3])].sum()  # <- refused
    return guard.text


@case(inputs=[(ROWS, place) for place in (1, 3, -3, -4)])
class WeightsLookedUp(nn.Module):
    """A weight and a buffer that are looked up by a number of run time, which none may be there for."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.arange(12.0).reshape(3, 2, 2))
        self.register_buffer("shift", torch.arange(6.0).reshape(3, 2))

    def forward(self, x, place):
        """Multiply and shift, as far as there is something."""
        with Quiet(IndexError) as guard:
            x = x @ self.weight[place]
        try:
            x = x + self.shift[place]
        except IndexError:
            x = -x
        return x, guard.seen
