"""Dicts that hold tensors, looked for in lists of the host: ``hypotheses.remove(best)``

Python takes the very same dict, else compares value by value.
"""

import torch
from torch import nn

from tests.language.harness import case, noise

NAN = float("nan")
ROWS = [[1.0, 2.0, 3.0], [2.0, 2.0, 1.0], [NAN, 1.0, NAN], [5.0, NAN, 1.0], [3.0, 2.0, 1.0]]
TABLES = [(torch.tensor(row), n) for row, n in zip(ROWS, (3, 3, 3, 2, 1), strict=True)]
STATES = [(noise(2, 5, seed=seed) * 2,) for seed in range(5)]


def hypotheses(x, n):
    """Make a dict of each number, in a list whose length is known at run time only."""
    found = []
    for i in range(n):
        found.append({"tokens": [i % 2], "score": x[i].item(), "state": x * i})
    return found


@case(inputs=TABLES)
def the_best_is_taken_out(x, n):
    """What max() gives is in the list, and is found by which one it is"""
    items = hypotheses(x, n)
    best = max(items, key=lambda each: each["score"])
    place, inside = items.index(best), best in items
    items.remove(best)
    best["score"] = 9.0
    return place, inside, best in items, [each["score"] for each in items], best["score"]


@case(inputs=TABLES)
def one_after_the_other(x, n):
    """A function takes the best out until none is left"""
    items = hypotheses(x, n)

    def pick(given):
        best = max(given, key=lambda each: each["score"])
        given.remove(best)
        return best

    taken = []
    while items:
        taken.append(pick(items)["score"])
    return taken


@case(inputs=TABLES)
def another_dict(x, n):
    """A dict of the program's own is compared; one with more keys, or another list, is not it"""
    items = hypotheses(x, n)
    wanted = {"tokens": [7], "score": 1.0, "state": x}
    longer, plain = {**wanted, "more": 1}, {"tokens": [0]}
    found = wanted in items, longer in items, plain in items, items.count(wanted), items[0] != plain
    try:
        items.remove(wanted)
    except ValueError as error:
        return found, str(error)
    return found, "removed"  # never


@case(inputs=TABLES, messages=False)
def equal_but_for_tensors(x, n):
    """Where everything before a tensor of several elements is equal, Python cannot tell"""
    items = hypotheses(x, n)
    return {"tokens": [0], "score": x[0].item(), "state": x * 2} in items


@case(inputs=[(torch.tensor(row), n) for row, n in zip(ROWS[:2], (3, 2), strict=True)])
def tensors_of_one_number(x, n):
    """Scores are tensors; a dict that was put in twice is counted twice"""
    items = []
    for i in range(n):
        items.append({"score": x[i] * 2, "token": i, "state": None if i == 1 else (x, x + i)})
    best = max(items, key=lambda each: each["score"])
    items.remove(best)
    items += [best, best]
    return items.count(best), items.index(best), [each["token"] for each in items]


@case(inputs=STATES)
class TransducerBeam(nn.Module):
    """At each frame the best hypothesis is taken out and expanded until enough have ended"""

    def __init__(self, beam=2):
        super().__init__()
        self.beam = beam
        self.embedding, self.cell = nn.Embedding(4, 5), nn.GRUCell(5, 5)
        self.out = nn.Linear(5, 4)

    def step(self, frame, token, state):
        state = self.cell(self.embedding(torch.tensor([token])), state)
        return torch.log_softmax(self.out(state + frame), -1)[0], state

    def forward(self, x):
        kept = [{"tokens": [0], "score": 0.0, "state": torch.zeros(1, 5)}]
        for frame in range(x.size(0)):
            open_, kept = kept, []
            while len(kept) < self.beam:
                best = max(open_, key=lambda each: each["score"])
                open_.remove(best)
                scores, state = self.step(x[frame], best["tokens"][-1], best["state"])
                values, words = scores.topk(self.beam)
                for value, word in zip(values, words):
                    new = {
                        "tokens": best["tokens"][:],
                        "score": best["score"] + value.item(),
                        "state": best["state"],
                    }
                    if word == 0 or len(new["tokens"]) > 4:
                        kept.append(new)
                    else:
                        new["tokens"].append(word.item())
                        new["state"] = state
                        open_.append(new)
        best = max(kept, key=lambda each: each["score"] / len(each["tokens"]))
        return best["tokens"], best["score"]
