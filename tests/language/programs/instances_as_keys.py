"""Objects of classes without a hash of their own as keys of dicts and elements of sets."""

import collections
import copy
import itertools

import torch

from tests.language.harness import case, noise

SQUARES = [(noise(4, 4, seed=seed),) for seed in range(4)]
NUMBERS = [(torch.tensor([float(n), 0.0, 0.0]),) for n in (5, 0, 2, -3, 1)]


class Place:
    """A node of a graph, with the nodes that it leads to."""

    def __init__(self, number):
        self.number = number
        self.following = []


def _linked(x):
    places = [Place(i) for i in range(4)]
    for one, other in itertools.permutations(places, 2):
        if x[one.number, other.number] > 0:
            one.following.append(other)
    return places


@case(inputs=SQUARES)
def visited_by_depth(x):
    """A set of the nodes that were visited, in a recursion"""
    places = _linked(x)
    visited, order = set(), []

    def visit(place):
        if place in visited:
            return
        visited.add(place)
        for following in place.following:
            visit(following)
        order.append(place.number)

    for place in places:
        visit(place)
    return order, x[order].sum(0)


@case(inputs=SQUARES, slow=True)
def found_by_width(x):
    """A dict leads from each node to the one that it was found from"""
    places = _linked(x)
    before = {places[0]: None}
    waiting = collections.deque([places[0]])
    while waiting:
        place = waiting.popleft()
        for following in place.following:
            if following not in before:
                before[following] = place
                waiting.append(following)
    path, place = [], places[3] if places[3] in before else None
    while place is not None:
        path.append(place.number)
        place = before[place]
    return path[::-1], len(before), [place.number for place in before]


@case(inputs=NUMBERS)
def distances(x):
    """Known objects as keys of a dict whose values are of run time"""
    n = int(x.sum())
    places = [Place(i) for i in range(4)]
    best = {place: float("inf") for place in places}
    best[places[0]] = 0.0
    for place in places:
        if n > place.number:
            best[place] = float(n - place.number)
    return [best[place] for place in places]


@case(inputs=NUMBERS)
def tensors_by_object(x):
    """What leads to tensors, read and written again"""
    places = [Place(i) for i in range(3)]
    states = {places[0]: x}
    for place in places[1:]:
        if x.sum() > place.number:
            states[place] = states[places[0]] * place.number
    total = x * 0
    for place, state in states.items():
        total = total + state * (place.number + 1)
    return total, places[2] in states, places[1] not in states


@case(inputs=NUMBERS)
def same_object_by_two_names(x):
    """Which of two objects is the key is known only at run time"""
    one, other = Place(1), Place(2)
    best = one if x.sum() > 2 else other
    table = {one: "one"}
    table[best] = "best"
    return table[one], len(table), table.get(other, "none")


@case(inputs=NUMBERS)
def counted_and_grouped(x):
    """A Counter and a defaultdict, and what leaves them"""
    places = [Place(i) for i in range(3)]
    groups, counts = collections.defaultdict(list), collections.Counter()
    for i in range(max(int(x.sum()), 0)):
        groups[places[i % 3]].append(i)
        counts[places[i % 2]] += 1
    keys = [place.number for place in list(groups)]
    groups.pop(places[0], None)
    if places[1] in groups:
        del groups[places[1]]
    return keys, len(groups), counts[places[0]], len(counts)


@case(inputs=NUMBERS)
def sets_of_objects(x):
    """Sets of lists of objects, and what is in two sets"""
    n = int(x.sum())
    places = [Place(i) for i in range(4)]
    small, odd = {places[0]}, set(places[1::2])
    small.update([place for place in places if place.number < n])
    odd.discard(places[3])
    return len(small | odd), len(small & odd), places[1] in small - odd, len(odd)


@case(inputs=NUMBERS)
def forgotten_objects(x):
    """Objects that nothing but the set refers to stay different from later ones"""
    seen, again = set(), 0
    for i in range(max(int(x.sum()), 0) * 10):
        place = Place(i)
        if place in seen:  # known
            again += 1  # never
        seen.add(place)
    return again, len(seen)


@case(inputs=NUMBERS)
def missing_object(x):
    """The KeyError of an object that is no key is caught"""
    places = [Place(i) for i in range(3)]
    table = {}
    for place in places:
        if place.number < x.sum():
            table[place] = place.number
    try:
        return table[places[2]]
    except KeyError:
        return -1


@case(inputs=NUMBERS)
def key_that_changes(x):
    """A key that is taken out of the dict is the object itself"""
    places = [Place(i) for i in range(3)]
    table = {place: place.number for place in places if place.number < x.sum()}
    for place in table:
        place.number += 10
    inverse = {number: place for place, number in table.items()}
    first = inverse[0] if 0 in inverse else places[2]
    return [place.number for place in places], first is places[0]


@case(inputs=NUMBERS, refused="DYCL051")
def order_of_addresses(x):
    """A set of objects is walked in an order that differs from run to run"""
    places = {Place(i) for i in range(3) if i < x.sum()}
    return [place.number for place in places]  # <- refused


@case(inputs=NUMBERS, refused="DYCL051")
def list_of_a_set(x):
    """Nor is it made a list; it may be sorted"""
    places = {Place(i) for i in range(3) if i < x.sum()}
    numbers = [place.number for place in sorted(places, key=lambda place: -place.number)]
    return numbers, [place.number for place in list(places)]  # <- refused


@case(inputs=NUMBERS, refused="DYCL059")
def copied_keys(x):
    """A deep copy has copies of the keys"""
    place = Place(int(x.sum()))
    table = copy.deepcopy({place: 1})  # <- refused
    return place in table
