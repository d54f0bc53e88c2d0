"""Dicts in containers of the host whose keys are known: walked, taken apart, copied."""

import torch

from tests.language.harness import case

COUNTS = [(3,), (1,), (2,)]


def _hypotheses(count):
    """Return as many as a number of run time says."""
    made = []
    for step in range(count):
        made.append({"length": step, "score": 1.5 * step})
    return made


@case(inputs=COUNTS)
def walked_in_loops(count):
    """Loops over ``items()``, ``values()`` and the dict itself, with early exits."""
    best, text = _hypotheses(count)[count - 1], ""
    for name, value in best.items():
        text += f"{name}={value:.2f};"
        if value > 1:
            break
    return text, [name for name in best], sum(best.values()), {k: v * 2 for k, v in best.items()}


@case(inputs=COUNTS)
def given_to_builtins(count):
    """Whatever asks for all items at once."""
    best = max(_hypotheses(count), key=lambda each: each["score"])
    pairs = sorted(best.items(), key=lambda pair: pair[1])
    first, second = best.values()
    return list(best), pairs, first, second, max(best, key=best.get), list(enumerate(best))


@case(inputs=COUNTS)
def read_when_asked_for(count):
    """A value that the body writes before the walk comes to it."""
    best, seen = _hypotheses(count)[count - 1], []
    for name, value in best.items():
        best["score"] = 100.0 + count
        seen.append((name, value))
    walk = iter(best.values())
    best["length"] += 7
    return seen, next(walk), list(walk)


@case(inputs=COUNTS)
def written_while_walked(count):
    """Every value of every dict, by its key."""
    every = _hypotheses(count)
    for each in every:
        for name, value in each.items():
            each[name] = value + 1
    return every, [each for each in every if all(value > 1 for value in each.values())]


@case(inputs=COUNTS)
def copied(count):
    """``dict``, ``**`` and ``update`` make dicts of known structure."""
    best, table = _hypotheses(count)[count - 1], {"more": 1}
    table.update(best)
    best["score"] = -1.0
    return dict(best), {**best, "length": 0}, table, best


@case(inputs=COUNTS)
def of_tensors(count):
    """The states of several scorers, as beam searches keep them."""
    every = []
    for step in range(count):
        every.append({"decoder": torch.ones(2) * step, "ctc": torch.ones(2) * 1.5 * step})
    weights = {"decoder": 0.7, "ctc": 0.3}
    total = torch.zeros(2)
    for name, score in every[count - 1].items():
        total = total + weights[name] * score
    return total, {name: score + 1 for name, score in every[0].items()}
