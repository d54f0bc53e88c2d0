"""Copies of objects made in loops of unknown length: ``copy``, ``dataclasses.replace`` and ``asdict``."""

import copy
import dataclasses
from dataclasses import dataclass, field
from typing import Any

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

COUNTED = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1), (MIXED, 6), (POSITIVE, 2)]


@dataclass
class Hypothesis:
    """A score and the tokens so far."""

    steps: int
    score: float
    tokens: list[int] = field(default_factory=list)


@dataclass
class Holder:
    """Holds hypotheses, in containers and by itself."""

    own: Hypothesis
    pair: tuple[Any, ...]
    table: dict[str, list[Hypothesis]]


@dataclass
class Guarded:
    """Says how it is copied."""

    steps: int

    def __copy__(self):
        return Guarded(self.steps + 100)

    def __deepcopy__(self, memo):
        return Guarded(self.steps + 1000)


@case(inputs=COUNTED)
def shallow_and_deep(x, n):
    """A copy shares the parts of an object, a deep copy has parts of its own"""
    found = [Hypothesis(0, 0.5, [0])]
    for i in range(n):
        shallow, deep = copy.copy(found[-1]), copy.deepcopy(found[-1])
        shallow.tokens.append(i)
        deep.tokens.append(-i)
        deep.steps = i
        shallow.score += x.sum().item()
        found += [deep, shallow]
    return [(each.steps, each.score, each.tokens) for each in found]


@case(inputs=COUNTED)
def shared_within(x, n):
    """What is one object within what is copied is one object in the deep copy"""
    row = [0]
    rows = [[row, row]]
    for i in range(n):
        new = copy.deepcopy(rows[-1])
        new[0].append(i)
        rows.append(new)
    return rows, x


@case(inputs=COUNTED)
def containers(x, n):
    """Copies of lists, dicts and sets known only at run time"""
    items, table, seen = [1.0], {}, set()
    for i in range(n):
        table[i * 2] = copy.copy(items)
        items.append(x.sum().item() + i)
        seen.add(i % 3)
    other, deep, third = copy.copy(table), copy.deepcopy(table), copy.copy(seen)
    other[77] = [1.0]
    for each in other.values():
        each.append(2.0)
    third.add(99)
    return table, deep, len(third), len(seen), items


@case(inputs=COUNTED, refused="DYCL059")
def several_at_once(x, n):
    """Two objects of the host in one deep copy may share what they hold"""
    found = [[0]]
    for i in range(n):
        found.append([i])
    return copy.deepcopy((found[0], found[-1])), x  # <- refused


@case(inputs=COUNTED, refused="DYCL059")
def by_methods(x, n):
    """Classes that say how they are copied"""
    found = [Guarded(0)]
    for i in range(n):
        found.append(copy.copy(found[-1]))  # <- refused
    return [each.steps for each in found], x


@case(inputs=COUNTED, refused="DYCL059")
def deep_by_methods(x, n):
    """The same, inside of what is copied"""
    found = [[Guarded(0)]]
    for i in range(n):
        found.append(copy.deepcopy(found[-1]))  # <- refused
    return [each[0].steps for each in found], x


@case(inputs=COUNTED)
def replaced(x, n):
    """``dataclasses.replace`` of objects of the host: other fields are shared"""
    found = [Hypothesis(1, x.sum().item())]
    for i in range(n):
        found.append(dataclasses.replace(found[-1], steps=i))
        found[-1].tokens.append(i)
    return [(each.steps, each.score, each.tokens) for each in found]


@case(inputs=COUNTED)
def as_tuples_and_dicts(x, n):
    """``astuple`` gives tuples, ``asdict`` dicts, also of what is held in containers"""
    own = Hypothesis(n, 0.5, [n, 1])
    holder = Holder(own, (Hypothesis(1, x.sum().item()), 3), {"kept": [Hypothesis(2, 1.5)]})
    return dataclasses.astuple(holder), dataclasses.asdict(holder)


@case(inputs=COUNTED)
def exported_from_the_host(x, n):
    """The same of objects of the host"""
    found = [Hypothesis(0, 0.0)]
    for i in range(n):
        found.append(Hypothesis(i, x.sum().item(), [i]))
    exported = dataclasses.asdict(found[-1])
    exported["tokens"].append(5)
    return exported, found[-1].tokens[:2], dataclasses.astuple(found[0])


@case(inputs=COUNTED, refused="DYCL059")
def exported_containers(x, n):
    """Objects in a list of the host stay objects there, which ``asdict`` would make dicts of"""
    found = [Hypothesis(0, 0.0)]
    for i in range(n):
        found.append(Hypothesis(i, x.sum().item(), [i]))
    return dataclasses.asdict(Holder(found[0], (), {"kept": found}))["own"]  # <- refused
