"""Rows and columns at integers of run time that operations in place write: ``row = y[i]; row += x``."""

import torch
from torch import nn
from torch.nn import functional as F

from tests.language.harness import case, noise

ROW = torch.tensor([1.0, 2.0, 3.0])
OTHER = torch.tensor([-1.0, -2.0, 3.0])
GRID = torch.arange(12.0).reshape(4, 3)
SQUARE = torch.arange(9.0).reshape(3, 3)
PLACES = [(ROW, 0), (OTHER, 1), (ROW, 0), (OTHER * 2, -1), (ROW, 2)]


class _Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", GRID.clone())
        self.weight = nn.Parameter(torch.ones(4, 3), requires_grad=False)
        self.place = 0


@case(inputs=PLACES)
class RingOfRows(_Kept):
    """The oldest row of a kept buffer is overwritten"""

    def forward(self, x, i):
        row = self.table[self.place]
        row.copy_(x)
        if x[0] > 0:
            row += i
        self.place = (self.place + 1) % 4
        return self.table.sum(0), self.place, row.clone()


@case(inputs=PLACES)
class RowsOfTheModel(_Kept):
    """Nothing else of the model need be written for a row of it to be kept"""

    def forward(self, x, i):
        self.table[i].add_(x)
        with torch.no_grad():
            self.weight[i] += x
        return self.table.sum(0), self.weight * 2


@case(inputs=PLACES)
class ColumnsAndParts(_Kept):
    """Columns, rows of rows, parts of rows, and what functions write"""

    def forward(self, x, i):
        self.table[:, i].mul_(2)
        self.table[1:3][i % 2].sub_(1)
        self.table[i, 1:].add_(x[1:])
        self.table.t()[i].add_(1)
        self.table.view(2, 2, 3)[i % 2][1].clamp_(max=5.0)
        F.relu(self.table[i], inplace=True)
        torch.mul(x, 2, out=self.table[(i + 1) % 4])
        self.table[i].data.fill_(x.sum().item())
        return self.table + 0


@case(inputs=PLACES)
class WrittenByFunctions(_Kept):
    """Functions get the row, or the table and the place"""

    def forward(self, x, i):
        def mixed(row, rate):
            return row.mul_(1 - rate).add_(x * rate)

        def halved(table, k):
            row = table[k]
            row /= 2
            return row.sum()

        total = mixed(self.table[i], 0.25).sum()
        if total > 20:
            total = total + halved(self.table, (i + 1) % 4)
        return total, self.table * 1


@case(inputs=PLACES)
def named_rows(x, i):
    """A row with a name, its views, and the tensor all have what is written"""
    y = torch.zeros(4, 3)
    row = y[i]
    row += 1
    if x[0] > 0:
        row *= x
    row[1:2] = 5.0
    tail = row[1:]
    tail += x[1:]
    return y, row, tail, y[i]


@case(inputs=PLACES)
def one_after_another(x, i):
    """A row that nobody reads any more does not stand in the way of the next one"""
    y = torch.zeros(4, 3)
    row = y[i]
    row += x
    other = y[(i + 1) % 3]
    other += x
    if other.sum() > 0:
        other += 2
    y *= 2
    return y


@case(inputs=PLACES)
def rows_in_loops(x, i):
    """Loops that end at run time"""
    y = torch.zeros(4, 3)
    first = y[i]
    for k in range(i + 2):
        first += 1
        if first[0] > 2:
            first[0] = 0.5
    for k in range(i + 2):
        row = y[k]
        row += x * k
        if row[0] > 1:
            row[0] = 1.0
        y[:, k % 3].add_(1)
    return y


@case(inputs=PLACES)
def place_that_changes_afterwards(x, i):
    """A row stays the one that it was, whatever becomes of the number"""
    y = torch.zeros(6, 3)
    row = y[i]
    if x[0] > 0:
        i += 1
    i += 1
    row += i
    return y, i


@case(inputs=PLACES)
def elements_of_arguments(x, i):
    """What the caller gave is written"""
    x[i].add_(1)
    x.view(3, 1)[i].mul_(2)
    return x * 2


@case(inputs=PLACES, messages=False)
def rows_of_integers(x, i):
    """What cannot be written into integers raises, and nothing is put back"""
    y = torch.zeros(4, 3, dtype=torch.long)
    row = y[i]
    row += x.long()
    row[x > 0] = 9
    row.clamp_(max=5)
    try:
        row += x
    except RuntimeError:
        row -= 1
    return y


@case(inputs=PLACES)
def two_rows_that_may_be_one(x, i):
    """Two rows that are read later may be one, and have what is written into the other then"""
    y = torch.zeros(4, 3)
    one, other = y[i], y[i % 2]
    one += x
    other.sub_(one)
    return y, other, one


@case(inputs=PLACES)
def tensor_written_while_a_row_is_held(x, i):
    """A row has what is written into the tensor, by whatever operation"""
    y = torch.zeros(4, 3)
    row, part, number = y[i], y[1:, i], y[i, 1]
    y.add_(x)
    if number > 1:
        y[y > 2] = 0
    y.t()[0].copy_(part.sum() + y[:, 1])
    y.index_add_(0, torch.tensor([0, 1]), SQUARE[:2])
    return y, row, part, number


@case(inputs=PLACES)
def rows_held_by_others(x, i):
    """Lists, objects, closures, generators and half-evaluated expressions hold rows that are written"""
    y = SQUARE + x
    rows, row = {"a": y[i], "b": (y[i - 1], y[0])}, y[i]

    def doubled():
        y[0] = 9
        y.mul_(2)
        return row + 0

    def walked():
        for k in range(3):
            y[k] = row + k
            yield row * 1

    once, twice = doubled(), doubled()
    rows["b"][0].mul_(2)
    seen = (y[i] + y.add_(1)[0]) * y[i]
    return once, twice, list(walked()), rows, seen, torch.stack([y[i], y[i].mul_(2)])


class KeptRowRead(_Kept):
    """The same in a tensor that is kept from call to call"""

    def forward(self, x, i):
        row = self.table[i]
        self.table[(i + 1) % 4] = row + x
        row.add_(1)
        self.table.mul_(0.5)
        return row * 2, self.table.sum(0)


case(inputs=PLACES)(KeptRowRead)


@case(inputs=PLACES, refused="DYCL035")
def row_read_while_all_are_written(x, i):
    """Each row takes one that may have been written before: PyTorch raises"""
    y = SQUARE + x
    row = y[i]
    y.add_(row)  # <- refused
    return y, row  # never


@case(inputs=PLACES)
def parts_of_rows_read(x, i):
    """What lies in a row that was taken before a write, and views of it, alone and beside each other"""
    y, w = SQUARE + x, torch.ones(3, 2, 2)
    row, end, turned = y[i], y[i][1:], y[i].view(3, 1)
    one, other = w[i].unbind(1)
    y.mul_(2)
    w[0] += 1
    if x[0] > 0:
        y[(i + 1) % 3] -= row
    row += 1
    for k in range(i + 2):
        y[k % 3] += end[0] + turned.sum()
        w[k % 3] *= 1 + other[0]
    return y, row, end * 2, turned, w, one + other


@case(inputs=PLACES)
def rows_within_loops(x, i):
    """Rows by name in a loop of another one: the one before, and the one that is filled"""
    y = torch.zeros(6, 3)
    for k in range(1, i + 3):
        before, now = y[k - 1], y[k]
        for j in range(3):
            now[j] = before[j] + x[j]
            if j > 0:
                now[j] += now[j - 1]
        now[0] = y[i, 1]
    return y


@case(inputs=PLACES)
def sums_as_places(x, i):
    """Rows at sums and products of integers are written, and combined with something"""
    y = torch.zeros(6, 8)
    for k in range(i + 2):
        for j in range(k + 1):
            y[k + 1][2 * j] = y[k][j] + x[k % 3]
            y[k - 1 + 1][j] += y[k][j] + k
    return y


@case(inputs=PLACES)
def parts_of_rows_written(x, i):
    """Nobody holds the row any more, of which a part is written"""
    y, w = SQUARE + x, torch.ones(3, 2, 2)
    end, turned, row = y[i][1:], w[i].t(), y[(i + 1) % 3]
    end += 1
    end[0] = x[0]
    w[0] += 1
    turned[1] = 5.0
    for k in range(i + 2):
        end += x[1:]
        if end[0] > 3:
            y[k % 3] -= end.sum()
    return y, end, w, turned, row


@case(inputs=PLACES, refused="DYCL035")
def two_parts_of_a_row_written(x, i):
    """Another part of the row is held, which may have some of the elements"""
    y = SQUARE + x
    end, first = y[i].split([2, 1])
    end += 1  # <- refused
    return y, end, first


@case(inputs=PLACES, refused="DYCL035")
def row_beside_its_column(x, i):
    """PyTorch adds to the row what it has just written there"""
    y = SQUARE + x
    row = y[i]
    row += y[:, 0]  # <- refused
    return y


@case(inputs=PLACES, refused="DYCL035")
def row_and_column_combined(x, i):
    """The same without a name; one element of it for all is no better"""
    y = SQUARE + x
    y[i] += y[:, 0]  # <- refused
    y[i] -= y[0, 0]  # <- refused
    y[i] *= y.t()[1]  # <- refused
    return y


@case(inputs=PLACES, refused="DYCL035")
def column_moved_down(x, i):
    """PyTorch copies element by element, so the first one goes all the way down"""
    y = SQUARE + x
    y[1:, i] = y[:-1, i]  # <- refused
    y[i] = y.t()[1]  # <- refused
    return y


@case(inputs=PLACES)
def rows_apart_or_the_same(x, i):
    """Rows are apart or the same; a column at the row's place shares one element, at its place"""
    y = SQUARE + x
    y[i] += y[0]
    y[i] *= y[i - 1]
    y[:, i] -= y[:, 1]
    y[i, i] += y[0, 0]
    y[i] += y.sum(0) + y[0]
    y[i] = y[:, i]
    j = (i + 1) % 3
    y[:, j] = y[j]
    y[0] = y[i]
    y[i] = y[0, 0]
    return y


@case(inputs=PLACES)
def chosen_rows_stored(x, i):
    """Rows that paths have chosen are apart from the one that is written, or that one"""
    y = SQUARE + x
    row = y[i]
    if x[0] > 0:
        row = y[0]
    y[(i + 1) % 3] = row
    return y


@case(inputs=PLACES, refused="DYCL035")
def chosen_stretch_stored(x, i):
    """What one path has chosen lies across rows"""
    y = SQUARE + x
    row = y.view(-1)[1:4] if i > 0 else y[i]
    if x[0] > 0:
        row = y[i]
    y[(i + 1) % 3] = row  # <- refused
    return y


@case(inputs=PLACES, refused="DYCL035")
def overlapping_rows(x, i):
    """Rows that share elements"""
    y = torch.cat((x, x)).unfold(0, 3, 1)
    row = y[i]
    row += 1  # <- refused
    return y


@case(inputs=PLACES, refused="DYCL034")
class RowGivenBack(_Kept):
    """A row of what is kept, which later calls write"""

    def forward(self, x, i):
        row = self.table[i]
        row += x  # <- refused
        return row


@case(inputs=[(GRID - 4, 3), (GRID * 2, 2), (-GRID, 0)])
def rows_that_tests_have_read(x, n):
    """What the test of a loop, or one part of an assignment, has read is used no more"""
    y, i, j = x.clone(), 0, 0
    while y[i].abs().max() > 3:
        row = y[i]
        row *= 0.5
        i = (i + 1) % 4
    while j < n and y[j].sum() < 4:
        y[j].add_(1)
        if y[j, 0] > -1:
            j += 1
    first, last = 0, 11
    z = y.flatten()
    while first < last:
        if z[first] > 0:
            first += 1
        else:
            z[first], z[last] = z[last].item(), z[first].item()
            last -= 1
    return y, z, first


def _lowered(y, k):
    while y[k].sum() > 0:
        y[k] -= 1
        yield k


@case(inputs=[(GRID - 4, 3), (GRID, 2), (-GRID, 0)])
def rows_that_generators_write(x, n):
    """The test of a generator's loop reads a row that its body writes"""
    y = x.clone()
    return [place + 1 for place in _lowered(y, n)], y


def _lower(y, k):
    count = 0
    while y[k].sum() > 0:
        y[k] -= 1
        count += 1
    return count


def _times(row, count):
    return row * count


@case(inputs=[(GRID - 4, 3), (GRID, 2), (-GRID, 0)])
def rows_held_while_others_are_written(x, n):
    """What the call holds in which a loop writes is another matter: it is seen by the write"""
    y = x.clone()
    z, (y[n], w) = y[0], (y[1].sum(), y[1])
    return _times(y[0], _lower(y, 0)), z, w


@case(inputs=PLACES)
def rows_traded(x, i):
    """A view of what has been written before it is stored; copies; numbers that are sorted"""
    y, z = SQUARE + x, SQUARE - x
    y[i], y[0] = y[0], y[i]
    j = (i + 1) % 3
    z[i], z[j] = z[j].clone(), z[i].clone()
    y[i], y[j] = y[j], y[i]
    w = (z * x).flatten()
    for a in range(9):
        for b in range(8 - a):
            left, right = w[b], w[b + 1]
            if left < right:
                w[b], w[b + 1] = right, left.clone()
    return y, z, w


COUNTS = [(sign * noise(n, 3),) for n in (5, 2, 1) for sign in (1, -1)]


@case(inputs=COUNTS, dynamic_shapes={"x": {0: "rows"}})
def read_before_the_row_after(x):
    """A row that is read for the last time where the next one is written"""
    y = x.clone()
    for i in range(1, x.shape[0]):
        before = y[i - 1]
        if before.sum() > 0:
            y[i] = before + 1
        else:
            y[i] = y[i] * 2 - before
        held = y[i]
        y[i - 1] += held
        at = y[i - 1]
        y[i].sub_(at + 1)
    return y


@case(inputs=[(torch.tensor([1, 2, 3, 4]), torch.tensor([1, 3, 4])), (torch.tensor([1]), torch.tensor([2, 1])), (torch.tensor([5, 6, 7]), torch.tensor([5, 6, 7]))], dynamic_shapes={"a": {0: "n"}, "b": {0: "m"}})
def edit_distance(a, b):
    """A table in which each element is made of three others that have names"""
    n, m = a.shape[0], b.shape[0]
    table = torch.zeros(n + 1, m + 1, dtype=torch.long)
    for i in range(n + 1):
        table[i, 0] = i
    for j in range(m + 1):
        table[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            up, left, diagonal = table[i - 1, j], table[i, j - 1], table[i - 1, j - 1]
            if a[i - 1] == b[j - 1]:
                table[i, j] = diagonal
            else:
                table[i, j] = 1 + torch.min(torch.min(up, left), diagonal)
    return table[n, m]


@case(inputs=PLACES)
def row_read_once_more(x, i):
    """A row that is read after another one was written, also by a closure or in a list"""
    y, z, w = SQUARE + x, SQUARE - x, SQUARE * x
    row, other, rows = y[i], z[i], [w[i]]
    y[(i + 1) % 3] = row + 1
    z[(i + 1) % 3] = other + 1
    w[(i + 1) % 3] = rows[0] + 1
    return y, row, (lambda: z + other)(), rows


@case(inputs=PLACES)
def row_written_twice_at_once(x, i):
    """The first target is written before the second, of what both are stored with"""
    y = SQUARE + x
    row = y[i]
    y[(i + 1) % 3] = y[i] = row + 1
    y[(i + 1) % 3], y[i] = y[i], row
    return y


@case(inputs=COUNTS, dynamic_shapes={"x": {0: "rows"}})
def row_before_carried(x):
    """The row before goes from turn to turn; a function writes while a row is held"""
    y, z = x.clone(), x * 2

    def put(i, row):
        z[i] = row * 2

    before = y[0]
    for i in range(1, x.shape[0]):
        row = y[i - 1]
        y[i] = row + before
        before = row
        last = z[i - 1]
        put(i, last)
        z[i] = z[i] + last
    return y, z


@case(inputs=PLACES)
def row_of_before_a_loop(x, i):
    """What each turn of a loop takes again"""
    y = SQUARE + x
    row = y[i]
    for k in range(int(x[2].abs())):
        y[k % 3] = row + 1
    return y, row


@case(inputs=[(ROW, 0), (OTHER, -1)], refused="DYCL035")
def row_of_one_row_beside_its_column(x, i):
    """Of one row a column is one element, which all others would get, changed or not: PyTorch raises"""
    y = x[None] * 2
    y[i] += y[:, i]  # <- refused
    return y  # never


@case(inputs=[(ROW, 0), (OTHER, 1)], refused="DYCL035")
def row_that_a_gradient_goes_through(x, i):
    """What a row is when it is taken again has another history than the row had"""
    with torch.enable_grad():
        w = x.clone().requires_grad_()
        y = SQUARE * w
        row = y[i].detach()
        y.mul_(2)  # <- refused
        return torch.autograd.grad(y.sum() + (row * w).sum(), w)[0]


@case(inputs=COUNTS, dynamic_shapes={"x": {0: "rows"}})
def row_carried_to_the_write(x):
    """What the turn before has left is read for the last time by the statement that writes"""
    y = x.clone()
    doubled = lambda last: last * 2  # another one of this name
    before = y[0]
    for i in range(1, x.shape[0]):
        y[i].copy_(y[i] + before)
        before = y[i]
    last = y[0]
    for i in range(1, x.shape[0]):
        y[i] += doubled(last)
        last = y[i]
    return y


@case(inputs=PLACES, refused="DYCL035")
def row_at_a_place_that_moves(x, i):
    """A place that a tensor holds may be another one when the row would be taken again"""
    y, place = SQUARE + x, torch.tensor(i)
    row = y[place]
    place += 1
    y.mul_(2)  # <- refused
    return y, row


@case(inputs=PLACES, refused="DYCL035")
def row_that_a_product_reads(x, i):
    """What is not computed element by element may read what it has written"""
    y = SQUARE + x
    row = y[i]
    y[1].addmv_(SQUARE, row)  # <- refused
    return y, row


@case(inputs=PLACES, refused="DYCL034")
def rows_in_a_list_of_the_host(x, i):
    """A list of any length holds arrays of its own"""
    y, rows, k = SQUARE + x, [], 0
    while k < abs(int(x.sum())):
        rows.append(y[k % 3])  # <- refused
        k += 1
    y.mul_(2)
    return [row + 0 for row in rows]


@case(inputs=PLACES, refused="DYCL042")
def recorded_row_asked(x, i):
    """A row that asks for gradients still does where it is taken again while nothing is recorded"""
    with torch.enable_grad():
        y = SQUARE * x.clone().requires_grad_()
        row = y[i]
        with torch.no_grad():
            y.mul_(2)
        try:
            row.retain_grad()  # <- refused
        except RuntimeError:  # never
            return y.detach()  # never
    return y.detach() * 1, row.detach() * 1
