"""Classes with types in brackets: ``Box[int](n)`` makes a ``Box``."""

from typing import Generic, TypeVar

import torch

from tests.language.harness import case

Item = TypeVar("Item")


class _Box(Generic[Item]):
    def __init__(self, item: Item) -> None:
        self.item = item

    def doubled(self) -> "_Box[Item]":
        return _Box[Item](self.item * 2)


class _Pair(_Box[int]):
    def __init__(self, item: int, other: int) -> None:
        super().__init__(item)
        self.other = other


def _count(number):
    return (torch.tensor([number, 0.0]),)  # at import


NUMBERS = [_count(5.0), _count(0.0), _count(-3.0)]


@case(inputs=NUMBERS)
def made_by_an_alias(x):
    """An object that is made by a class with a type is one of the class."""
    n = int(x.sum())
    box = _Box[int](n)
    if n > 2:
        box = box.doubled()
    pair = _Pair(n, 1)
    return box.item, isinstance(box, _Box), type(box) is _Box, pair.doubled().item, pair.other


@case(inputs=NUMBERS)
def tensors_in_boxes(x):
    """So is one that holds a tensor, with what it was called by among its attributes."""
    box = _Box[torch.Tensor](item=x)
    return box.doubled().item, sorted(vars(box)), len(vars(_Box(x)))
