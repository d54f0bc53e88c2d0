"""Lists, dicts and objects of the caller that the call changes: the caller sees it."""

from types import SimpleNamespace

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case


LISTED = [(x, [ZERO, MIXED]) for x in (POSITIVE, NEGATIVE)]


@case(inputs=LISTED)
def appended(x, found):
    """A list argument is appended to on some paths"""
    if x.sum() > 0:
        found.append(x * 2)
    return x + 1


@case(inputs=LISTED)
def changed_in_all_ways(x, found):
    """Elements of a list argument are set, inserted, removed and reversed"""
    found[0] = x
    found.insert(1, x * 2)
    found.extend([x * 3, found[-1] + 1])
    if x.sum() > 0:
        del found[2]
        found.reverse()
    last = found.pop()
    found += [last, last]
    return len(found)


@case(inputs=LISTED)
def changed_and_changed_back(x, found):
    """A list argument ends up as it was, after a statement that may raise"""
    first = found[0]
    found[0] = x
    row = x.flatten()[int(x.sum().abs()) - 9]
    found[0] = first
    return row


@case(inputs=[(x, [ZERO, MIXED], n) for x in (POSITIVE, NEGATIVE) for n in (0, 1, 3)])
def appended_in_a_loop(x, found, n):
    """A list argument grows as often as a number says"""
    for step in range(n):
        found.append(x * step)
    return found[-1]


@case(inputs=[(POSITIVE, [ZERO], 5), (NEGATIVE, [ZERO], 5)])
def changed_before_an_error(x, found, index):
    """What was changed before the call raised stays changed"""
    found.append(x)
    value = x.flatten()[index]
    found.append(x * value)
    if value < 0:
        raise ValueError("negative")
    return value


@case(inputs=[(x, [ZERO, MIXED], n) for x in (POSITIVE, NEGATIVE) for n in (0, 2)])
def replaced_around_risks(x, found, n):
    """A list argument changes in a loop whose steps may raise"""
    for step in range(n):
        first = found[0]
        found[0] = x + step
        found[1] = x.flatten()[step * 2] + first
        found[0] = first
    return found[1]


@case(inputs=LISTED)
def cleared(x, found):
    """A list argument is cleared"""
    if x.sum() > 0:
        found.clear()
    return x * len(found)


@case(inputs=LISTED)
def returned(x, found):
    """A list argument is changed and returned"""
    found[1] = x
    return found


@case(inputs=[(x, [[ZERO], [MIXED, ZERO]]) for x in (POSITIVE, NEGATIVE)])
def lists_in_a_list(x, rows):
    """Lists in a list argument are changed"""
    rows[0].append(x)
    if x.sum() > 0:
        rows[1][0] = x * 2
    return len(rows[0])


@case(inputs=[(x, (MIXED, [ZERO])) for x in (POSITIVE, NEGATIVE)])
def list_in_a_tuple(x, pair):
    """A list in a tuple argument is changed"""
    first, rest = pair
    rest.append(first + x)
    return x


@case(inputs=[(POSITIVE, [ZERO], [ZERO]), (NEGATIVE, [ZERO], [MIXED])])
def one_of_two(x, left, right):
    """Which list argument is changed depends on the input"""
    if x.sum() > 0:
        left.append(x)
    else:
        right[0] = x
    return x


@case(inputs=[(POSITIVE, [1, 2.5, "a", None]), (NEGATIVE, [7, 0.5, "a", None])])
def all_kinds(x, found):
    """Numbers, strings, tuples, lists and None are put into a list argument"""
    found[0] += 1
    found[1] = "text"
    found[3] = (x, found[0])
    found.append([x * 2, {"key": x.sum().item()}])
    return x


@case(inputs=[(x, {"step": 3, "key": ZERO}) for x in (POSITIVE, NEGATIVE)])
def dict_written(x, cache):
    """Values of a dict argument change; keys come and go"""
    cache["step"] += 1
    if x.sum() > 0:
        cache["new"] = x * 2
        cache["key"] = cache["key"] + x
    else:
        del cache["key"]
    return cache["step"]


@case(inputs=[(x, {"step": 3, "key": ZERO}) for x in (POSITIVE, NEGATIVE)])
def dict_methods(x, cache):
    """update, pop, setdefault and popitem of a dict argument"""
    cache.update(step=x.sum().item(), more=x)
    first = cache.pop("key")
    cache.setdefault("key", first + 1)
    cache.setdefault("more", first)
    if x.sum() > 0:
        cache.popitem()
    return len(cache)


@case(inputs=[(x, {"step": 3, "key": ZERO}) for x in (POSITIVE, NEGATIVE)])
def dict_cleared(x, cache):
    """A dict argument is cleared and filled again"""
    cache.clear()
    cache["x"] = x
    return x


class Decoder(nn.Module):
    """A decoder that keeps its state in a dict of the caller's, layer by layer."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))

    def attend(self, x, incremental_state, key):
        """Extend what is kept of a layer."""
        if key in incremental_state:
            x = torch.cat([incremental_state[key], x])
        incremental_state[key] = x
        return x.sum(0, keepdim=True)


@case(inputs=[(x[:1], {"layer0": ZERO}) for x in (POSITIVE, NEGATIVE)])
class IncrementalDecoder(Decoder):
    """The state of a decoder is a dict argument"""

    def forward(self, x, incremental_state):
        for index, layer in enumerate(self.layers):
            x = layer(self.attend(x, incremental_state, f"layer{index}"))
        return x


@case(inputs=[(x, SimpleNamespace(state=ZERO, steps=2)) for x in (POSITIVE, NEGATIVE)])
def object_written(x, memory):
    """Attributes of an object argument are written, some for the first time"""
    memory.steps += 1
    if x.sum() > 0:
        memory.state = memory.state + x
        memory.last = x
    return memory.steps


@case(inputs=[(x, SimpleNamespace(seen=[ZERO])) for x in (POSITIVE, NEGATIVE)])
def list_of_an_object(x, memory):
    """A list in an object argument is changed"""
    memory.seen.append(x)
    return len(memory.seen)


def _remember(memory, x, depth):
    memory.append(x)
    return x if depth == 0 else _remember(memory, x + 1, depth - 1)


@case(inputs=LISTED)
def changed_by_a_function(x, found):
    """Functions that are called change a list argument"""
    return _remember(found, x, 2)


@case(inputs=[(POSITIVE, [ZERO], 0), (NEGATIVE, [ZERO], 3)], may_refuse=True, slow=True)
def changed_by_recursion(x, found, depth):
    """A function that calls itself at run time changes a list argument"""
    return _remember(found, x, depth)


@case(inputs=LISTED)
def tensors_of_a_changed_list(x, found):
    """An element of a list argument is written in place, and the list changes"""
    found[0].add_(x)
    found.append(found[0] * 2)
    return x


@case(inputs=[(x, [ZERO], [MIXED]) for x in (POSITIVE, NEGATIVE)], refused="DYCL034")
def list_put_into_a_list(x, left, right):
    """A list argument is put into another one"""
    left.append(right)
    right.append(x)
    return x  # <- refused


@case(inputs=[(x, [ZERO]) for x in (POSITIVE, NEGATIVE)], refused="DYCL034")
def object_put_into_a_list(x, found):
    """An object of the program's is put into a list argument"""
    found.append(SimpleNamespace(x=x))
    return x


@case(inputs=[(POSITIVE, [ZERO], [MIXED]), (NEGATIVE, [ZERO], [MIXED])])
def caught(x, left, right):
    """A change in a body that raises an exception which is caught"""
    try:
        left.append(x)
        if x.sum() > 0:
            raise ValueError("positive")
        left.append(x)
    except ValueError:
        right.append(x)
    return x


@case(inputs=LISTED)
def replaced_on_a_path(x, found):
    """A list that is the caller's on one path, and one of the program's of that length on another"""
    if x.sum() > 0:
        found = [x, x]
    found.pop()
    return found


@case(inputs=[([1.0, 2.0], n) for n in (0, 1, 2, 4)])
def taken_in_a_loop(found, n: int):
    """A list of the program's is the caller's in the second iteration, and then its own again"""
    totals, following = [0.0, 0.0], found
    del found
    for _ in range(n):
        totals[0] += 1
        totals, following = following, [5.0, 6.0]
    return totals


@case(inputs=[(x, SimpleNamespace(score=ZERO, seen=ZERO + 1)) for x in (POSITIVE, NEGATIVE)])
def asked_for_after_it_was_deleted(x, state):
    """An attribute of an object that is an argument is deleted, then asked for"""
    x = x + state.seen
    del state.score, state.seen
    state.other = x
    del state.other
    if hasattr(state, "score") or hasattr(state, "other"):  # known
        x = x * 3  # never
    return x + 1 if x.sum() > 0 else (x, getattr(state, "seen", 0))


class Shaded:
    """Has an attribute that its objects need not have."""

    shade = 9

    def __init__(self):
        self.light = 1  # at import


@case(inputs=[(POSITIVE, Shaded()), (NEGATIVE, Shaded())], refused="DYCL001")
def of_the_class(x, o):
    """An attribute of the class cannot be deleted from an object."""
    if x.sum() > 0:
        o.shade = 4
    del o.shade  # <- refused
    return x * o.shade + o.light
