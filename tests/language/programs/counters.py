"""collections.Counter and the aliases of typing: what is counted at run time."""

import collections
import typing
from collections import Counter

import torch

from tests.language.harness import case

TOKENS = [(torch.tensor(t),) for t in ([1, 2, 1], [0, 0, 0], [5, 6, 7], [7, 7, 5])]


@case(inputs=TOKENS)
def counts_of_a_dict(t):
    """A dict gives its counts, not its keys; keywords are counted after it."""
    counts = Counter({1: 2, 5: 7})
    run_time = Counter({t[0].item(): 2, 9: 1})
    return counts.most_common(), run_time, Counter(run_time), Counter({"a": 1}, a=2, b=1)


@case(inputs=TOKENS)
def updated_and_subtracted(t):
    """update() and subtract() add to what is there: of iterables, dicts, counters and keywords."""
    counts = Counter()
    counts.update(t.tolist())
    counts.update({7: 4})
    counts.update(Counter(t[:1].tolist()))
    counts.subtract([1, 1, 5])
    words = Counter(a=1)
    words.update(["a", "b"], c=int(t[0] > 0))
    return counts, counts.total(), sorted(words.elements()), words.most_common(1)


@case(inputs=TOKENS)
def put_together(t):
    """Sums, differences, the larger and the smaller counts; what is missing is 0."""
    one, other = Counter(t.tolist()), Counter({1: 5, 7: 1})
    both = one & other
    del both[99]
    return one + other, one - other, one | other, both, one[4], both == Counter()


@case(inputs=TOKENS, refused="DYCL034")
def added_in_place(t):
    """The counter would be another one by its other name."""
    counts = Counter(t.tolist())
    same = counts
    counts += Counter([1])  # <- refused
    return counts, same


@case(inputs=TOKENS, refused="DYCL073")
def counts_that_are_no_numbers(t):
    """Fractions are no counts of the host's."""
    counts = Counter(t.tolist())
    weights = {t[0].item(): 0.5}
    counts.update(weights)  # <- refused
    return counts


@case(inputs=TOKENS)
def more_arguments_than_one(t):
    """Python raises TypeError."""
    try:
        return Counter(t.tolist(), t.tolist())
    except TypeError:
        return t


@case(inputs=TOKENS)
def made_through_their_aliases(t):
    """typing.Counter and defaultdict[str, list] make what they are aliases of."""
    counts = typing.Counter()
    counts[t[0].item()] += 1
    groups = collections.defaultdict[str, list](list)
    groups["a" if t[0] > 1 else "b"].append(t)
    named = typing.DefaultDict(int)
    named["x"] += 1
    return counts.most_common(), dict(groups), dict(named), list[int](t.tolist())


@case(inputs=TOKENS)
def an_alias_that_makes_nothing(t):
    """typing.List is no way to make a list."""
    try:
        return typing.List()
    except TypeError:
        return t


@case(inputs=TOKENS)
def letters_of_a_text(t):
    """A tensor of one integer is an index of a text, as of a list; others are none."""
    kept = [i for i in torch.unique_consecutive(t) if i != 5]
    word = "".join("abcdefgh"[i] for i in kept)
    try:
        return "abcdefgh"[t[0] / 1]
    except TypeError:
        return word, "abcdefgh"[t[-1]], "abcdefgh"[-t[0:1]]
