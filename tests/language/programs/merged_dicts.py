"""Dicts with keys of run time put together: ``{**table, key: item}`` and ``a | b``"""

from collections import OrderedDict, defaultdict

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

TENSORS = [(POSITIVE,), (MIXED,), (NEGATIVE,), (ZERO,)]


def _places(x):
    return {int(value): place for place, value in enumerate(x.flatten().tolist())}


@case(inputs=TENSORS)
def spread_in_displays(x):
    """Items stand where their key came first, and hold what came last; the parts stay apart"""
    places = _places(x)
    more = {**places, 5: -1}
    all_of_them = {0: 10, **places, int(x[0, 1]): 20, **{7: 8}, **more}
    places[0] = 99
    return places, more, all_of_them


@case(inputs=TENSORS)
def joined_by_an_operator(x):
    """`|` makes a dict, `|=` changes one; either side may be known"""
    places = _places(x)
    right, left, both = places | {9: 9}, {0: 3, 1: 1} | places, places | places
    both |= {4: 4}
    places.clear()
    return right, left, both, places


@case(inputs=TENSORS)
def tensors_by_names(x):
    """`outputs = {**outputs, name: tensor}` in a loop of unknown length"""
    outputs = {}
    for i in range(abs(int(x.sum())) % 4):
        outputs = {**outputs, f"hidden_{i}": x * i}
    return outputs, {"first": x, **outputs}


@case(inputs=TENSORS)
def of_other_classes(x):
    """What is spread may be a defaultdict or an OrderedDict: the display is a plain dict"""
    groups = defaultdict(list)
    for value in x.flatten().tolist():
        groups[int(value)].append(value)
    plain, ordered = {**groups}, OrderedDict(_places(x).items())
    return plain, 77 in plain, type(plain) is dict, {**ordered, 0: 1}, ordered


@case(inputs=TENSORS)
def in_order(x):
    """Keys, items and dicts are worked out from left to right"""
    asked = []

    def ask(value):
        asked.append(value)
        return value

    places = _places(x)
    return {ask(int(x[0, 0])): ask(1), **{ask(2): 2, **places}, ask(3): ask(4)}, asked


def _counted_down(k):
    return {} if k <= 0 else {k: 1, **_counted_down(k - 2)}


@case(inputs=[(3,), (0,), (6,)])
def of_a_recursion(n):
    """What a call gives is spread into what the call around it gives"""
    return _counted_down(n)


@case(inputs=TENSORS, refused="DYCL038")
def of_two_classes(x):
    """`|` with an OrderedDict makes one: refused where the other is a dict of run time"""
    return _places(x) | OrderedDict(a=1)  # <- refused
