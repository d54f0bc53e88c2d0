"""What containers of the host do not take: refused at the user's line."""

import collections

import torch

from tests.language.harness import case

VALUES = [(torch.tensor([1.0, -2.0, 3.0]),), (torch.zeros(3),)]


class _Item:
    """An object of a class."""

    def __init__(self, value):
        self.value = value


@case(inputs=[(2,), (0,)], refused="DYCL065")
def objects_returned_in_run_time_list(n):
    """A run-time list of objects of a class has no copy of them on the host."""
    found = []
    for i in range(n):
        found.append(_Item(i))
    return found  # <- refused


@case(inputs=[(2,), (1,)], refused="DYCL037")
def identity_of_run_time_elements(n):
    """`is` between elements of run-time containers may go either way."""
    rows = []
    for i in range(n):
        rows.append([i])
    return rows[0] is rows[-1]  # <- refused


@case(inputs=VALUES, refused="DYCL053")
def tensors_searched(x):
    """`in` among tensors of a run-time list compares elementwise in eager."""
    kept = []
    for i in range(int(x.sum().abs())):
        kept.append(x * i)
    return x in kept  # <- refused


@case(inputs=[([1, 2],), ([3, 4],)], refused="DYCL034")
def list_of_the_caller_kept(items):
    """A list of the caller's, kept in a run-time container, could be changed through it."""
    rows = []
    for i in range(items[0]):  # <- refused
        rows.append(items)
    rows[0].append(i)
    return len(rows)


@case(inputs=[(2,), (0,)], refused="DYCL073")
def new_key_in_a_record(n):
    """A key is added to a dict in a run-time list: its type is settled."""
    rows = []
    for i in range(n):
        rows.append({"a": i})
    for row in rows:
        row["b"] = 1  # <- refused
    return rows


@case(inputs=[(2,), (0,)], refused="DYCL051")
def set_of_words_walked(n):
    """A set of strings is walked in an order that differs from run to run."""
    words = {str(i) for i in range(n)}
    return [word for word in words]  # <- refused


@case(inputs=[(torch.ones(3, 3), count) for count in (3, 1, 0, 2, 5, -1)])
def either_of_two_sizes_may_be_one(x, n):
    """Two sizes of run time that fit only because one of them is 1, or both are equal."""
    return x[: max(n, 1)] + x[:, :n] * 2
