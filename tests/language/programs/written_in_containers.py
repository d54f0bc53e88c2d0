"""Tensors in containers known only at run time that are written: whoever holds them sees it."""

from collections import defaultdict

import torch
from torch import nn

from tests.language.harness import case

X = torch.tensor([1.0, 2.0, 1.0, 0.0, 4.0, 5.0])
COUNTS = [(X, 3), (X * 2, 4), (X, 0), (X, 1)]
SOME = [(X, 3), (X * 2, 4), (X, 1)]


@case(inputs=COUNTS)
def elements_of_rows(x, n):
    """An element of each of several rows is set, and added to."""
    rows = [x * i for i in range(n)]
    k = 0
    while k < n:
        rows[k][1] = 5.0
        rows[k][k % 6] += x[k]
        k += 1
    return rows


@case(inputs=COUNTS)
def sums_by_key(x, n):
    """A dict of sums by keys of run time: made where it is missing, added to in place."""
    sums = {}
    for i in range(n):
        key = int(x[i])
        if key not in sums:
            sums[key] = torch.zeros(3)
        sums[key] += x[:3]
        sums[key][0] *= 2
    return [sums[key] for key in sorted(sums)]


class Hypothesis:
    def __init__(self, score, scores):
        self.score = score
        self.scores = scores


@case(inputs=COUNTS)
def scores_of_hypotheses(x, n):
    """Fields of objects, and of dicts within them, are added to."""
    beam = [Hypothesis(x[i] + 1, {"ctc": x[i] * 2, "lm": x[i] - 1}) for i in range(n)]
    for hypothesis in beam:
        hypothesis.score += x[0]
        hypothesis.scores["ctc"] += hypothesis.score
    return [(h.score, h.scores["ctc"], h.scores["lm"]) for h in beam]


@case(inputs=SOME)
def by_its_own_name_afterwards(x, n):
    """What was put into a list is written by its own name, and by the list's."""
    rows = [x * 1]
    for i in range(n):
        row = x * i
        rows.append(row)
        row[0] = 7.0
        rows[-1][1] = 8.0
        row += row[1].clone()
    return rows, rows[0].sum()


@case(inputs=SOME)
def one_tensor_in_two_lists(x, n):
    """One tensor is in two lists: a write by one shows in the other."""
    left, right = [], []
    for i in range(n):
        row = x * i
        left.append(row)
        right.append(row)
    for i in range(n):
        left[i][0] += 1
        right[n - 1 - i][1] += left[i][0]
    return [a + b for a, b in zip(left, right, strict=True)], left


@case(inputs=SOME)
def one_tensor_twice_in_a_list(x, n):
    """Two elements are one tensor, which run time knows only."""
    rows = [x * i for i in range(n + 1)]
    rows.append(rows[n // 2])
    first, last = rows[0], rows[-1]
    first[0] = 3.0
    rows[n // 2][1] = last[0] + first[0]
    last += first
    return first, last, rows


@case(inputs=SOME)
def read_before_written_after(x, n):
    """A number, a copy and the tensor that were read before another element is written."""
    rows = [x * (i + 1) for i in range(n)]
    row, copy, number = rows[0], rows[0].clone(), float(rows[0][1])
    rows[n - 1][1] = -1.0
    return row, copy, number, row.sum()


@case(inputs=SOME)
def parts_read_before(x, n):
    """Parts of an element that were read before the element is written, by whatever name."""
    rows = [x * (i + 1) for i in range(n)]
    part, table = rows[0][2:4], rows[0].view(2, 3)
    rows[n - 1][2] = -1.0
    part += 1
    return part, table, rows


@case(inputs=SOME, refused="DYCL035")
def turned_before(x, n):
    """A turned view of an element cannot be taken anew when an element is written."""
    rows = [x * (i + 1) for i in range(n)]
    turned = rows[0].view(2, 3).t()
    rows[n - 1][2] = -1.0  # <- refused
    return turned, rows


@case(inputs=SOME)
def written_through_parts(x, n):
    """A part of an element is written."""
    rows = [x.view(2, 3) * (i + 1) for i in range(n)]
    for row in rows:
        row[0].add_(1)
        row[:, 1] = 9.0
        row.view(-1)[2:4].mul_(2)
    return rows


@case(inputs=SOME)
def tuples_of_tensors(x, n):
    """Tensors in tuples of a list, beside numbers, and in a dict's tuples."""
    states = [(x * i, i, x + i) for i in range(n)]
    table = {i: (state[2], state[0]) for i, state in enumerate(states)}
    for i in range(n):
        state, number, other = states[i]
        state[0] = float(number)
        table[i][0].sub_(state)
    return states, other


@case(inputs=SOME)
def tensors_that_may_be_none(x, n):
    """What may be None, or a tensor that is written."""
    rows = [None for _ in range(n)]
    for i in range(n):
        if float(x[i]) > 1:
            rows[i] = x * i
    for row in rows:
        if row is not None:
            row[0] -= 1
    return rows


@case(inputs=SOME)
def written_in_a_function(x, n):
    """A function writes what it is handed, and what it finds in a list."""

    def add(row, by):
        row += by
        return row

    rows = [x * i for i in range(n)]
    for i, row in enumerate(rows):
        add(row, x[0])
        add(rows[n - 1], float(i))
    return rows


def _spread(rows, k, row):
    if k <= 0:
        return row.sum()
    rows[k % len(rows)][0] += 1.0
    return _spread(rows, k - 1, row) + row[0]


@case(inputs=SOME)
def written_in_recursion(x, n):
    """A recursive function writes the elements of a list, of which its caller has one."""
    rows = [x * i for i in range(n)]
    last = rows[-1]
    total = _spread(rows, n + 2, rows[0])
    return total, last, rows


@case(inputs=SOME)
def carried_around_a_loop(x, n):
    """The best so far is an element of the list that the loop writes to."""
    rows = [x * i for i in range(n)]
    best = rows[0]
    for i in range(n):
        rows[i][0] += x[i]
        if float(rows[i].sum()) > float(best.sum()):
            best = rows[i]
        rows[n - 1][1] += 1.0
    return best, best.sum(), rows


@case(inputs=SOME, refused="DYCL062")
def parts_carried_around_a_loop(x, n):
    """A part of an element is carried around the loop that writes the elements."""
    rows = [x * (i + 1) for i in range(n)]
    part = rows[0][:2]
    for i in range(n):  # <- refused
        rows[i][0] += 1.0
        if float(rows[i].sum()) > 15:
            part = rows[i][2:4]
    return part, rows


@case(inputs=SOME)
def lists_made_of_lists(x, n):
    """Copies of lists hold the same tensors, deep copies others; slices, sums and sorted lists."""
    rows = [x * (n - i) for i in range(n)]
    again, some, more = list(rows), rows[1:], rows + [x * 9]  # noqa: RUF005
    ordered = sorted(rows, key=lambda row: float(row.sum()))
    for row in ordered:
        row[0] = 1.0
    more[-1][1] = 2.0
    more[0][2] = 3.0
    return rows, again, some, more, torch.stack(ordered), torch.cat(rows)


@case(inputs=SOME)
def stacked_between(x, n):
    """A tensor of all elements, made between two writes."""
    rows = [x * i for i in range(n)]
    rows[0][0] = 1.0
    whole = torch.stack(rows)
    rows[-1][0] = 2.0
    return whole, torch.stack(rows)


@case(inputs=SOME)
def after_an_error(x, n):
    """What was written before an error is there when it is caught."""
    rows = [x * i for i in range(n)]
    try:
        for i in range(n + 1):
            rows[i][0] = 5.0
    except IndexError:
        rows[0][1] = 6.0
    return rows


@case(inputs=SOME)
def popped_and_inserted(x, n):
    """Elements that leave a list, and go into another one."""
    rows = [x * i for i in range(n + 1)]
    done = []
    while rows:
        row = rows.pop()
        row[0] += float(len(rows))
        done.insert(0, row)
        done[-1][1] += 1.0
    return done


@case(inputs=SOME)
def clones_are_others(x, n):
    """A clone of an element, and what is computed of it, stay as they are."""
    rows = [torch.zeros(6) for _ in range(n)]
    others = [row.clone() for row in rows]
    for i in range(n):
        rows[i] += x
        others[i][0] = rows[i][0] * 2
        rows[i][0] = 0.0
    return rows, others


@case(inputs=SOME)
def the_same_before_a_list(x, n):
    """A tensor with two names is put into a list, and written by both."""
    row = x * 2
    same = row
    rows = [row]
    while len(rows) < n:
        rows.append(x * len(rows))
    same[0] = 4.0
    rows[0][1] = 5.0
    return row, same, rows


@case(inputs=SOME, refused="DYCL034")
def parts_of_an_argument(x, n):
    """Elements are parts of an argument, which would be written."""
    rows = [x[i] for i in range(n)]  # <- refused
    for row in rows:
        row += 1
    return rows


@case(inputs=SOME, refused="DYCL034")
def parts_of_a_tensor(x, n):
    """Elements are parts of one tensor that lives on."""
    whole = x.view(2, 3) * 2
    rows = []
    for i in range(n):
        rows.append(whole[i % 2])  # <- refused
    rows[0][0] = 1.0
    return rows, whole


@case(inputs=SOME, refused="DYCL035")
def read_as_an_array(x, n):
    """An array of numpy's shares the memory of an element that is written."""
    rows = [x * i for i in range(n)]
    array = rows[0].numpy()  # <- refused
    rows[-1][0] = 3.0
    return array.sum(), rows


@case(inputs=SOME, refused="DYCL035")
def written_in_a_traced_branch(x, n):
    """A branch of torch.cond writes an element, for which PyTorch raises."""
    rows = [x * i for i in range(n)]

    def add(y):
        rows[0].add_(y)  # <- refused # never
        return y + 1  # never

    return torch.cond(x.sum() > 5, add, lambda y: y * 2, (x,)), rows


@case(inputs=SOME)
def one_tensor_for_all(x, n):
    """One tensor is put into a list again and again."""
    row = x * 2
    rows = []
    for _ in range(n):
        rows.append(row)
    rows[0][0] = 1.0
    rows[-1] += 1.0
    return rows, row


@case(inputs=SOME)
def put_behind_a_list(x, n):
    """What is added to a list, and repeated, has a name, and is written by all of them."""
    rows = [x * i for i in range(n)]
    other = x * 9
    more = rows + [other]  # noqa: RUF005
    more[-1][1] = 2.0
    other[0] = 3.0
    twice = [x * 5] * n
    twice[0][0] = 1.0
    both = twice + more
    both[-1] -= 1.0
    return other, more, rows, twice, both


@case(inputs=SOME)
def defaults_of_a_dict(x, n):
    """A defaultdict makes what is missing, which is added to; setdefault and get."""
    sums = defaultdict(lambda: torch.zeros(6))
    last = {}
    for i in range(n):
        sums[int(x[i])] += x
        last.setdefault(int(x[i]), torch.ones(6))[0] += float(i)
    for key in sorted(last):
        last.get(key).mul_(2)
        sums[key][1] = 0.5
    return [(sums[key], last[key]) for key in sorted(last)]


@case(inputs=SOME)
def methods_that_write(x, n):
    """Methods with an underscore, by masks, places and other tensors."""
    rows = [x * i - 2 for i in range(n)]
    place = torch.tensor([0, 2])
    for row in rows:
        row.masked_fill_(row < 0, 0.5)
        row.index_add_(0, place, x[:2])
        row[row > 4] = 4.0
        row.copy_(row.flip(0)).clamp_(max=3.0)
        row[place] = rows[0][place] + 1
    return rows


@case(inputs=SOME)
def known_lists_of_lists(x, n):
    """Lists of known length hold lists of run time, and one tensor is in two of them."""
    lanes = [[x * 1], [x * 2]]
    for i in range(n):
        step = x * i
        lanes[0].append(step)
        if i % 2:
            lanes[1].append(step)
    for lane in lanes:
        for row in lane:
            row[0] += 1.0
    return lanes


@case(inputs=SOME)
def given_back_by_a_function(x, n):
    """A function gives an element, or a new tensor; the element stays the list's."""
    rows = [x * i for i in range(n)]

    def pick(i):
        return rows[i] if i < n - 1 else x * 7

    for i in range(n):
        picked = pick(i)
        picked[0] = 9.0
    return rows, picked


@case(inputs=SOME)
def swapped_rows(x, n):
    """Two elements trade places, and are written before and after."""
    rows = [x * i for i in range(n)]
    rows[0][0] = 1.0
    rows[0], rows[-1] = rows[-1], rows[0]
    rows[0][0] = 2.0
    rows[-1][1] = 3.0
    return rows


@case(inputs=SOME, refused="DYCL034")
class ElementsAreParameters(nn.Module):
    """Elements are a parameter, which would be written."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(6))

    def forward(self, x, n):
        rows = []
        for _ in range(n):
            rows.append(self.weight)  # <- refused
        rows[-1][0] = 2.0
        return rows


@case(inputs=SOME)
def read_where_it_may_be_written(x, n):
    """A write into one element reads another, which may be the same, at its places or beside them."""
    rows = [x * i for i in range(n + 1)]
    rows.append(rows[n // 2])
    rows[0][1:] += rows[-1][1:]
    rows[n // 2][0] = rows[-1][1]
    rows[0].view(2, 3)[:, 0] = rows[-1].view(2, 3)[:, 1]
    return rows


@case(inputs=SOME, refused="DYCL075")
def read_beside_where_it_is_written(x, n):
    """Part of an element is another part of it, where both are one tensor: PyTorch raises there."""
    rows = [x * i for i in range(n + 1)]
    rows.append(rows[n // 2])
    rows[0][1:] = rows[-1][:-1]  # <- refused
    return rows


@case(inputs=SOME, refused="DYCL075")
def added_at_places_of_itself(x, n):
    """An element is added to another at index tensors, which PyTorch raises for one tensor."""
    rows = [x * i for i in range(n + 1)]
    rows.append(rows[n // 2])
    rows[0].index_add_(0, torch.arange(6), rows[-1])  # <- refused
    return rows
