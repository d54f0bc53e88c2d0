"""Heaps and queues of objects and of pairs with objects in them"""

import heapq
import queue
from dataclasses import dataclass, field
from queue import PriorityQueue

import torch
from torch import nn

from tests.language.harness import case, counted, noise




SCORES = [
    counted(3.0, -1.0, 2.0, 2.0, 0.5),
    counted(1.0),
    counted(),
    counted(5.0, 4.0, 3.0, 2.0),
    counted(0.0, 0.0, 0.0, 0.0),
]


class Node:
    """A hypothesis, ordered by its score."""

    def __init__(self, score, tokens):
        self.score = score
        self.tokens = tokens

    def __lt__(self, other):
        return self.score < other.score


@case(inputs=SCORES)
def heap_of_objects(x, n):
    """heappush and heappop give objects in the order of ``__lt__``."""
    heap, out = [], []
    for place in range(n):
        score = x[place].item()
        heapq.heappush(heap, Node(score, [place]))
    while heap:
        node = heapq.heappop(heap)
        node.tokens.append(len(heap))
        out.append(node.tokens)
    return out


@case(inputs=SCORES)
def heap_of_pairs(x, n):
    """Pairs of equal scores are ordered by the object."""
    heap, out = [], []
    for place in range(n):
        score = x[place].item()
        heapq.heappush(heap, (round(score) % 2, Node(-place, [place])))
    while len(heap) > 0:
        parity, node = heapq.heappop(heap)
        out.append((parity, node.tokens))
    return out


@case(inputs=SCORES, slow=True)
def other_functions(x, n):
    """heapify, heappushpop, heapreplace, nlargest and nsmallest."""
    heap = [Node(x[place].item(), place) for place in range(n)]
    heapq.heapify(heap)
    out = heapq.heappushpop(heap, Node(1.5, 50)).tokens
    last = -1
    if heap:
        last = heapq.heapreplace(heap, Node(2.5, 60)).tokens
    best = [n.tokens for n in heapq.nlargest(2, heap)]
    worst = [n.tokens for n in heapq.nsmallest(2, heap)]
    return out, last, [n.tokens for n in heap], best, worst


@case(inputs=[counted(1.0), counted()])
def empty_heap(x, n):
    """What is taken out of an empty heap raises."""
    heap = []
    for place in range(n):
        heapq.heappush(heap, Node(place, 1))
    return heapq.heappop(heap).tokens


@case(inputs=SCORES)
def priority_queue(x, n):
    """PriorityQueue gives the smallest, and tells how many there are."""
    waiting = PriorityQueue()
    for place in range(n):
        score = x[place].item()
        waiting.put((-score, Node(score, [place])))
    size = waiting.qsize()
    out = []
    while not waiting.empty():
        score, node = waiting.get()
        out.append((score, node.tokens))
    return size, out, isinstance(waiting, queue.Queue)


@case(inputs=[counted(3, 1, 2), counted()])
def other_queues(x, n):
    """Queue gives the first, LifoQueue the last; both raise where nothing waits."""
    first, last = queue.Queue(), queue.LifoQueue(maxsize=2)
    for place in range(n):
        number = int(x[place])
        first.put(number)
        if not last.full():
            last.put_nowait(number)
    out = []
    while not first.empty():
        out.append(first.get())
        first.task_done()
    first.join()
    try:
        out.append(last.get_nowait())
        out.append(last.get(block=False))
    except queue.Empty:
        out.append(-1)
    return out


@dataclass(order=True)
class Prioritised:
    """What the documentation of queue shows."""

    priority: float
    item: list = field(compare=False)


@case(inputs=[counted(3.0, 1.0, 2.0), counted(1.0, 1.0)])
def prioritised_items(x, n):
    """A dataclass that is ordered by its priority alone."""
    waiting = queue.PriorityQueue()
    for place in range(n):
        priority = x[place].item()
        waiting.put(Prioritised(priority, [place]))
    out = []
    while waiting.qsize():
        out.append(waiting.get().item)
    return out


class Best:
    """A state of the search."""

    def __init__(self, hidden, tokens, score):
        self.hidden = hidden
        self.tokens = tokens
        self.score = score

    def __lt__(self, other):
        return self.score / len(self.tokens) > other.score / len(other.tokens)


@case(inputs=[(noise(1, 4), 3, 9, 0), (noise(1, 4), 9, 2, 0), (noise(1, 4), 9, 9, 2), (noise(1, 4), 9, 9, 3)])
class BestFirst(nn.Module):
    """A decoder that goes on with the best hypothesis until it ends."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 4)
        self.cell = nn.GRUCell(4, 4)
        self.out = nn.Linear(4, 5)

    def forward(self, hidden, limit, most, end):
        heap = [Best(hidden, [1], 0.0)]
        steps = 0
        best = None
        while steps < limit:
            best = heapq.heappop(heap)
            if best.tokens[-1] == end or len(best.tokens) > most:
                break
            hidden = self.cell(self.embedding(torch.tensor([best.tokens[-1]])), best.hidden)
            values, places = torch.log_softmax(self.out(hidden), -1).topk(2)
            for value, place in zip(values[0].tolist(), places[0].tolist()):
                heapq.heappush(heap, Best(hidden, best.tokens + [place], best.score + value))
            steps += 1
        return best.tokens, best.hidden, steps


class Hyp:
    """A hypothesis of a summariser."""

    def __init__(self, tokens, score, state):
        self.tokens, self.score, self.state = tokens, score, state

    @property
    def avg(self):
        return self.score / len(self.tokens)

    def extend(self, t, s, st):
        return Hyp(self.tokens + [t], self.score + s, st)

    def __lt__(self, other):
        return self.avg < other.avg



@case(inputs=[(noise(1, 4),), (noise(1, 4, seed=2),)], slow=True)
class Beam(nn.Module):
    """A beam of hypotheses, sorted by their average score; finished ones are set apart."""
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(6, 4)
        self.cell = nn.GRUCell(4, 4)
        self.out = nn.Linear(4, 6)
    def forward(self, h):
        beams = [Hyp([1], 0.0, h)]
        done = []
        step = 0
        while step < 6 and len(done) < 2:
            new = []
            for b in beams:
                hn = self.cell(self.emb(torch.tensor([b.tokens[-1]])), b.state)
                lp, ix = torch.log_softmax(self.out(hn), -1).topk(2)
                for k in range(2):
                    new.append(b.extend(ix[0, k].item(), lp[0, k].item(), hn))
            beams = []
            for b in sorted(new, reverse=True):
                if b.tokens[-1] == 0:
                    done.append(b)
                else:
                    beams.append(b)
                if len(beams) == 2 or len(done) == 2:
                    break
            step += 1
        if len(done) == 0:
            done = beams
        best = max(done)
        return best.tokens, best.avg, best.state, [d.tokens for d in sorted(done, key=lambda d: d.avg)]


@case(inputs=[counted(3, 1, 2), counted(1), counted(2, 2, 1, 0)], slow=True)
def mutated_in_heap(x, n):
    """What is in a heap is changed under another name."""
    heap = []
    last = None
    for i in range(n):
        node = Node(x[i].item(), 0)
        heapq.heappush(heap, (1, node))
        node.score += 0.5
        if last is not None:
            last.score = -node.score
        last = node
    out = []
    while heap:
        out.append(heapq.heappop(heap)[1].score)
    return out


@case(inputs=[(5,), (0,), (1,)], slow=True)
def two_calls(n):
    """Two queues, filled by a function and emptied in turn."""
    def fill(q, n):
        for i in range(n):
            q.put((i % 2, Node(-i, 0)))
        return q
    a, b = fill(queue.PriorityQueue(), n), fill(queue.PriorityQueue(), n + 1)
    out = []
    while not a.empty() and not b.empty():
        p, z = a.get()
        r, w = b.get_nowait()
        out.append((p, z.score, r, w.score))
    return out, a.qsize(), b.qsize()


@case(inputs=[(noise(3, 3, seed=k), k % 3) for k in range(6)])
def beam_that_may_die(x, start: int):
    """Where all hypotheses have ended there is nothing to choose among"""
    beams, done = [(0.0, [start])], []
    for _ in range(3):
        grown = []
        for score, tokens in beams:
            if tokens[-1] == 2:
                done.append((score, tokens))
                continue
            best, places = x[tokens[-1]].topk(2)
            for value, place in zip(best.tolist(), places.tolist()):
                grown.append((score - value, tokens + [place]))
        beams = heapq.nsmallest(2, grown)
    done.extend(beams)
    return min(done), heapq.nlargest(start, []), heapq.nsmallest(2, [], key=len)
