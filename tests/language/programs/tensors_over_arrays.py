"""Writes to numpy arrays whose memory arguments or tensors share, and what tensors see of them."""

import numpy as np
import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS, refused="DYCL034")
def memory_of_an_argument(x):
    """The array of an argument's elements has the argument's memory."""
    table = np.asarray(x.numpy()).reshape(-1)[2:]
    table.sort()  # <- refused
    return x  # never


@case(inputs=ROWS, refused="DYCL034")
def memory_of_a_tensor(x):
    """That of another tensor has the tensor's; `ravel` copies, or does not."""
    y = x * 2
    table = np.ravel(y.numpy())
    np.negative(table, table)  # <- refused
    return y  # never


@case(inputs=ROWS, refused="DYCL035")
def tensor_over_it(x):
    """A tensor lies over the memory that is written."""
    table = x[0].numpy().copy()
    over = torch.from_numpy(table[1:])
    table += 1  # <- refused
    return over  # never


@case(inputs=ROWS, refused="DYCL035")
def tensor_over_it_in_a_loop(x):
    """It was made in an earlier iteration."""
    table, found, step = x[0].numpy().copy(), [], 0
    while step < x.sum():
        table[0] += 1
        found.append(torch.from_numpy(table))  # <- refused
        step += 1
    return found  # never


@case(inputs=ROWS)
def written_in_a_run_time_list(x):
    """The arrays of a list of run time are written."""
    rows = []
    while len(rows) < x.sum():
        rows.append(np.zeros(2))
    for row in rows:
        row[1] = 5
    return rows


@case(inputs=ROWS)
def walked_where_a_list_holds_it(x):
    """A list of run time holds the array that is written."""
    table, rows, seen = np.zeros(3), [], []
    while len(rows) < x.sum() + 5:
        rows.append(table)
    for value in rows[0]:
        table += 1
        seen.append(value)
    return seen


@case(inputs=ROWS, refused="DYCL035")
def tensor_over_it_by_a_list(x):
    """A tensor is made of what a list of run time holds."""
    table, rows = np.zeros(2), []
    while len(rows) < x.sum() + 5:
        rows.append(table)
    over = torch.from_numpy(rows[0])
    table[0] = 5  # <- refused
    return over  # never


def laid_over(table, x):
    """Return a tensor over an array, after tests that make this a function of its own."""
    for column in range(3):
        for row in range(2):
            if x[row, column] > 0:
                x = x + row
            if x[row, column] > 2:
                x = x - column
    return torch.from_numpy(table), x


@case(inputs=ROWS, refused="DYCL035")
def tensor_over_it_by_a_function(x):
    """A function that is called again and again makes the tensor."""
    one, other = np.zeros(3), np.ones(3)
    first, x = laid_over(one, x)
    second, x = laid_over(other, x)
    third, x = laid_over(other, x)
    other[1] = 5  # <- refused
    return first, second, third, x  # never


@case(inputs=ROWS)
def copied_row_by_row(x):
    """What lies in memory as in the original is written: a copy of a turned tensor does."""
    turned, column = x.T.numpy().copy(), x[:, 0].numpy() + 1
    turned.ravel()[0] = 5
    column[0] = 3
    grid = np.zeros((2, 3))
    grid.T.ravel("F")[1] = x.sum().item()
    grid.T.ravel()[0] = 7
    return turned, column, grid


@case(inputs=ROWS, refused="DYCL034")
def laid_as_a_turned_tensor(x):
    """What lies as a turned tensor does in the original is another array on the host."""
    turned = np.copy(x.T.numpy())
    turned.ravel()[0] = 5  # <- refused
    return turned  # never


@case(inputs=ROWS, refused="DYCL035")
def tensor_over_its_columns(x):
    """`ravel` by columns copies an array, but not a turned one."""
    table = np.zeros((2, 3))
    over = torch.from_numpy(table.T.ravel("F"))
    table[0, 0] = x.sum().item()  # <- refused
    return over  # never


IMAGES = [(np.arange(24, dtype=np.float64).reshape(2, 4, 3) * scale,) for scale in (0.5, -1.0)]


@case(inputs=IMAGES)
def laid_as_the_array(image):
    """A tensor of an array that was turned lies in memory as the array does."""
    turned = image.transpose(2, 0, 1) / 255.0
    over, copied = torch.from_numpy(turned), torch.tensor(turned)
    narrow, flat = torch.FloatTensor(turned), torch.from_numpy(np.ascontiguousarray(turned))
    layouts = over.stride(), copied.is_contiguous(), narrow.stride(), flat.is_contiguous()
    part = torch.from_numpy(image[:, ::2])
    return layouts, part.stride(), part.is_contiguous(), narrow + 1, over.view(3, 8)


@case(inputs=IMAGES)
def turned_and_viewed(image):
    """There is no view of a tensor of an array that was turned, as one row."""
    turned = torch.from_numpy(image.T)
    try:
        return turned.view(-1)
    except RuntimeError:
        return turned.reshape(-1)


@case(inputs=ROWS)
def chosen_rows_lie_by_rows(x):
    """What is chosen of an array is a new one, which lies by rows."""
    table = x.numpy() * 2
    chosen = torch.from_numpy(table[table[:, 0] > 0])
    return chosen.is_contiguous(), chosen.view(-1)


@case(inputs=ROWS, refused="DYCL042")
def turned_by_torch(x):
    """The host does not know of turning by torch: how its array lies is not certain."""
    table = torch.from_numpy(x.T.numpy() * 2)
    return table.stride()  # <- refused
