"""``getattr(self, f"expert_{i}")`` where the number in the name is known at run time only."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
PLACES = [(torch.eye(3)[place : place + 1] + 0.1 * torch.arange(3),) for place in range(3)]
NUMBERS = [(POSITIVE, number) for number in (0, 1, 2, 3, -1, 10)]


class Experts(nn.Module):
    """Layers whose names end in numbers, and others that look alike."""

    def __init__(self):
        super().__init__()
        for place in range(3):
            setattr(self, f"expert_{place}", nn.Linear(3, 3))
        self.expert_last = nn.Linear(3, 3)
        self.expert_03 = nn.Linear(3, 3)
        self.register_buffer("scale_0", torch.tensor(2.0))
        self.scale_1 = 3.0


@case(inputs=PLACES)
class Routed(Experts):
    """The largest element chooses the layer."""

    def forward(self, x):
        place = x.argmax().item()
        return getattr(self, f"expert_{place}")(x)


@case(inputs=NUMBERS)
class Outside(Experts):
    """A number without a layer raises the error of the attribute that is missing."""

    def forward(self, x, number):
        return getattr(self, f"expert_{number}")(x)


@case(inputs=NUMBERS)
class Asked(Experts):
    """hasattr, a default, and names put together in other ways."""

    def forward(self, x, number):
        if hasattr(self, "expert_" + str(number)):
            x = getattr(self, "expert_%d" % number)(x)
        else:
            x = getattr(self, "expert_{}".format(number - 1), nn.Identity())(x)
        return x * getattr(self, f"scale_{number}", 1.0)


@case(inputs=NUMBERS)
class Caught(Experts):
    """The error is caught, and says the name."""

    def forward(self, x, number):
        try:
            layer = getattr(self, f"expert_{number * 2}")
        except AttributeError as error:
            return x, str(error)
        return layer(x), "found"


@case(inputs=NUMBERS)
class KeptName(Experts):
    """The number changes after the name was made, in a loop that ends at run time."""

    def forward(self, x, number):
        turns = number
        while turns > 0:
            name = "expert_" + str(turns)
            turns -= 1
            x = getattr(self, name, self.expert_last)(x)
        name, number = f"expert_{number}", 0
        return getattr(self, name, self.expert_03)(x), number


@case(inputs=NUMBERS, refused="DYCL060")
class JoinedNames(Experts):
    """A name that two paths make in their own ways."""

    def forward(self, x, number):
        name = f"expert_{number}" if number > 1 else f"expert_{number + 1}"
        return getattr(self, name, self.expert_03)(x)  # <- refused


@case(inputs=NUMBERS)
class WrittenBefore(Experts):
    """An attribute that the call has written is among them."""

    def __init__(self):
        super().__init__()
        self.level_0 = 0.0

    def forward(self, x, number):
        self.level_0 = x.sum().item()
        return x * getattr(self, f"level_{number}", 5.0)


class Levels:
    """An object made in the call, with a property and a class attribute."""

    level_0 = 7

    def __init__(self, x):
        self.level_1 = x

    @property
    def level_2(self):
        """Twice the level below."""
        return self.level_1 * 2


@case(inputs=NUMBERS)
def of_an_object(x, number):
    """Attributes of an object that the call has made, its class's among them."""
    levels = Levels(x)
    if number == 10:
        levels.level_10 = -x
    return getattr(levels, f"level_{number}")


@case(inputs=NUMBERS)
class ByPlaceInSequence(nn.Module):
    """The parts of a Sequential are attributes, too."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.Tanh())

    def forward(self, x, number):
        return getattr(self.body, f"{number}")(x)


class Finding(Experts):
    """Finds attributes in its own way."""

    def __getattr__(self, name):
        if name.startswith("made_"):
            return int(name[5:])
        return super().__getattr__(name)


@case(inputs=NUMBERS, refused="DYCL060")
class OwnLookup(Finding):
    """What a __getattr__ of the user's finds has no list."""

    def forward(self, x, number):
        return x * getattr(self, f"made_{number}")  # <- refused


@case(inputs=NUMBERS, refused="DYCL060")
class TwoNumbers(Experts):
    """Two numbers in one name."""

    def forward(self, x, number):
        return getattr(self, f"expert_{number}{number}")(x)  # <- refused


@case(inputs=[(POSITIVE, 0.5)], refused="DYCL060")
class NotWhole(Experts):
    """A float in the name."""

    def forward(self, x, number):
        return getattr(self, f"expert_{number}")(x)  # <- refused


@case(inputs=NUMBERS, refused="DYCL060")
class Formatted(Experts):
    """A number with leading zeros."""

    def forward(self, x, number):
        return getattr(self, f"expert_{number:02d}")(x)  # <- refused
