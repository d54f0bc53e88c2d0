"""Windows on dicts, ranges and iterators as results: the caller looks through them after the call."""

from collections import OrderedDict, defaultdict

import torch
from torch import Tensor, nn

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (ZERO,)]


@case(inputs=SIGNS)
def the_keys_of_a_dict(x: Tensor) -> object:
    """A window on a dict of the call is one for the caller."""
    losses = {"small": x.sum()}
    if x.sum() > 0:
        losses["large"] = x.max()
    return losses.keys()


@case(inputs=SIGNS)
def the_values_beside_their_dict(x: Tensor) -> object:
    """The dict that a window looks at is the one that is given back, too."""
    losses = {"small": x + 1, "large": x * 2}
    if x.sum() > 0:
        del losses["small"]
    return losses.values(), losses, {"again": losses.items()}


@case(inputs=SIGNS)
def keys_known_only_at_run_time(x: Tensor) -> object:
    """So it is with a dict that exists at run time only, and one that makes what is missing."""
    counts: defaultdict[int, int] = defaultdict(int)
    scores = {}
    for value in x.flatten().tolist():
        counts[int(value)] += 1
        scores[value] = value * 2
    return counts.items(), counts, scores.values()


@case(inputs=SIGNS)
def items_of_an_ordered_dict(x: Tensor) -> object:
    """An OrderedDict's windows are of classes of their own."""
    table = OrderedDict(first=x)
    table["second"] = x + 1
    if x.sum() > 0:
        table.move_to_end("first")
    return table.keys(), table.items(), reversed(table)


@case(inputs=SIGNS)
def a_range(x: Tensor) -> object:
    """A range is a value, with whichever bounds and steps."""
    count = int(x.abs().sum())
    step = 2 if x.sum() > 0 else -3
    return range(count), {"down": range(count, 0, step)}, range(3, int(x.sum())), range(x.shape[0])


@case(inputs=SIGNS)
def a_range_that_cannot_be(x: Tensor) -> range:
    """A step of 0 is an error of the call."""
    return range(0, 4, int(x.sum()))


@case(inputs=SIGNS)
def a_zip(x: Tensor) -> object:
    """``zip`` of lists of the call: the caller takes the rows."""
    boxes, scores = [x, x + 1], [0.5]
    if x.sum() > 0:
        scores.append(0.25)
    return zip(boxes, scores), enumerate(boxes, 3), boxes


@case(inputs=SIGNS)
def rows_of_one_iterator(x: Tensor) -> object:
    """An iterator that is asked twice for a row is one for the caller, too."""
    items = iter([x, x + 1, x + 2, x + 3])
    rows = iter(x)
    return zip(items, items), zip(rows, rows)


@case(inputs=SIGNS)
def turned_round(x: Tensor) -> object:
    """``reversed`` and ``iter`` of lists, and of ranges."""
    steps = [x, x * 2]
    count = int(x.abs().sum())
    return reversed(steps), iter(steps), reversed(range(count)), enumerate(range(count))


@case(inputs=SIGNS)
def a_list_known_only_at_run_time(x: Tensor) -> object:
    """Lists of any length are gone through by the caller."""
    kept = []
    for index in range(int(x.abs().sum())):
        kept.append(index * index)
    return zip(kept, range(3), kept), enumerate(kept), kept


@case(inputs=SIGNS)
def a_list_that_grew(x: Tensor) -> object:
    """An iterator goes over the list as it is when it is asked."""
    steps = [x]
    items = iter(steps)
    steps.append(x + 1)
    return items


@case(inputs=[([POSITIVE], POSITIVE), ([NEGATIVE], NEGATIVE)], refused="DYCL065")
def over_an_argument(steps: list[Tensor], x: Tensor) -> object:
    """The caller may change its list before it takes the rows."""
    return zip(steps, [x])  # <- refused


@case(inputs=[({"a": POSITIVE},)], refused="DYCL065")
def the_keys_of_an_argument(table: dict[str, Tensor]) -> object:
    """The caller's dict may be another one when somebody looks."""
    return table.keys()  # <- refused


@case(inputs=SIGNS, refused="DYCL065")
class WindowOnTheModel(nn.Module):
    """A later call would be seen through the window."""

    def __init__(self) -> None:
        super().__init__()
        self.last = {"sum": torch.zeros(())}

    def forward(self, x: Tensor) -> object:
        self.last["sum"] = self.last["sum"] + x.sum()
        return self.last.values()  # <- refused


class _Node:
    """An object of the program's."""

    def __init__(self, content: Tensor) -> None:
        self.content = content


@case(inputs=SIGNS, refused="DYCL065")
def a_window_on_attributes(x: Tensor) -> object:
    """The object that the dict belongs to may be given back, too."""
    return vars(_Node(x)).items()  # <- refused


@case(inputs=SIGNS)
class WindowOnConstants(nn.Module):
    """What no call changes may be looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.names = {"cat": 0, "dog": 1}

    def forward(self, x: Tensor) -> object:
        return self.names.keys(), zip(self.names, [x, x + 1])


@case(inputs=SIGNS, refused="DYCL065")
def an_iterator_that_was_begun(x: Tensor) -> object:
    """The rest of a list that something else may hold."""
    items = iter([x, x + 1, x + 2])
    next(items)
    return items  # <- refused


@case(inputs=SIGNS, refused="DYCL065")
def columns_that_must_be_as_long(x: Tensor) -> object:
    """``strict`` would raise in the caller's hands."""
    return zip([x], [1, 2], strict=True)  # <- refused


@case(inputs=SIGNS, refused="DYCL065")
def a_map(x: Tensor) -> object:
    """The function would run after the call."""
    return map(lambda row: row + 1, [x, x * 2])  # <- refused


@case(inputs=SIGNS, refused="DYCL065")
def a_dict_that_holds_its_keys(x: Tensor) -> object:
    """What contains itself is not made."""
    table: dict[str, object] = {"x": x}
    table["keys"] = table.keys()
    return table  # <- refused


@case(inputs=SIGNS, refused="DYCL065")
def a_walk_over_what_grew(x: Tensor) -> object:
    """Python raises when it is asked: the caller is given no such iterator."""
    table = {"x": x}
    keys = iter(table)
    table["y"] = x
    return keys  # <- refused


class _Named(dict[str, Tensor]):
    """A dict of the program's."""


@case(inputs=SIGNS, refused="DYCL065")
def the_keys_of_a_class_of_dicts(x: Tensor) -> object:
    """The class may say itself what its keys are."""
    return _Named(a=x).keys()  # <- refused


class _Steps(list[Tensor]):
    """A list of the program's."""


@case(inputs=SIGNS, refused="DYCL065")
def over_a_class_of_lists(x: Tensor) -> object:
    """So may a class of lists."""
    return zip(_Steps([x, x + 1]), [1, 2])  # <- refused


@case(inputs=SIGNS, refused="DYCL068")
def a_range_in_an_exception(x: Tensor) -> Tensor:
    """Errors carry no ranges of run time."""
    if x.sum() > 0:
        raise ValueError(range(int(x.sum())))  # <- refused
    return x
