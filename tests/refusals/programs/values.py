"""Values, containers and calls that are not evaluated."""

import re
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import torch

from tests.refusals.harness import N, X, refused


@refused("DYCL038", X, N)
def items_put_together(x, n):
    return {1: x, 2: n}.items() & {2: n}.items()


SETTINGS = SimpleNamespace(scale=2)


@refused("DYCL039")
def attributes_as_a_dict(x):
    return x * len(SETTINGS.__dict__)


@refused("DYCL040", X, N)
def slice_walked(x, n):
    return [x * place for place in slice(n)]


NUMBERS = iter([1, 2, 3])


@refused("DYCL041")
def iterator_from_before(x):
    return [x * number for number in NUMBERS]


class Guarded:
    x = property(lambda self: 1, lambda self, value: None)


@refused("DYCL043")
def past_a_property(x):
    guarded = Guarded()
    guarded.x = x
    object.__setattr__(guarded, "x", x)
    return guarded.x


@refused("DYCL044")
def spread_of_what_is_in_a_dict_at_run_time(x):
    table = {}
    for row in range(int(x.sum())):
        table[str(row)] = row
    return dict(x=x, **table)


@refused("DYCL045")
def clock(x):
    return x, datetime.now().year


@refused("DYCL046")
def tensor_printed(x):
    print(x)
    return x


@refused("DYCL051", X, N)
def tensor_as_key(x, n):
    return {(x[0, 0], 1): n}


@refused("DYCL052", X, N)
def direction_known_at_run_time(x, n):
    return sorted([3, 1, 2], reverse=x.argmax())


@refused("DYCL053")
def tensor_in_list(x):
    return x in ["all", x + 2]


@refused("DYCL054")
def tensor_as_text(x):
    return f"{x}"


COUNT = 0


@refused("DYCL055")
def global_deleted(x):
    global COUNT
    del COUNT
    return x


class _WithDefault(dict):
    def __missing__(self, key):
        return key


@refused("DYCL056", X, N)
def dict_with_its_own_missing_keys(x, n):
    return x * _WithDefault(one=1)[n]


@refused("DYCL059", X, N)
def run_time_number_of_dimensions(x, n):
    return np.zeros((n, 1)).squeeze().shape, x


@refused("DYCL060", X, N)
def run_time_attribute(x, n):
    return getattr(x, f"{n}")


@refused("DYCL063", X, N)
def error_of_numpy_caught(x, n):
    try:
        return np.zeros(n).sum(), x
    except ValueError:
        return x


@refused("DYCL064")
def autocast(x):
    with torch.autocast("cpu", torch.bfloat16), torch.autocast("cpu", torch.float16):
        return x @ x.t()


@refused("DYCL065")
def function_returned(x):
    return lambda: x


@refused("DYCL066")
def always_raises(x):
    raise ValueError(f"{x.shape} is not taken")


WORD = re.compile("[0-9]+")


@refused("DYCL420", X, N)
def pattern_of_the_file(x, n):
    return x, WORD.sub("#", f"{n} rows")
