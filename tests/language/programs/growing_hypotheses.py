"""Containers whose first object says less than what follows: longer tuples, floats, None."""

import collections
import heapq
import itertools
import queue
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

COUNTED = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1), (MIXED, 6), (POSITIVE, 2)]
STATES = [(noise(1, 4, seed=seed) * 3,) for seed in range(5)]


class Decoder(nn.Module):
    """Says how likely each of five words is after another one."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)
        self.out = nn.Linear(4, 5)
        with torch.no_grad():
            self.out.weight.mul_(6)

    def step(self, token, state):
        """Return the logarithms of probabilities, and the state."""
        state = self.cell(torch.full((1, 4), float(token)), state)
        return torch.log_softmax(self.out(state), -1)[0], state


@case(inputs=STATES)
class TokensInTuples(Decoder):
    """Finished hypotheses have tuples of as many tokens as there were steps"""

    def forward(self, x, beam=2):
        live = [(0.0, (1,), x)]
        finished = []
        for _ in range(4):
            grown = []
            for score, tokens, state in live:
                scores, state = self.step(tokens[-1], state)
                values, words = scores.topk(beam)
                for value, word in zip(values.tolist(), words.tolist()):
                    grown.append((score + value, tokens + (word,), state))
            grown.sort(key=lambda each: each[0] / len(each[1]), reverse=True)
            live = []
            for each in grown[:beam]:
                (finished if each[1][-1] == 2 else live).append(each)
            if len(finished) >= beam:
                break
        best = max(finished or live, key=lambda each: each[0])
        return best[1], best[0]


@case(inputs=STATES)
class CostsInAHeap(Decoder):
    """The first cost is the integer 0, all others are floats; a counter breaks ties"""

    def forward(self, x):
        ties = itertools.count()
        heap = [(0, next(ties), [1], x)]
        popped = 0
        while popped < 8:
            cost, _, tokens, state = heapq.heappop(heap)
            popped += 1
            if tokens[-1] == 2:
                return tokens, cost, popped
            scores, state = self.step(tokens[-1], state)
            for value, word in zip(*[each.tolist() for each in scores.topk(2)]):
                heapq.heappush(heap, (cost - value, next(ties), [*tokens, word], state))
        return [], 0.5, popped


@case(inputs=STATES, slow=True)
class PrefixesAsKeys(Decoder):
    """A dict's keys are tuples of any length: the first is the empty one"""

    def forward(self, x):
        prefixes = [((), (0.0, -1.0))]
        for step in range(3):
            scores, x = self.step(step, x)
            found = collections.defaultdict(lambda: (-9.0, -9.0))
            for word in scores.topk(2)[1]:
                word = word.item()
                score = scores[word].item()
                for prefix, (one, other) in prefixes:
                    if word == 0:
                        found[prefix] = (found[prefix][0] + one + score, found[prefix][1])
                    else:
                        longer = prefix + (word,)
                        found[longer] = (found[longer][0], found[longer][1] + other + score)
            prefixes = sorted(found.items(), key=lambda each: sum(each[1]), reverse=True)[:2]
        return prefixes


class Node:
    """A word, what came before it, and the state; the first score is an integer."""

    def __init__(self, word, state, previous, score, length):
        self.word = word
        self.state = state
        self.previous = previous
        self.score = score
        self.length = length


@case(inputs=STATES, slow=True)
class NodesInAQueue(Decoder):
    """A queue of scores and nodes: the first score is made of an integer"""

    def forward(self, x):
        nodes = queue.PriorityQueue()
        counter = itertools.count()
        nodes.put((0, next(counter), Node(1, x, None, 0, 1)))
        taken = 0
        while True:
            score, _, node = nodes.get()
            taken += 1
            if taken > 5 or node.word == 0:
                break
            scores, state = self.step(node.word, node.state)
            for value, word in zip(*[each.tolist() for each in scores.topk(2)]):
                longer = Node(word, state, node, node.score + value, node.length + 1)
                nodes.put((-longer.score / longer.length, next(counter), longer))
        words = []
        while node is not None:
            words.append(node.word)
            node = node.previous
        return words[::-1], score


@dataclass
class Prefix:
    """The words so far, and their score."""

    words: tuple[int, ...]
    score: float


@case(inputs=STATES)
class PrefixesInObjects(Decoder):
    """Objects hold tuples of different lengths, and are sorted"""

    def forward(self, x):
        scores, x = self.step(1, x)
        found = [Prefix((), scores[0].item())]
        for step in range(3):
            first = found[-1]
            found.append(Prefix((*first.words, step), first.score + scores[step].item()))
        found.sort(key=lambda each: each.score)
        return [(each.words, each.score) for each in found]


@case(inputs=COUNTED)
def none_at_first(x, n):
    """What is None in the first tuple of a list holds something later"""
    found = [(None, 0)]
    for i in range(n):
        last = found[-1][0]
        found.append((i if last is None else last + i, i))
    return [-1 if first is None else first for first, _ in found], x


@case(inputs=COUNTED)
def tables_of_tuples(x, n):
    """A dict's values: lengths and numbers that differ"""
    table = {0: (0, ())}
    for i in range(n):
        score, words = table[i]
        table[i + 1] = (score + x.sum().item(), (*words, i))
    return table


@case(inputs=COUNTED)
def columns_of_any_size(x, n):
    """Tensors in tuples that are longer each time"""
    found = [(x, 0)]
    for i in range(n):
        last, _ = found[-1]
        found.append((torch.cat([last, x], 1), i))
    return [each.sum().item() for each, _ in found]


@case(inputs=COUNTED)
def put_together(x, n):
    """``+`` and ``extend`` of lists of other numbers"""
    scores = [x.sum().item()]
    steps = []
    for i in range(n):
        steps.append(i)
    both = steps + scores
    either = []
    either.extend(steps)
    either.extend(scores)
    return both, either, [*steps, *scores]


class _Beam:
    """One beam, and whether what it has seen is simplified."""

    def __init__(self):
        self.total = 0
        self.simple = True
        self.labels = ()


class _Beams:
    """Beams by what they have seen."""

    def __init__(self):
        self.entries = {}

    def best(self):
        beams = sorted(self.entries.values(), key=lambda beam: beam.total, reverse=True)
        return [beam.labels for beam in beams][:3]


def _simplified(labels):
    found = np.array(labels)  # <- refused  # never
    return tuple(found[np.where(np.roll(found, 1) != found)[0]])  # never


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL059")
def refused_on_a_path_of_each_turn(x):
    """A loop refused on one of its paths, tried rolled after some turns and refused there, too"""
    rows = x.numpy()
    last = _Beams()
    last.entries[()] = _Beam()
    last.entries[()].total = 1
    for t in range(4):
        now = _Beams()
        for labels in last.best():
            before = labels
            if not last.entries[labels].simple:  # known
                labels = _simplified(labels)  # never
            if labels not in now.entries:
                now.entries[labels] = _Beam()
            now.entries[labels].labels = labels
            now.entries[labels].total += last.entries[before].total
            for c in np.where(rows[t % 2] >= 0.1)[0]:
                longer = (*labels, c)
                if longer not in now.entries:
                    now.entries[longer] = _Beam()
                now.entries[longer].labels = longer
                now.entries[longer].total += rows[t % 2, c] * last.entries[before].total
        last = now
    return last.best()[0]
