"""Lists used as records, in containers of the host: ``[tokens, score, state]``."""

import copy
import heapq
import math

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise
from tests.language.programs.growing_hypotheses import Decoder

COUNTED = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1), (MIXED, 6)]
TABLES = [(torch.softmax(noise(3, 5, seed=seed), -1),) for seed in range(4)]
STATES = [(noise(1, 4, seed=seed) * 3,) for seed in range(5)]


@case(inputs=TABLES)
def beams_over_a_table(x, k=2):
    """Hypotheses are lists of a list and a number, sorted by the number"""
    sequences = [[list(), 0.0]]
    for row in x:
        candidates = list()
        for i in range(len(sequences)):
            sequence, score = sequences[i]
            for j in range(len(row)):
                candidates.append([sequence + [j], score - math.log(row[j].item())])
        ordered = sorted(candidates, key=lambda each: each[1])
        sequences = ordered[:k]
    return sequences


@case(inputs=STATES)
class BeamsWithStates(Decoder):
    """Hypotheses hold a state; the best is found by its score for each token"""

    def forward(self, x, beam=3):
        beams, done = [[[1], 0.0, x]], []
        for _ in range(4):
            grown = []
            for tokens, score, state in beams:
                if tokens[-1] == 2:
                    done.append([tokens, score])
                    continue
                scores, state = self.step(tokens[-1], state)
                values, words = scores.topk(beam)
                for each in range(beam):
                    both = [tokens + [words[each].item()], score + values[each].item()]
                    grown.append(both + [state])
            grown.sort(key=lambda each: each[1], reverse=True)
            beams = grown[:beam]
        done.extend([each[0], each[1]] for each in beams)
        best = max(done, key=lambda each: each[1] / len(each[0]))
        return best[0], best[1]


@case(inputs=COUNTED)
def written_items(x, n: int):
    """Items are replaced, read by places from the end, cut, copied, and counted"""
    rows = [["first", 0.5, []]]
    for i in range(n):
        row = ["word", float(i), [i]]
        row[1] = row[1] * 2
        rows.append(row)
    total = 0.0
    for row in rows:
        copied = row.copy()
        copied[-2] += 1.0
        row[2].append(len(row))
        name, *rest = row
        if name == "first":
            copied[0] = "changed"
            total += rest[0] + bool(row)
        total += copied[1] + len(copied[1:]) + len(row[2])
        total += 1.0 if copied[0] == "changed" else 0.0
    return total + x.sum(), rows


@case(inputs=COUNTED)
def one_list_by_two_names(x, n: int):
    """What is written through one name is read through the other"""
    best = [-1.0, [], x]
    history = []
    for i in range(n):
        history.append([float(i % 4), [i], x * i])
    for each in history:
        if each[0] > best[0]:
            best = each
    best[1].append(7)
    best[0] = 0.25
    return best[1], best[2], [each[0] for each in history]


@case(inputs=COUNTED)
def compared_and_ordered(x, n: int):
    """Lists of a number and a text are compared item by item, as by sorted() and a heap"""
    rows, heap = [], []
    for i in range(n):
        rows.append([i % 3, "abc"[i % 2], -i])
        heapq.heappush(heap, [float(-i), str(i)])
    rows.sort()
    first = heapq.heappop(heap) if heap else [0.5, "none"]
    same = bool(rows) and rows[0] == [0, "a", 0]
    return rows, first, same, x.sum() if same else x


@case(inputs=COUNTED)
def deep_copies(x, n: int):
    """A copy of a list of lists has lists of its own"""
    rows = []
    for i in range(n):
        rows.append([i, [i], x + i])
    kept = copy.deepcopy(rows)
    also = [list(row) for row in rows]
    for row in rows:
        row[1].append(9)
        row[0] = -1
    return kept, [[each[0], each[1]] for each in also], [row[0] for row in rows]


@case(inputs=COUNTED)
def out_of_range(x, n: int):
    """There is no third item"""
    rows = []
    for i in range(n):
        rows.append([i, "text"])
    for row in rows:
        if row[0] > 1:
            row[1] = "more"
            return row[2]
    return "none", x + 1


@case(inputs=COUNTED)
def none_or_something(x, n: int):
    """An item is None in some lists, and a tensor in others"""
    rows = [[0, None, "start"]]
    for i in range(n):
        rows.append([i, x * i if i % 2 else None, "next"])
    total = x
    for place, found, word in rows:
        if found is not None:
            total = total + found * place
        elif word == "start":
            total = total + 1
    return total


@case(inputs=COUNTED)
def in_dicts(x, n: int):
    """A dict of the host holds such lists, and what is in them changes"""
    table = {}
    for i in range(n):
        key = i % 2
        if key not in table:
            table[key] = [0, 0.0, [i]]
        entry = table[key]
        entry[0] += 1
        entry[1] += x[0, 0].item()
        entry[2].append(i)
    return table, len(table)


@case(inputs=[(POSITIVE, 0), (MIXED, 1)], refused="DYCL073")
def shortened(x, n: int):
    """Which item is deleted is known only at run time"""
    row = [1, "word", 2.5]
    del row[n]
    return row, x


@case(inputs=COUNTED, refused="DYCL073")
def pushed_onto(x, n: int):
    """A list used as a record is no heap"""
    rows = []
    for i in range(n):
        rows.append([i, "word"])
    for row in rows:
        heapq.heappush(row, x)
    return len(rows)


@case(inputs=COUNTED)
def tuples_of_two_kinds(x, n: int):
    """A tuple that grew and one of known length are no mixture: the list may get more of them"""
    grown = (1,)
    for i in range(n):
        grown += (i,)
    pairs = [(1, 2, 3), grown]
    kept = []
    for _ in range(n):
        kept.append(pairs)
    pairs.append(grown)
    return len(kept), pairs, x
