"""Arrays of numpy in containers known only at run time that are written: tables, sums by key."""

import numpy
import torch

from tests.language.harness import case

X = torch.tensor([1.0, 2.0, 1.0, 0.0, 4.0, 5.0])
SOME = [(X, 3), (X * 2, 4), (X, 1)]


@case(inputs=[*SOME, (X, 0)])
def rows_of_a_table(x, n):
    """Elements of arrays in a list are set, and the arrays added to."""
    rows = [numpy.zeros(4) for _ in range(n)]
    for i in range(n):
        rows[i][1] = float(x[i])
        rows[i] += 1
        rows[0][2] -= float(i)
    return rows, sum(row.sum() for row in rows)


@case(inputs=SOME)
def sums_by_key(x, n):
    """A dict of arrays by keys of run time."""
    counts = {}
    for i in range(n):
        key = int(x[i])
        if key not in counts:
            counts[key] = numpy.zeros(3, dtype=numpy.int64)
        counts[key][i % 3] += 1
    return [counts[key] for key in sorted(counts)]


@case(inputs=SOME)
def one_array_in_two_places(x, n):
    """One array is in a list twice, and in another one: writes show in all, and in views."""
    rows = [numpy.arange(4.0) * float(x[i]) for i in range(n)]
    rows.append(rows[n // 2])
    others = [row[1:] for row in rows]
    rows[-1][1] = 7.0
    others[0][0] += 0.5
    rows[0].fill(2.0)
    return rows, others


@case(inputs=SOME)
def by_its_own_name(x, n):
    """What was put into a list is written by its own name, before and after."""
    rows = []
    for i in range(n):
        row = numpy.ones(3) * float(x[i])
        row[0] = 5.0
        rows.append(row)
        row[1] = 6.0
        rows[-1][2] = row[1] + 1
    return rows, row


@case(inputs=SOME)
def tensors_of_the_end(x, n):
    """Tensors that are copies of arrays, between writes."""
    rows = [numpy.zeros(6, dtype=numpy.float32) for _ in range(n)]
    rows[0][0] = 1.0
    before = torch.tensor(rows[0]) + x
    rows[0][0] = 2.0
    return before, torch.tensor(rows[0]) * x


@case(inputs=SOME)
def rows_of_one_matrix(x, n):
    """Rows of a matrix are in a list: both see what is written into the other."""
    matrix = numpy.zeros((4, 3))
    rows = [matrix[i] for i in range(n)]
    rows[0][1] = float(x[0])
    matrix[0, 2] = 5.0
    rows[-1] *= 2
    return matrix, rows


@case(inputs=SOME, refused="DYCL034")
def arrays_of_a_tensor(x, n):
    """Arrays over the memory of tensors, which would be written."""
    rows = [(x * i).numpy() for i in range(n)]  # <- refused
    rows[0][0] = 3.0
    return rows


@case(inputs=SOME, refused="DYCL035")
def tensors_over_arrays(x, n):
    """A tensor lies over the memory of an array that is written afterwards."""
    rows = [numpy.zeros(6, dtype=numpy.float32) for _ in range(n)]
    rows[0][1] = 1.0
    whole = torch.from_numpy(rows[0])  # <- refused
    rows[-1][0] = 2.0
    return whole * x


@case(inputs=SOME, refused="DYCL034")
def a_tensor_over_what_is_put(x, n):
    """A tensor lies over an array that is put into a list, and written there."""
    rows = [numpy.zeros(6, dtype=numpy.float32) for _ in range(n)]
    row = numpy.ones(6, dtype=numpy.float32) * float(x[0])
    whole = torch.from_numpy(row)
    rows.append(row)  # <- refused
    rows[-1][0] = 2.0
    return whole * x, rows
