"""What programs return: numbers, None, tuples, dicts, nested, named, the input itself."""

import collections
from typing import NamedTuple

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def different_structures(x):
    """Each return has its own structure."""
    if x.sum() > 0:
        return x, {"loss": 0.0}, [1, (2, None)]
    return {"x": x}


@case(inputs=BOTH)
def nothing(x):
    """A function without return gives None, a bare return as well."""
    if x.sum() > 0:
        return
    x = x + 1  # noqa: F841


@case(inputs=BOTH)
def empty_containers(x):
    """Empty tuple, list and dict are told apart."""
    return ((), [], {}) if x.sum() > 0 else ([[]], ((),), {"a": {}})


@case(inputs=BOTH)
def the_input_itself(x):
    """Returning the input unchanged, twice, and in a container."""
    if x.sum() > 0:
        return x, x
    return [x], x.view(3, 2)


@case(inputs=BOTH)
def constants_of_all_types(x):
    """int, float, bool, str, None, bytes-free constants keep their types."""
    return (1, 1.0, True, "1", None, -0.0, 1e300, ...)[: 7 if x.sum() > 0 else 3]


@case(inputs=BOTH)
def constant_tensor(x):
    """A result that does not depend on the input."""
    if x.sum() > 0:
        return torch.tensor([1, 2]), torch.zeros(2, 0)
    return torch.tensor(1.5), torch.tensor(True)


@case(inputs=BOTH)
def ordered_dict(x):
    """An OrderedDict of outputs, as segmentation models return."""
    result = collections.OrderedDict()
    result["out"] = x * 2
    if x.sum() > 0:
        result["aux"] = x
    return result


class Output(NamedTuple):
    """A named result."""

    logits: torch.Tensor
    exit: int
    hidden: tuple = ()


@case(inputs=BOTH)
def named_tuple(x):
    """A NamedTuple result keeps its name and fields."""
    if x.sum() > 0:
        return Output(x, 0)
    result = Output(logits=x * 2, exit=1, hidden=(x,))
    return result._replace(exit=result.exit + len(result.hidden))


@case(inputs=BOTH)
def scalars_of_tensors_and_numbers(x):
    """0-dim tensors stay tensors, numbers stay numbers."""
    total = x.sum()
    if total > 0:
        return total, total.item(), total > 0, bool(total > 0)
    return total.long(), int(total), total.double(), float(total)


@case(inputs=BOTH)
def sets(x):
    """Sets, frozensets and slices as results."""
    if x.sum() > 0:
        return {1, 2}, range(3), slice(0, 2), {"part": slice(1, None)}
    return frozenset([3]), set(), frozenset(), frozenset([(1, 2), "b", None]), [slice("a", 2.5)]


@case(inputs=BOTH, refused="DYCL065")
def set_of_sets_in_a_tuple_of_the_program(x):
    """A frozenset within a tuple that exists before the call."""
    return x, KNOWN_SETS  # <- refused


KNOWN_SETS = (frozenset([1]),)


@case(inputs=BOTH)
def deep_nesting(x):
    """Tensors deep inside nested containers."""
    hidden = tuple((x * i, [x + i]) for i in range(2))
    if x.sum() > 0:
        hidden = hidden[::-1]
    return {"hidden": hidden, "meta": {"depth": [1, {"two": (x.max(),)}]}}


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 1)])
def one_object_at_several_places(x, n: int):
    """A list that is in the result twice is one object there, also within other containers."""
    row = [x]
    table = {"row": row, "pair": (row, [n, row])}
    if n > 2:
        return table, row
    return [table, table, row]
