"""Arguments whose structure differs from call to call: linked nodes, trees, lists of objects"""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from tests.language.harness import case, noise


class Link:
    """A node of a linked list."""

    def __init__(self, value: float, following: "Link | None" = None) -> None:
        self.value = value  # at import
        self.following = following  # at import
        self.owner = print  # at import; nobody reads it

    @property
    def is_last(self) -> bool:
        """Return whether nothing follows."""
        return self.following is None


def chain(*values: float) -> Link:
    """Return a linked list."""
    first: Link | None = None  # at import
    for value in reversed(values):  # at import
        first = Link(value, first)  # at import
    assert first is not None  # at import
    return first  # at import


@dataclass
class Box:
    """A labelled box, as detectors give them."""

    label: str
    corner: tuple[int, int]
    features: Tensor
    inside: list["Box"] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.inside)

    def width(self) -> int:
        """Return the second of two numbers less the first."""
        return self.corner[1] - self.corner[0]


def box(label: str, width: int, seed: int, *inside: Box) -> Box:
    """Return a box."""
    return Box(label, (1, 1 + width), noise(1, 4, seed=seed), list(inside))  # at import


@case(inputs=[(chain(1.0, 2.0, 3.0),), (chain(-1.0),), (chain(0.5, -2.0),), (chain(*[1.0] * 9),)])
def walk(link: Any) -> Any:
    """A while loop follows links until there is none"""
    total, count = 0.0, 0
    node = link
    while node is not None:
        total += node.value
        count += 1
        node = node.following
    return total, count, link.is_last


@case(inputs=[(chain(*v),) for v in ([1.0, 2.0, 3.0], [-1.0], [0.5, -2.0], [-1.0, 2.0, 3.0])])
def optional_attribute(link: Any) -> Any:
    """An attribute that may be None is tested, also by its truth, and read again"""
    if not link.following:
        return link.value, None
    if link.following.following is not None and link.value > 0:
        return link.value + link.following.value, link.following.following.value
    return link.following.value, 2


class Boxes(nn.Module):
    """A model over boxes."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)


@case(
    inputs=[
        (box("a", 3, 0, box("b", 1, 1), box("c", 2, 2)),),
        (box("b", 2, 3),),
        (box("c", 5, 4, box("a", 4, 5, box("x", 0, 6)), box("b", 0, 7), box("c", -1, 8)),),
    ]
)
class Children(Boxes):
    """A loop over a list of objects, their numbers, tuples, strings, tensors and methods"""

    def forward(self, outer: Any) -> Any:
        x = self.linear(outer.features)
        widest = 0
        for inner in outer.inside:
            if inner.width() > widest:
                widest = inner.width()
            if inner.label == "b":
                x = x + inner.features
        if not outer:
            x = -x
        return torch.relu(x), widest, len(outer), len(outer.inside)


@case(
    inputs=[
        (box("a", 3, 0, box("b", 1, 1), box("c", 2, 2)), 1),
        (box("b", 2, 3, box("b", 1, 4)), 0),
        (box("b", 2, 3, box("b", 1, 4)), 1),
    ]
)
class Items(Boxes):
    """Elements are picked by known and by run-time index"""

    def forward(self, outer: Any, index: int) -> Any:
        first = outer.inside[0]
        return self.linear(first.features) * outer.inside[index].width(), first.label


@case(
    inputs=[
        ([box("a", 3, 0), box("b", 1, 1)], [1, 2]),
        ([box("b", 2, 3)], [3]),
        ([box("b", 2, 3), box("c", 2, 3), box("b", 0, 5)], [5, 6, 7]),
    ],
    options={"run_time_lists": ("boxes", "numbers")},
)
class Lists(Boxes):
    """Lists of any length as arguments, of objects and of numbers"""

    def forward(self, boxes: Any, numbers: Any) -> Any:
        total = 0
        for number in numbers:
            total += number
        x = self.linear(boxes[0].features)
        for item in boxes:
            if item.label == "b":
                x = x + item.features
        return x, total, len(boxes)


@case(inputs=[(chain(1.0, 2.0),), (chain(-1.0),)], refused="DYCL072")
def unusable(link: Any) -> Any:
    """An attribute is read that cannot be an input"""
    if link.value > 0:
        return link.value
    return link.owner is None  # <- refused


@case(inputs=[(chain(1.0, 2.0),), (chain(-1.0),)], refused="DYCL065")
def returned(link: Any) -> Any:
    """An argument's object is returned"""
    if link.value > 0:
        return 1
    return link  # <- refused


@case(inputs=[(chain(1.0, 2.0, -3.0),), (chain(-1.0),), (chain(1.0, 5.0),)])
def numbers_written(link: Any) -> Any:
    """Numbers are written into nodes; the caller sees them, and so does who reads them later"""
    node, last = link, link
    total = 0.0
    while node is not None:
        node.value = node.value * 2
        node.seen = True
        total = total + link.value
        last = node
        node = node.following
    return total, last.value, last.seen, link.value


@case(
    inputs=[
        (box("a", 3, 0, box("b", 1, 1), box("c", 2, 2)),),
        (box("b", 2, 3),),
        (box("c", 5, 4, box("a", 4, 5), box("b", 0, 7), box("c", -1, 8)),),
    ]
)
class TensorsWritten(Boxes):
    """A tuple of tensors is kept in each node and read in a second loop"""

    def forward(self, outer: Any) -> Any:
        for inner in outer.inside:
            inner.state = (self.linear(inner.features), inner.width())
        x = outer.features
        for inner in outer.inside:
            hidden, width = inner.state
            if width > 0:
                x = x + hidden
        outer.state = (x, 0)
        return outer.state[0]


@case(inputs=[(box("b", 2, 3, box("a", 1, 1)),), (box("b", 2, 3),)], refused="DYCL043")
def list_written(outer: Any) -> Any:
    """A list is written into an argument"""
    outer.found = [1, 2]  # <- refused
    return len(outer)


@case(inputs=[(box("b", 2, 3, box("a", 1, 1)),), (box("b", 2, 3),)], refused="DYCL034")
def list_changed(outer: Any) -> Any:
    """A list in an argument is changed"""
    outer.inside.append(outer)  # <- refused
    return len(outer)


@case(inputs=[(chain(1.0, 2.0),), (chain(-1.0),)], refused=True)
def printed(link: Any) -> Any:
    """An argument's object is printed, compared and formatted"""
    print(link)
    return f"{link}"


class Shape:
    """A node whose class says that nothing follows."""

    following: "Shape | None" = None
    sides = 3

    def __init__(self, size: float) -> None:
        self.size = size  # at import


def row(*sizes: float) -> Shape:
    """Return shapes that follow each other; the last has four sides."""
    made = [Shape(size) for size in sizes]  # at import
    for one, other in zip(made, made[1:], strict=False):  # at import
        one.following = other  # at import
    made[-1].sides = 4  # at import
    return made[0]  # at import


@case(inputs=[(row(1.0, 2.0, 3.0),), (row(-1.0),), (row(0.5, 0.5),)])
def defaults_of_the_class(shape: Any) -> Any:
    """What instances lack, their class has"""
    total, sides = shape.size, shape.sides
    node = shape
    while node.following is not None:
        node = node.following
        total += node.size
        sides += node.sides
    return total, sides
