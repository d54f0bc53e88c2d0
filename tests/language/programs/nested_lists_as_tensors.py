"""torch.tensor of lists of run-time length: rows, lists of rows, tensors of one element."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

COUNTED = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1), (MIXED, 5), (POSITIVE, 2)]


@case(inputs=COUNTED, slow=True)
def rows_of_numbers(x, n):
    """Rows of integers, floats, truths and pairs: element type and shape, also of none"""
    integers, floats, truths, pairs = [], [], [], []
    for i in range(n):
        integers.append([i, i * 2])
        floats.append((x[i % 2] * i).tolist())
        truths.append([i > 1])
        pairs.append((i, i * 0.5, i > 2))
    made = [torch.tensor(rows) for rows in (integers, floats, truths, pairs)]
    boxes = [[i, i * 0.5, x.sum().item()] for i in range(n)]
    return made, torch.tensor(boxes, dtype=torch.float32), torch.as_tensor(truths, dtype=torch.long)


@case(inputs=COUNTED, slow=True)
def padded_rows(x, n):
    """Sequences of different lengths that were padded, and used to index"""
    sequences = [list(range(k + 1)) for k in range(n)]
    longest = max((len(s) for s in sequences), default=0)
    padded = torch.tensor([s + [0] * (longest - len(s)) for s in sequences], dtype=torch.long)
    return padded, (padded > 0).sum() + x.sum()


@case(inputs=[*COUNTED, (POSITIVE, 6)])
def ragged_rows(x, n):
    """Rows of different lengths raise, unless the first has no elements"""
    rows = []
    for i in range(n):
        rows.append(list(range(i if n < 6 else 1 + i // 5)))
    return torch.tensor(rows), x


@case(inputs=COUNTED, slow=True)
def lists_of_rows(x, n):
    """Lists of rows, also empty and ragged ones"""
    nested, empty, ragged = [], [], []
    for i in range(n):
        nested.append([[i, j] for j in range(n)])
        empty.append([[k for k in range(n - 1)] for _ in range(n - 3 if n > 3 else 2)])
        ragged.append([[k for k in range(2 + (i + j) % 5 // 4)] for j in range(2 + i // 4)])
    return x, torch.tensor(nested), torch.tensor(empty), torch.tensor(ragged)


@case(inputs=COUNTED, slow=True)
def changed_afterwards(x, n):
    """The tensor stays what it was when the rows change"""
    rows = []
    for i in range(n):
        rows.append([i, i])
    before = torch.tensor(rows)
    for row in rows:
        row.append(1)
    return before, torch.tensor(rows), x


@case(inputs=COUNTED)
def of_tensors(x, n):
    """Tensors without dimensions are the elements"""
    places, scores = [], []
    for i in range(n):
        places.append(x[i % 2].argmax())
        scores.append(x[i % 2].sum() * i)
    return torch.tensor(places), torch.tensor(scores), torch.tensor(places, dtype=torch.float32)


@case(inputs=COUNTED)
def integers_or_floats(x, n):
    """Whether there are floats among the integers says the input"""
    rows = []
    for i in range(n):
        rows.append([i, i * 0.5])
    return torch.tensor(rows), x


@case(inputs=[(torch.tensor(n),) for n in ([4, 2], [0, 3], [1, 0], [4, 4])])
def turned_in_part(lengths):
    """Rows that the call made, of which some were changed at places of run time: indices"""
    places = [list(range(4)) for _ in range(2)]
    for i, length in enumerate(lengths):
        if length > 0:
            places[i][:length] = places[i][length - 1 :: -1]
    return torch.LongTensor(places), torch.tensor(places) * 2


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 0), (MIXED, 1), (MIXED, 3)])
def rows_beside_known_ones(x, n):
    """One row is known, another of run time: the element type of all, and their lengths"""
    row = []
    for i in range(n):
        row.append(i)
    try:
        made = torch.tensor([row, [0.5, n]]), torch.tensor(([1, 2], row), dtype=torch.float32)
    except ValueError as error:
        return str(error), x
    return *made, torch.tensor([[True, False], row])


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 0), (MIXED, -7)])
def rows_of_several_known_lengths(x, n):
    """Rows of known lengths: raises where they differ, unless the first is empty"""
    row = [number for number in (n, n + 1) if number > -3]
    empty = torch.tensor([[], [n, 1.5]]), torch.tensor([(), row], dtype=torch.int32)
    try:
        return torch.tensor([[0.5, True], row]), torch.tensor([row, [n, -1]]), *empty, x
    except ValueError as error:
        return str(error), *empty


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 0)])
def tensors_that_ask_for_no_gradient(x, n):
    """`requires_grad=False` is what a tensor of numbers has anyway"""
    rows = [[i, n] for i in range(n)]
    numbers = torch.tensor([1.5, n], requires_grad=False), torch.tensor(n, requires_grad=False)
    return *numbers, torch.tensor(rows, dtype=torch.float32, requires_grad=False), x


@case(inputs=[*COUNTED, (POSITIVE, -2)])
def counted_numbers(x, n):
    """A range with an end known at run time is a tensor of integers, of floats where it is empty"""
    odd = torch.tensor(range(1, n, 2))
    return odd, torch.as_tensor(range(n), dtype=torch.int32) + 1, x * torch.tensor(range(n)).sum()


@case(inputs=COUNTED)
def rows_of_tensors(x, n):
    """Tensors without dimensions are the elements of rows, too: beginnings and ends"""
    places, spans = [], []
    for i in range(n):
        places.append([x[0, i % 2 :].argmax(), x.argmin()])
        spans.append((x[i % 2].min(), x[i % 2].max() * i))
    return torch.tensor(places), torch.FloatTensor(spans), torch.tensor(places, dtype=torch.float64)


@case(inputs=[*COUNTED, (POSITIVE, 9)])
def rows_of_some_tensors(x, n):
    """Rows of tensors that are not of one length raise, unless the first has no elements"""
    rows = []
    for i in range(n):
        row = []
        for j in range(n % 4 if i < 5 else 0):
            row.append(x[0, 0] * (i + j))
        rows.append(row)
    return torch.tensor(rows), x
