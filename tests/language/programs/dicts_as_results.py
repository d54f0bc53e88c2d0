"""Dicts and queues of ``collections`` as results, and what classes of named tuples make."""

from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from typing import NamedTuple

from torch import Tensor

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


def made_here():
    """What a missing key gets."""
    return [0]


@case(inputs=ROWS)
def grouped(x):
    """A defaultdict of known keys is a defaultdict for the caller."""
    groups = defaultdict(list)
    for row in x:
        groups["up" if row.sum() > 0 else "down"].append(row * 2)
    return groups


@case(inputs=ROWS)
def grouped_by_number(x):
    """A defaultdict whose keys exist at run time only."""
    groups = defaultdict(list)
    counts = defaultdict(int)
    for place, number in enumerate(x.flatten().tolist()):
        groups[int(number)].append(place)
        counts[number > 0] += 1
    return groups, counts


@case(inputs=ROWS)
def in_containers(x):
    """Defaultdicts without a factory, in other containers, returned twice, changed after a test."""
    plain = defaultdict(None)
    plain["x"] = x
    inner = defaultdict(dict)
    inner["a"]["b"] = x + 1
    if x.sum() > 0:
        inner["c"]["d"] = 2
    held = inner
    held["last"] = {}
    return {"plain": plain, "inner": [inner, held]}, (inner,)


@case(inputs=ROWS)
def many_kinds(x):
    """An OrderedDict, a Counter and a deque of tensors."""
    ordered = OrderedDict(first=x)
    counts = Counter("aab")
    queue = deque([x])
    if x.sum() > 0:
        ordered["second"] = -x
        ordered.move_to_end("first")
        counts["c"] += 2
        queue.appendleft(x + 1)
    return ordered, counts, queue


@case(inputs=ROWS)
def both_ends(x):
    """An OrderedDict used as a cache that forgets its oldest items."""
    kept = OrderedDict(a=x, b=x + 1)
    kept["c"] = -x
    if x.sum() > 0:
        kept.move_to_end("a")
    kept.move_to_end("c", last=False)
    first, last = kept.popitem(last=False), kept.popitem()
    told = []
    for take in (lambda: kept.move_to_end("z"), kept.popitem, kept.popitem):
        try:
            told.append(take()[0])
        except KeyError as error:
            told.append(str(error))
    return first, last, told


@case(inputs=ROWS)
def both_ends_at_run_time(x):
    """The same where the keys exist at run time only."""
    kept = OrderedDict()
    for number in x.flatten().tolist():
        kept[int(number)] = number
    return kept.popitem(last=False), kept.popitem(), kept


@case(inputs=ROWS, refused="DYCL065")
def own_factory(x):
    """The caller cannot call a function of the program's."""
    groups = defaultdict(made_here)
    groups["a"].append(x)
    return groups  # <- refused


@case(inputs=ROWS, refused="DYCL065")
def own_lambda(x):
    """Nor a lambda that belongs to the call."""
    groups = defaultdict(lambda: defaultdict(list))
    groups["a"]["b"].append(x)
    return groups  # <- refused


@case(inputs=ROWS, refused="DYCL065")
def nested_at_run_time(x):
    """A run-time dict that holds defaultdicts would have to be made anew."""
    groups = {}
    for number in x.flatten().tolist():
        groups[int(number)] = defaultdict(int)
    return groups  # <- refused


class Output(NamedTuple):
    """What a model gives."""

    logits: Tensor
    depth: int = 0
    note: str | None = None


@case(inputs=ROWS)
def named_tuples(x):
    """_make, _replace, _asdict, _fields and _field_defaults."""
    output = Output(x)
    if x.sum() > 0:
        output = output._replace(depth=3, note="up")
    again = Output._make([output.logits * 2, output.depth + 1, output.note])
    third = output._make(item for item in (x, 5, None))
    table = again._asdict()
    table["logits"] = table["logits"] + 1
    return output, again, third, table, Output._fields, Output._field_defaults["depth"]


Older = namedtuple("Older", "logits depth")
Older.__new__.__defaults__ = (None,) * 2
Newer = namedtuple("Newer", "logits depth", defaults=(3,))
Newer.__new__.__defaults__ = (7,)


@case(inputs=ROWS)
def defaults_set_afterwards(x):
    """Defaults of a named tuple are those of __new__, whatever _field_defaults says."""
    output = Older(x) if x.sum() > 0 else Older()
    newer = Newer(x)
    if output.logits is None:
        return newer, "none"
    return newer, output, Newer._field_defaults["depth"]


@case(inputs=ROWS)
def wrong_numbers(x):
    """_make takes as many items as there are fields, _replace known names."""
    told = []
    try:
        Output._make([x])
    except TypeError as error:
        told.append(str(error))
    try:
        Output(x)._replace(height=1)
    except ValueError as error:
        told.append(str(error))
    return told, x + 1 if x.sum() > 0 else x


@case(inputs=ROWS)
def made_in_a_loop(x):
    """A named tuple that is replaced in a loop which ends at run time."""
    output = Output(x, 0)
    while output.logits.abs().sum() > 2:
        output = output._replace(logits=output.logits / 2, depth=output.depth + 1)
    return Output._make(output), list(map(Output._make, [(x, 1, "a"), output]))


@case(inputs=ROWS)
def with_items(x):
    """A defaultdict that has items from the start, and one whose factory is None."""
    groups = defaultdict(list, {"a": [x]}, b=[])
    groups["a"].append(x + 1)
    groups["c"].append(2)
    plain = defaultdict(None, [("n", 1)])
    plain["n"] += 1
    try:
        plain["m"] += 1
    except KeyError:
        plain["m"] = 5
    factories = (groups.default_factory is list, plain.default_factory, defaultdict().default_factory)
    return groups, dict(plain), factories, defaultdict(int, (pair for pair in [("g", 3)]))["g"]


@case(inputs=ROWS)
def no_factory(x):
    """What is no function makes no defaultdict."""
    try:
        return defaultdict(3)
    except TypeError as error:
        return x, str(error)
