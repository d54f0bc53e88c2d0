"""Lists, tuples and dicts of known structure: built, changed, indexed, sliced, returned."""

import collections

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def append_and_index(x):
    """Appending in an unrolled loop; positive and negative indices."""
    outputs = []
    for i in range(3):
        if x.sum() > 0:
            x = x + i
        outputs.append(x)
    return outputs[0], outputs[-1], outputs[len(outputs) // 2]


@case(inputs=BOTH)
def append_in_both_arms(x):
    """Both arms append something else: the structure stays known."""
    outputs = [x]
    if x.sum() > 0:
        outputs.append(x + 1)
    else:
        outputs.append(x - 1)
    return outputs, len(outputs)


@case(inputs=BOTH)
def list_methods(x):
    """insert, pop, extend, remove, index, count, reverse, copy, clear, sort."""
    a = [3, 1, 2]
    a.insert(0, 9)
    a.extend(i * 10 for i in range(2))
    last = a.pop()
    first = a.pop(0)
    a.remove(1)
    b = a.copy()
    b.reverse()
    c = sorted(a)
    a.sort(reverse=True)
    c.clear()
    where = b.index(2)
    if x.sum() > 0:
        where += b.count(3)
    return a, b, c, first, last, where


@case(inputs=BOTH)
def list_slices(x):
    """Slices with steps and negative bounds; they are copies."""
    a = [x, x + 1, x + 2, x + 3]
    tail = a[-2:]
    tail[0] = None
    if x.sum() > 0:
        return a[::2], a[::-1][1], tail
    return a[1:-1], a[10:], tail


@case(inputs=BOTH)
def concatenation_and_repetition(x):
    """+ and * of lists and tuples; repeated inner lists are one object."""
    a = [1, 2] + [x]
    t = (0,) * 3 + (x.dim(),)
    grid = [[0] * 2] * 2
    grid[0][1] = 5
    fresh = [[0] * 2 for _ in range(2)]
    fresh[0][1] = 5
    if x.sum() > 0:
        a = a + a[:1]
    return a, t, grid, fresh, 2 * [1]


@case(inputs=BOTH)
def dict_methods(x):
    """get, setdefault, update, pop, popitem, keys, values, items, in, len."""
    d = {"a": 1, "b": x}
    d.setdefault("a", 5)
    d.setdefault("c", []).append(7)
    d.update({"d": 2}, e=3)
    popped = d.pop("d"), d.pop("zz", None), d.popitem()
    missing = d.get("q"), d.get("q", 4), d.get("a")
    if x.sum() > 0:
        d["b"] = d["b"] + 1
    return d, popped, missing, len(d), "a" in d, list(d.keys()), tuple(d.items())[0]


@case(inputs=BOTH)
def dict_displays(x):
    """Dict displays with unpacking, later keys win but keep their place."""
    base = {"lr": 1, "x": x}
    merged = {**base, "lr": 2, **{"z": 3}}
    other = base | {"x": 0}
    made = dict(zip(["p", "q"], [1, 2]), r=3)
    if x.sum() > 0:
        merged["lr"] = 5
    return merged, other, made, dict([("k", 1)]), dict.fromkeys("ab", 0)


@case(inputs=BOTH)
def nested_structures(x):
    """Containers in containers, changed through any of them."""
    state = {"layers": [], "stats": {"count": 0, "shape": tuple(x.shape)}}
    for i in range(2):
        state["layers"].append({"index": i, "out": x * i})
        state["stats"]["count"] += 1
    if x.sum() > 0:
        state["layers"][-1]["out"] = x
        state["layers"][0]["index"] = -1
    return state


@case(inputs=BOTH)
def aliases(x):
    """Two names for one list see each other's changes; a copy does not."""
    a = [x]
    b = a
    c = list(a)
    d = (a, a)
    b.append(1)
    if x.sum() > 0:
        d[1][0] = 2
    return a, b, c, d, a is d[0]


@case(inputs=BOTH)
def tuples(x):
    """Tuples: index, slice, in, len, count, empty, one element, unpacking into displays."""
    t = (x, 1, 2, 1)
    single = (5,)
    both = (*t[1:], *single)
    if x.sum() > 0:
        return t[0], both.count(1), both.index(5)
    return (), single, [*both, *()], len(both)


@case(inputs=BOTH)
def immutable_tuple(x):
    """Assigning to a tuple element raises TypeError."""
    t = (1, 2)
    if x.sum() > 0:
        t[0] = 5
    return t


@case(inputs=BOTH, refused="DYCL066")
def index_errors(x):
    """IndexError and KeyError of known containers come at run time, in the taken arm only."""
    a = [1, 2]
    d = {"a": 1}
    if x.sum() > 0:
        return a[2]
    return d["b"]


@case(inputs=BOTH)
def pop_from_empty(x):
    """pop of an empty list raises."""
    a = []
    if x.sum() > 0:
        a.append(1)
    return a.pop()


@case(inputs=BOTH)
def sorted_with_key(x):
    """sorted with key and reverse over known items is stable."""
    words = ["bb", "a", "cc", "ddd"]
    order = sorted(words, key=len, reverse=True)
    pairs = sorted([(2, "b"), (1, "z"), (2, "a")], key=lambda p: p[0])
    if x.sum() > 0:
        order = order[:2]
    return order, pairs


@case(inputs=BOTH)
def tensors_in_dicts(x):
    """A dict of tensors is filled in a loop and read by computed keys."""
    features = {}
    for i, name in enumerate(["low", "mid", "high"]):
        features[name] = x * (i + 1)
        features[name, i] = i
    if features["mid"].sum() > 0:
        features["mid"] = features["low"] + features["high"]
    return features[f"{'mid'}"], features["high", 2], len(features)


@case(inputs=BOTH)
def sets(x):
    """Sets of known numbers: add, discard, operators, membership, comparison."""
    a = {1, 2, 3}
    b = set(range(2, 5))
    a.add(9)
    a.discard(100)
    if x.sum() > 0:
        a.remove(1)
    return sorted(a & b), sorted(a | b), sorted(a - b), sorted(a ^ b), {2} <= b, len(a), 1 in a


@case(inputs=BOTH)
def defaultdict_and_friends(x):
    """collections: defaultdict, OrderedDict, deque and Counter of known structure."""
    groups = collections.defaultdict(list)
    groups["a"].append(x)
    groups["b"].append(1)
    groups["a"].append(2)
    ordered = collections.OrderedDict(z=1, y=2)
    recent = collections.deque(maxlen=2)
    for i in range(3):
        recent.append(i)
    counts = collections.Counter("abca")
    if x.sum() > 0:
        groups["a"].pop()
    return groups["a"], len(groups), list(ordered), list(recent), counts["a"]


@case(inputs=BOTH)
def list_of_pairs(x):
    """zip(*pairs) turns columns into rows."""
    pairs = [(x * i, i) for i in range(3)]
    tensors, numbers = zip(*pairs)
    if x.sum() > 0:
        tensors = tensors[::-1]
    return torch.stack(tensors), numbers


@case(inputs=BOTH)
def conversion_between_containers(x):
    """list, tuple, dict, set and reversed make new containers."""
    t = tuple([x, 1])
    a = list(t)
    a[0] = 0
    d = dict(enumerate("ab"))
    letters = list("héy")
    if x.sum() > 0:
        t = t + tuple(a)
    return t, a, d, letters, list(reversed(a)), tuple(range(3)), list({"k": 1})


@case(inputs=BOTH)
def equality_of_containers(x):
    """== of containers of numbers compares the content, also lists against tuples."""
    a = [1, [2, 3]]
    b = [1, [2, 3]]
    if x.sum() > 0:
        b[1].append(4)
    return a == b, a != b, [1] == (1,), {"a": 1, "b": 2} == {"b": 2, "a": 1}, (1, 2) < (1, 3)


@case(inputs=BOTH)
def star_in_calls_and_displays(x):
    """* and ** of known containers in calls and displays."""
    sizes = [2, 3]
    options = {"dim": 1}
    y = torch.zeros(*sizes) + x
    if y.sum(**options).max() > 0:
        y = torch.cat([y, *[x, x]], **options)
    return y, [*sizes, *range(2)], {**options}
