"""Whether PyTorch finds a layout for what either branch of ``cond`` may give.

It counts strides up from the shortest one: each has to be the product of the sizes passed so far,
in both tensors alike. So slices of tensors that were not made contiguous have none.
"""

from collections.abc import Sequence

import torch

_Product = tuple[int, tuple[int, ...]]
"""A number, and the dimensions whose sizes, which are different ones, are its other factors."""
_ONE: _Product = (1, ())


def have_layout(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether there is one; sizes known at run time only are taken to have one."""
    if not all(type(number) is int for x in (one, other) for number in (*x.shape, *x.stride())):
        return True
    order = _from_shortest(one.stride())
    if one.storage_offset() != other.storage_offset() or order != _from_shortest(other.stride()):
        return False
    products: dict[int, _Product] = {}
    others: dict[int, _Product] = {}
    for place in order:
        stride, stride_of_other = one.stride(place), other.stride(place)
        if stride == stride_of_other == 0:
            continue
        product = products.get(stride, _ONE if stride == stride_of_other == 1 else None)
        if product is None or product != others.get(stride_of_other, _ONE):
            return False
        size, size_of_other = one.shape[place], other.shape[place]
        longer = _times(product, size if size == size_of_other else None, place)
        products |= {stride: product, stride * size: longer}
        others |= {stride_of_other: product, stride_of_other * size_of_other: longer}
    return True


def _from_shortest(strides: Sequence[int]) -> list[int]:
    """Return the dimensions by their strides: of equal ones the last comes first."""
    return sorted(range(len(strides)), key=lambda place: (strides[place], -place))


def _times(product: _Product, size: int | None, place: int) -> _Product:
    number, places = product
    return (number, tuple(sorted((*places, place)))) if size is None else (number * size, places)
