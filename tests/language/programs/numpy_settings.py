"""``numpy.errstate``: what numpy warns of; the numbers are the same."""

import numpy as np
import torch

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (ZERO,)]


@case(inputs=SIGNS)
def nothing_is_said(x):
    """Divisions by zero and invalid numbers, of functions, operators and numbers of numpy."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(x.numpy()) / x.numpy()
        found[0] /= 0
        if x.sum() > 0:
            found = found + 1
        total = np.float64(found.sum()) / 0
    return found, total


@case(inputs=SIGNS)
def nothing_is_said_in_a_loop(x):
    """In a loop of unknown length."""
    logarithms = []
    with np.errstate(all="ignore"):
        for _ in range(int(x.abs().sum())):
            logarithms.append(float(np.log(x.numpy()).sum()))
    return logarithms


@case(inputs=SIGNS)
def inner_settings(x):
    """Inner settings hold before outer ones; tensors are computed from the arrays."""
    with np.errstate(all="ignore"), np.errstate(over="warn"):
        roots = torch.from_numpy(np.where(x.numpy() > 0, np.sqrt(x.numpy()), 0))
    return roots * 2


@case(inputs=SIGNS, refused="DYCL064")
def errors_are_raised(x):
    """Errors of numpy's are refused."""
    with np.errstate(all="raise"):  # <- refused
        return np.log(x.numpy())


@case(inputs=SIGNS, refused="DYCL064")
def settings_entered_twice(x):
    """Such a manager can be entered once."""
    quiet = np.errstate(all="ignore")
    with quiet:
        y = np.sqrt(x.numpy())
    with quiet:  # <- refused
        return y  # never


@np.errstate(all="raise")
def _strict_logarithm(numbers):
    return np.log(numbers)


@np.errstate(all="ignore")
def _logarithm(numbers):
    return np.log(numbers)


@case(inputs=SIGNS, refused="DYCL064")
def decorated_to_raise(x):
    """The same of a function under such a manager."""
    return _strict_logarithm(x.numpy())


@case(inputs=SIGNS)
def decorated_to_be_quiet(x):
    """A function that is not to warn gives the same numbers."""
    return _logarithm(x.numpy())


class _Numbers:
    @np.errstate(divide="ignore")
    def logarithm(self, numbers):
        return np.log(numbers)


@case(inputs=[(ZERO,), (POSITIVE,)])
@np.errstate(invalid="ignore")
def decorated_methods_and_programs(x):
    """A method under one, called by a program under another one; what both say holds inside."""
    found = _Numbers().logarithm(x.numpy())
    return found - found
