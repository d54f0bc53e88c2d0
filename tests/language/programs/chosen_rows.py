"""``table[i][j]`` with a row chosen at run time: looked up where it is only looked into."""

import torch
from torch import nn

from tests.language.harness import case

MATRIX = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.0, -0.5], [-2.0, 3.0, 1.0]])
OTHER = -MATRIX.T.contiguous()


@case(inputs=[(MATRIX, 0), (MATRIX, 2), (OTHER, 1), (OTHER, -3)])
def numbers_of_a_row(x, i):
    """Numbers of a row chosen at run time, by known and by run-time places"""
    table = x.tolist()
    j = (i + 1) % 3
    return table[i][0] + table[j][-1], table[i][j], table[j][i], x[i]


@case(inputs=[(MATRIX, 0), (MATRIX, 3), (OTHER, -3), (OTHER, -4)])
def rows_that_are_not_there(x, i):
    """A row, and a number, that is not there raises as in Python"""
    table = x.tolist()
    try:
        first = table[i - 1][1]
    except IndexError as error:
        return str(error), x
    try:
        return table[0][i], first, x
    except IndexError as error:
        return str(error), first, x


@case(inputs=[(MATRIX, 0), (MATRIX, 2), (OTHER, 1)])
def rows_that_change(x, i):
    """Rows are looked up as they are at that place: before and after they change"""
    table = x.tolist()
    before = table[i][0], table[2][i]
    table[i][0] += 1.0
    table[2][1] = table[i][0] + table[0][i]
    table[1] = table[0]
    table[0][2] = table[i][2] * 2
    return before, table, table[i][2], table[1][i]


@case(inputs=[(MATRIX, 0), (MATRIX, 2), (OTHER, 1)])
def rows_by_elements_of_tensors(x, i):
    """A place may be an element of a tensor; a float is none"""
    table = x.tolist()
    best = x.argmax(1)
    path = [i]
    for row in range(3):
        path.append(int(best[path[-1]]))
    try:
        wrong = table[x[0, 0]][1]
    except TypeError as error:
        wrong = type(error).__name__
    return path, table[best[i]][i], wrong


@case(inputs=[(MATRIX, 0), (MATRIX, 2), (OTHER, 1), (OTHER, 3)])
def rows_of_several_lengths(x, i):
    """Rows of several lengths, and rows with other things, get a path each"""
    a, b, c = x[0].tolist()
    ragged = [[a], [b, c], [c, b, a]]
    others = [[a, "a"], [b, "b"], [c, "c"]]
    try:
        return ragged[i][0], others[i][1], ragged[i][1], x
    except IndexError:
        return "none", x


@case(inputs=[(MATRIX, 0), (MATRIX, 1), (OTHER, -1), (OTHER, 2)])
def rows_of_known_numbers(x, i):
    """Known numbers are known on a path each: they may be sizes"""
    sizes = [[1, 2], [2, 3]]
    table = [[x[0, 0].item(), 0.0], [float("inf"), x[1, 0].item()]]
    try:
        return x[: sizes[i][0]], table[i][0], table[i][1]
    except IndexError as error:
        return str(error), x


@case(inputs=[(MATRIX, 0), (MATRIX, 2), (OTHER, 1)])
def effects_of_places(x, i):
    """What is between brackets is evaluated in Python's order, whatever it does"""
    table = x.tolist()
    seen = []

    def noted(place):
        seen.append(place)
        table[place % 3][0] = float(len(seen))
        return place

    return table[noted(i)][noted(0)], table[noted(i)][0], seen, table


@case(inputs=[(MATRIX, 0), (MATRIX, 2), (OTHER, 1)])
def rows_of_truths_and_integers(x, i):
    """Truths and integers of run time are looked up, too"""
    truths = (x > 0).tolist()
    counts = [[int(x[k].sum()), k + i] for k in range(3)]
    layers = "low" if truths[i][0] else "high"
    return layers, truths[i][i], counts[i][0] + counts[i][1], x * counts[i][1]


@case(inputs=[(MATRIX,), (OTHER,), (MATRIX * 0,), (MATRIX.flip(1),)])
def shortest_ways(weights):
    """Dijkstra's search over a matrix of weights: no path for each node that may be next"""
    table = weights.abs().tolist()
    distances = [0.0] + [float("inf")] * 2
    done = [False] * 3
    for _ in range(3):
        nearest = -1
        for node in range(3):
            if not done[node] and (nearest < 0 or distances[node] < distances[nearest]):
                nearest = node
        done[nearest] = True
        for node in range(3):
            if table[nearest][node] > 0:
                distances[node] = min(
                    distances[node], distances[nearest] + table[nearest][node]
                )
    return distances, torch.tensor(distances), done


@case(inputs=[(MATRIX, 0), (MATRIX, 2), (OTHER, 1), (OTHER, -4)])
class NumbersChosen(nn.Module):
    """Few numbers of run time are looked up, known ones chosen by a path each"""

    def forward(self, x, i):
        numbers = [x[0, 0].item(), x[1, 1].item(), x[2, 2].item()]
        lengths = [x.size(0), 2, 1]
        try:
            return numbers[i], x[: lengths[i]], (numbers[0], numbers[2])[i]
        except IndexError as error:
            return str(error), x
