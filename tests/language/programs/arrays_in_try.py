"""Arrays in a `try`: much of numpy raises nothing of any of them, an index that is out of range does."""

import math

import numpy as np
import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS)
def classes_that_were_found(x):
    """The classes among what was found are taken in a `try`, as in detectors."""
    found = x[x > 0].round()
    try:
        array = found.cpu().numpy()
        classes, order = np.unique(array), np.argsort(array)
        classes = torch.from_numpy(classes)
        taken = found.new(classes.shape).copy_(classes)
    except Exception:  # never
        return x  # never
    return taken * 2, order, np.sum(array), np.cumsum(array)


@case(inputs=ROWS, refused="DYCL063")
def the_largest_of_none(x):
    """The largest of an empty array is an error."""
    found = x[x > 0].numpy()
    try:
        return x * np.max(found)  # <- refused
    except ValueError:
        return x


@case(inputs=ROWS)
def elements_that_are_there(x):
    """An element of an array of known sizes is there; the logarithm of one of numpy's numbers may fail."""
    array = x.numpy()
    try:
        return math.log(array[0, 1]), math.log(array[1][-1]), -math.log(array[0, 0] * array[1, 0])
    except ValueError:
        return float("inf")


@case(inputs=ROWS)
def parts_of_any_array(x):
    """So are parts between bounds, of any array; what numpy adds up raises nothing."""
    found = x[x > 0].numpy()
    try:
        return math.log(found[1:3].sum()), math.log(x.numpy()[:, 1].mean())
    except ValueError:
        return float("inf")


@case(inputs=[(POSITIVE, 0), (POSITIVE, 2), (POSITIVE, -1), (NEGATIVE, 1), (NEGATIVE, -4), (MIXED, 5)])
def elements_that_may_be_there(x, place: int):
    """Elements at places of run time, or of an array that may be short, are tried by the host."""
    array, found, told = x.numpy(), x[x > 0].numpy(), []
    try:
        told.append(array[place, 1])
    except IndexError as error:
        told.append(str(error))
    try:
        told.append(found[0] + found[3])
    except IndexError:
        told.append(-1.0)
    try:
        row = array[place]
    except IndexError:
        return told
    return told, row * 2


@case(inputs=[(torch.tensor([1.0, 2.0]),), (torch.tensor([7.0, 0.0]),), (torch.tensor([-9.0, 0.0]),), (torch.tensor([0.0, 2.0]),)])
def numbers_of_numpy(x):
    """An integer of numpy's is an index, and a float of numpy's an integer if it is finite."""
    places, halves = x.long().numpy(), (1 / x).numpy()
    try:
        chosen = ["a", "b", "c"][places[0]]
    except IndexError:
        chosen = "none"
    try:
        return chosen, int(halves[0]), round(halves[1])
    except (OverflowError, ValueError) as error:
        return chosen, str(error)


@case(inputs=[(torch.tensor([1, 2]),), (torch.tensor([3, 0]),)], refused="DYCL063")
def division_by_numbers_of_numpy(x):
    """What numpy does where it divides integers by zero depends on the operands' types."""
    array = x.numpy()
    try:
        return 1 // array[1] + int(array[0])  # <- refused
    except ZeroDivisionError:  # never
        return -1  # never
