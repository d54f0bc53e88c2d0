"""Objects that no variable holds: decided on while they are made, or by a function called then."""

from dataclasses import dataclass

import torch

from tests.language.harness import case

BOTH = [(torch.tensor([1.0, 2.0]),), (torch.tensor([-1.0, -2.0]),)]


class _Box:
    """Ends with a decision."""

    def __init__(self, x):
        self.count = 1 if x.sum() > 0 else 2

    def touch(self, x):
        """Change the box, and say how often it was."""
        if x.sum() > 0:
            self.count += 1
        return self.count

    def change(self, x):
        """Change the box."""
        if x.sum() > 0:
            self.count += 2


@case(inputs=BOTH)
def decided_at_the_end_of_init(x):
    """``self`` is read by nobody but the caller, who gets it."""
    return _Box(x).count + 1


class _History:
    """As decoders keep it."""

    def __init__(self, score, history=None):
        self.score = score
        self.history = history if history else []


@case(inputs=[(torch.tensor(0),), (torch.tensor(3),)])
def lists_of_run_time_or_none_at_all(n):
    """A list that may be empty."""
    tokens = [token * 2 for token in range(n.item())]
    first = _History(1.0, tokens)
    return _History(first.score, [*first.history, 7]).history, first.history


@dataclass
class _Data:
    """What a dataclass does after its own ``__init__``."""

    x: torch.Tensor
    count: int = 0

    def __post_init__(self):
        if self.x.sum() > 0:
            self.count = 3


@case(inputs=BOTH)
def decided_after_init(x):
    """``__post_init__`` ends with a decision."""
    return [_Box(x), _Data(x)][1].count


class _Numbers(list):
    """A list that begins with a decision."""

    def __init__(self, x):
        if x.sum() > 0:
            self.append(2)


@case(inputs=BOTH)
def lists_of_the_users(x):
    """``__init__`` of a subclass of ``list``."""
    return [*_Numbers(x), 7]


class _Refusal(Exception):
    """An error that knows which."""

    def __init__(self, x):
        if x.sum() > 0:
            self.which = "positive"
        else:
            self.which = "negative"


@case(inputs=BOTH)
def errors_of_the_users(x):
    """``__init__`` of an exception."""
    try:
        raise _Refusal(x)
    except _Refusal as error:
        return error.which


class _First:
    """Ends with a loop that is left."""

    def __init__(self, x):
        self.place = -1
        for place in range(int(x.sum().abs())):
            if place * place > 1:
                self.place = place
                break


@case(inputs=[(torch.tensor([1.0, 4.0]),), (torch.tensor([-1.0, 0.0]),)])
def loops_at_the_end_of_init(x):
    """The ways out of the loop differ in what the object has."""
    return _First(x).place


@case(inputs=BOTH)
def changed_by_a_key(x):
    """Only ``sorted`` and ``max`` hold the boxes while the key function changes them."""
    least = sorted([_Box(x), _Box(-x)], key=lambda box: box.touch(x))[0]
    most = max([_Box(x), _Box(-x)], key=lambda box: box.touch(-x))
    return least.count, most.count


@case(inputs=BOTH)
def changed_in_another_argument(x):
    """The first argument is evaluated, and held by the call alone, when the second changes it."""
    boxes = [_Box(x)]
    pair = (lambda box, answer: (box.count, answer))(boxes.pop(), _Box(x).touch(x))
    box = _Box(x)
    return pair, (lambda first, answer: (first.count, answer))(box, box.change(x))


@case(inputs=BOTH)
def changed_in_a_filter(x):
    """Only the walk holds them."""
    return [box.count for box in (_Box(x), _Box(-x)) if box.touch(x) > 1]
