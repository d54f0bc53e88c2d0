"""What PyTorch says where sizes and dimensions known only at run time do not fit."""

import torch

from tests.language.harness import case

_GRID = torch.arange(12.0).reshape(3, 4)
_COUNTS = [(_GRID, 1), (_GRID, 0), (_GRID, 3), (_GRID, 5), (_GRID, -1)]


@case(inputs=_COUNTS, refused="DYCL063")
def sizes_that_do_not_fit_are_named(x, n: int):
    """PyTorch's error names the sizes, which the program does not"""
    try:
        return x.narrow(0, 0, n).sum()  # <- refused
    except RuntimeError as error:
        return str(error)


@case(inputs=_COUNTS)
def sizes_that_do_not_fit(x, n: int):
    """Where nobody looks at the error, it is caught"""
    try:
        return x.narrow(0, 0, n).sum()
    except RuntimeError:
        return "too many"


@case(inputs=_COUNTS, refused="DYCL063")
def sizes_named_in_another_error(x, n: int):
    """What becomes part of another error is looked at"""
    said = "none"
    try:
        try:
            said = x.reshape(n, -1).sum()  # <- refused
        except RuntimeError as error:
            raise ValueError(f"no {n} rows: {error}") from error
    except ValueError as error:
        said = str(error)
    return said


@case(inputs=_COUNTS)
def looked_at_by_a_clause_for_others(x, n: int):
    """A clause that looks at errors of another class does not matter"""
    try:
        return x.expand(n, 3, 4).sum() * (6 // n)
    except RuntimeError:
        return "not repeated"
    except ZeroDivisionError as error:
        return str(error)


@case(inputs=_COUNTS)
def a_dimension_out_of_range_is_named(x, n: int):
    """Which dimensions there are is said as PyTorch does"""
    try:
        return x.softmax(n).sum(), x.unsqueeze(n).shape
    except IndexError as error:
        return str(error)


@case(inputs=[(_GRID, 1), (_GRID, 2), (_GRID, -1), (_GRID, 3)])
def a_size_that_is_taken_apart_is_named(x, n: int):
    """So is the size that is taken apart into others, one of which may be told as -1"""
    try:
        return x.unflatten(1, (n, 2)).sum(1)
    except RuntimeError as error:
        return str(error)
