"""Iterators of itertools ask for items when they need them: what a generator does shows it."""

import itertools

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


def _told(items, log, name):
    for item in items:
        log.append((name, item))
        yield item
@case(inputs=BOTH)
def cycled(x):
    """Cycle asks for an item when it needs one."""
    log = []
    if x.sum() > 0:
        x = x * 2
    for i, v in zip(range(5), itertools.cycle(_told([1, 2, 3], log, "a"))):
        log.append(i)
        x = x + v
    return x, log
@case(inputs=BOTH)
def longest(x):
    """Zip_longest asks its iterables in turn, row by row."""
    log = []
    if x.sum() > 0:
        x = x * 2
    for a, b in itertools.zip_longest(_told([1, 2, 3], log, "a"), _told([1, 2], log, "b"), fillvalue=0):
        log.append("body")
        x = x + a * b
    return x, log
@case(inputs=BOTH)
def grouped(x):
    """Groupby asks for an item when its run does."""
    log = []
    if x.sum() > 0:
        x = x * 2
    for key, items in itertools.groupby(_told([1, 1, 2, 3, 3], log, "a")):
        log.append(key)
        for v in items:
            x = x + v
            log.append("in")
    return x, log
@case(inputs=BOTH)
def teed(x):
    """Tee asks when the first of its iterators does."""
    log = []
    if x.sum() > 0:
        x = x * 2
    a, b = itertools.tee(_told([1, 2, 3], log, "a"))
    log.append("made")
    for v in a:
        log.append("in")
        x = x + v
    for v in b:
        log.append("in b")
        x = x + v
    return x, log
@case(inputs=BOTH)
def producted(x):
    """Product asks for everything at once."""
    log = []
    if x.sum() > 0:
        x = x * 2
    for a, b in itertools.product(_told([1, 2], log, "a"), _told([1, 2], log, "b")):
        log.append("body")
        x = x + a * b
    return x, log
@case(inputs=BOTH)
def changed_while_cycled(x):
    """A list that grows while cycle goes over it."""
    items = [1, 2]
    if x.sum() > 0:
        x = x * 2
    for i, v in zip(range(6), itertools.cycle(items)):
        if i == 0:
            items.append(5)
        x = x + v
    return x
@case(inputs=BOTH)
def infinite(x):
    """Cycle of numbers without end."""
    for i, v in zip(range(4), itertools.cycle(itertools.count(3))):
        x = x + v
    return x
@case(inputs=BOTH)
def accumulated(x):
    """Accumulate, islice, takewhile and starmap ask one by one."""
    log = []
    if x.sum() > 0:
        x = x * 2
    for v in itertools.islice(itertools.accumulate(_told([1, 2, 3, 4], log, "a")), 2):
        log.append("in")
        x = x + v
    rest = _told([1, 2, 3, 4], log, "r")
    first = list(itertools.islice(rest, 2))
    log.append("cut")
    for v in rest:
        x = x + v
    for v in itertools.takewhile(lambda k: k < 3, _told([1, 2, 3, 4], log, "t")):
        log.append("in")
    for v in itertools.starmap(lambda a, b: a * b, _told([(1, 2), (3, 4)], log, "s")):
        log.append("in")
        x = x + v
    return x, log
@case(inputs=BOTH)
def mapped(x):
    """Map, filter, enumerate, zip, sum, any, next and starred targets ask one by one."""
    log = []
    if x.sum() > 0:
        x = x * 2
    for v in map(lambda k: k + 1, _told([1, 2], log, "m")):
        log.append("in")
        x = x + v
    for v in filter(lambda k: k > 1, _told([1, 2, 3], log, "f")):
        log.append("in")
        x = x + v
    for i, v in enumerate(_told([1, 2], log, "e")):
        log.append("in")
        x = x + v
    for u, v in zip(_told([1, 2, 3], log, "z"), _told([1, 2], log, "y")):
        log.append("in")
        x = x + v
    print_me = list(_told([1, 2], log, "l"))
    log.append(sum(_told([1, 2], log, "u")))
    log.append(any(v > 1 for v in _told([1, 2, 3], log, "any")))
    log.append(next(_told([1, 2, 3], log, "n")))
    a, *b = _told([1, 2, 3], log, "star")
    return x, log, dict(zip("ab", _told([1, 2, 3], log, "d"))), max(_told([1, 2], log, "x"))


@case(inputs=BOTH)
def runs_out_of_turn(x):
    """A run of groupby ends where the next one is asked for, even if a later one has its key."""
    groups = itertools.groupby([1, 1, 2, 1, 1])
    first_key, first = next(groups)
    kept = next(first)
    second_key, _ = next(groups)
    third_key, third = next(groups)
    left = list(first)
    if x.sum() > 0:
        x = x * kept
    return x, first_key, second_key, third_key, left, list(third), list(groups)


@case(inputs=[(POSITIVE, n) for n in (0, 1, 3)])
def runs_of_run_time_keys(x, n):
    """groupby with keys that only run time knows."""
    return [(key, len(list(items)) * x) for key, items in itertools.groupby([n, 1, 1, 3])]


LABELS = ([1, 1, 0, 2, 2, 0, 2, 2], [0] * 8, [1, 2, 1, 2, 1, 1, 0, 0])


@case(inputs=[(torch.tensor(row),) for row in LABELS], slow=True)
def runs_in_long_lists(x):
    """groupby over many numbers that only run time knows, and over a list of unknown length."""
    collapsed = [key for key, _ in itertools.groupby(x.tolist())]
    some = x[: int(x[0]) + 5].tolist()
    runs = [(key, len(list(run))) for key, run in itertools.groupby(some)]
    kept = []
    for _, run in itertools.groupby(some, key=lambda v: v % 2):
        kept.append(sum(run))
    return x, collapsed, runs, kept, [key for key, _ in itertools.groupby(iterable=some)]


@case(inputs=BOTH)
def one_behind_the_other(x):
    """The iterators of tee go at their own pace over items that are made once."""
    log = []
    near, far = itertools.tee(_told([1, 2, 3, 4], log, "a"))
    next(near)
    next(near)
    log.append(next(far))
    for a, b in zip(near, far, strict=False):
        log.append("in")
        x = x + a * b
    return x, log, list(far), list(itertools.zip_longest()), list(itertools.tee([x], 0))


@case(inputs=BOTH)
def grouped_by_nan(x):
    """A key that is not equal to itself makes a run: of one object or of several."""
    nan = float("nan")
    runs = []
    for _, items in itertools.groupby([nan, nan, float("nan"), 2.0, 2.0]):
        runs.append(len(list(items)))
    return x + 1 if x.sum() > 0 else x, runs


@case(inputs=BOTH)
def runs_of_known_text(x):
    """groupby and tee of a text that is known"""
    runs = [(key, len(list(run))) for key, run in itertools.groupby("aabbbc")]
    of_both = {key: "".join(run) for key, run in itertools.groupby("aaBb", key=str.lower)}
    left, right = itertools.tee("abc")
    first, second = next(left), next(right)
    if x.sum() > 0:
        return x * len(runs), list(left), of_both, first
    return x, runs, of_both, first + second, list(right), next(left)
