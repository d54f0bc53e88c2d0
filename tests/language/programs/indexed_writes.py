"""Writes at several run-time integers, mixed with slices, known integers, ``...`` and ``None``."""

import torch
from torch.export import Dim

from tests.language.harness import case, noise

GRID = noise(3, 4)
CUBE = noise(2, 3, 4, 2)


@case(inputs=[(GRID, torch.tensor(1), 2), (GRID, torch.tensor(-1), 0)])
def two_integers_are_written(x, i, j):
    """y[i, j] = number, 0-d tensor, or an element of another place."""
    y = x.clone()
    y[i, j] = 5.0
    y[j, i] = x[0, 0]
    y[j, j] = y[i, i]
    return y


@case(inputs=[(GRID, 0, 3), (GRID, 2, 1), (GRID, -1, -4)])
def a_cell_in_nested_loops(x, rows, columns):
    """out[i, j] = ... in nested loops whose ends are known at run time."""
    out = torch.zeros(3, 4)
    for i in range(rows):
        for j in range(columns):
            out[i, j] = x[i, j] * (i + j)
    return out


@case(inputs=[(CUBE, torch.tensor(1), 2), (CUBE, torch.tensor(0), 0)])
def integers_among_other_parts(x, i, j):
    """Where index tensors stand apart, apart from known integers, their dimension comes first."""
    y = x.clone()
    y[i, 0, j] = torch.tensor([9.0, 8.0])
    y[:, i, 0] = torch.tensor([[7.0], [6.0]])
    y[i, :, j] = torch.arange(6.0).reshape(3, 2)
    y[:, i, j] = torch.arange(4.0).reshape(1, 2, 2)
    y[..., i] = torch.arange(4.0)
    y[:, :, j, i] = torch.arange(6.0).reshape(2, 3) * 100
    y[None, i, ..., j - 1] = 5
    return y


@case(inputs=[(CUBE, 1, 2), (CUBE, 0, 0), (CUBE, -1, 3)])
def integers_and_slices_of_known_ends(x, i, j):
    """y[i, :2, j], y[0, i, 1:] and y[0, :, j], from values of fewer dimensions."""
    y = x.clone()
    y[i, :2, j] = torch.tensor([3.0, 4.0])
    y[0, i, 1:] = 7
    y[0, :, j] = y[1, :, j]
    return y


@case(inputs=[(GRID, torch.tensor(1), 2), (GRID, torch.tensor(2), 0)])
def elements_are_combined_in_place(x, i, j):
    """y[:, i] += 1, y[i, j] -= y[j, i]: what is chosen changes in the tensor."""
    y = x.clone()
    y[:, i] += 1
    y[i, j] -= y[j, i]
    y[i] *= x[j]
    return y


@case(inputs=[(torch.tensor([0, 2, 2, 1]),), (torch.tensor([3, 3, 3, 3]),)], slow=True)
def counts_of_what_comes(labels):
    """counts[label] += 1 in a loop over the labels."""
    counts = torch.zeros(4, dtype=torch.long)
    for label in labels:
        counts[label] += 1
    return counts


@case(inputs=[(GRID, 1), (GRID, 2)])
def a_write_into_the_tensor_meanwhile(x, i):
    """The right side of y[i] += f(y) may write y."""
    y = x.clone()

    def doubled():
        y.mul_(2)
        return 1.0

    y[i] += doubled()
    return y


@case(inputs=[(GRID, 1), (GRID, 2)], refused="DYCL057")
def an_integer_tensor_takes_no_floats(x, i):
    """counts[i] += 1.5 of integers raises as an operator in place does, or is refused."""
    counts = torch.zeros(4, dtype=torch.long) + x.argmax()
    counts[i] += 1.5
    return counts  # never


@case(inputs=[(GRID * 9, torch.tensor([2]), 1), (GRID * -9, torch.tensor([0]), 2)])
def elements_of_another_type(x, places, i):
    """A row or cell is converted to the type of the tensor that it is stored in."""
    counts, truths = torch.zeros(3, 4, dtype=torch.long), torch.zeros(3, 4, dtype=torch.bool)
    counts[i] = x[0]
    counts[0, i] = x[1, 2]
    counts[places[0], 1:] = x[1, :3]
    truths[:, i] = x[:, 0].relu()
    if x[0, 0] > 0:
        counts[i, i] = truths[0, i]
    return counts, truths


@case(inputs=[(-GRID * 9, torch.tensor([0, 2])), (GRID, torch.tensor([2, 1]))])
def index_tensors_convert_nothing(x, places):
    """Elements at an index tensor must be of the type, in the program too."""
    counts = torch.zeros(3, 4, dtype=torch.long)
    counts[places] = x[:2] if x[0, 0] > 0 else x[:2].long()
    return counts


@case(inputs=[(GRID,), (-GRID,), (GRID * 9,), (torch.ones_like(GRID),)])
def an_element_is_tested_and_then_written(x):
    """`if y[-1, 0] > 1: y[-1, 0] = 1`: what the test has read is gone when the arm writes."""
    y = x * 2
    if y[-1, 0] > y[0, 0]:
        y[-1, 0] = y[0, 0]
    elif y[-1].sum() > 1:
        y[-1] = 0.5
    return y


@case(inputs=[(GRID,), (-GRID,)])
def a_row_is_named_and_then_the_tensor_written(x):
    """A view that has a name sees a write under a test of it."""
    y = x * 2
    row = y[-1]
    if row.sum() > 0:
        y[-1, 0] = 9
    return row, y


@case(inputs=[(GRID, 3), (GRID, 0), (GRID, 2)], messages=False)
def rows_that_do_not_fit(x, n):
    """What is written at a list of places has another number of rows on one path, and raises."""
    y = x.clone()
    places = torch.arange(3)
    if n > 2:
        y[places] = x[:1] * 2
    else:
        y[places] = x[:2]
    return y


@case(inputs=[(GRID,), (-GRID,)])
def an_empty_index(x):
    """The empty index is a view of all, also of a tensor without dimensions"""
    y = x.clone()
    whole = y[()]
    whole += 1
    y[()] = y[()] * 2
    if x.sum() > 0:
        y[()] += x
    return y, x.sum()[()]


PLACES = [torch.tensor(places, dtype=torch.int32) for places in ([1, 0], [-1, 2], [2, -3])]


@case(inputs=[(CUBE, places) for places in PLACES])
def places_of_32_bits(x, places):
    """Index tensors of int32, behind slices, two of them, and beside one of int64."""
    y = x.clone()
    y[:, :, places] = x[:, :, :2]
    y[:, places] += 1
    y[:, places, places.long()] = 2
    put = x.index_put((places % 2, places), torch.ones(2, 4, 2), accumulate=True)
    return y, put, x[:, :, places], x[:, places, places], x[:, places, places.long()]


ROW = torch.tensor([1.0, -2.0, 3.0, 4.0])


@case(
    inputs=[
        (ROW, torch.tensor([True, False, True, False]), torch.tensor([5.0, 6.0])),
        (ROW, torch.tensor([True, False, False, False]), torch.tensor([5.0, 6.0])),
        (ROW, torch.tensor([False, False, False, False]), torch.tensor([5.0, 6.0])),
        (ROW, torch.tensor([True, True, True, False]), torch.tensor([5.0, 6.0])),
    ],
    messages=False,
)
def as_many_as_chosen(x, chosen, given):
    """Another number of values than a mask chooses is a RuntimeError."""
    y = x + 1
    y[chosen] = given * 2
    return y


BITS = [torch.tensor(bits).bool() for bits in (
    [1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0],
)]  # fmt: skip


@case(
    inputs=[(GRID, one, two, torch.tensor(n)) for n in (2, 0, 3, 1) for one in BITS for two in BITS],
    messages=False,
)
def as_many_as_another_mask_chose(x, chosen, kept, width):
    """What one mask chose goes where another says, as wide as the content says: else it raises."""
    rows, n = x[chosen] * 2, int(width)
    y = torch.zeros(n, 4)
    y[kept[:n]] = rows
    return y


@case(inputs=[(GRID,), (-GRID,)])
def places_known_as_tensors(x):
    """Tensors of one known integer are places to read and write at, also behind each other."""
    y = x[None].repeat(4, 1, 1)
    last, two = torch.zeros((), dtype=torch.int64) - 1, torch.full((), 2, dtype=torch.int32)
    y[last] = 5
    y[:, last, 0] += 1
    y[two, :, 1:] = y[last, :, :-1] * 2
    row = y[two]
    row += 1
    return (y, row) if x.sum() > 0 else y[last, ..., None]


@case(inputs=[(GRID,), (-GRID,)])
def a_place_that_moves(x):
    """A position is a tensor that begins at nought and is moved on in place, as caches have it."""
    y = x[None].repeat(4, 1, 1)
    place = torch.zeros(2, dtype=torch.int64)[0]
    read = []
    for _ in range(3):
        read.append(y[place] * 2)
        place += 1
        if x.sum() > 0:
            place = place * 1
    y[place] = 7
    return read, y


@case(inputs=[(GRID,), (-GRID,)], messages=False)
def a_known_place_beyond_the_end(x):
    """A tensor that holds a known place where there is nothing raises."""
    place = torch.full((), 9, dtype=torch.int64)
    try:
        return x[place]
    except IndexError:
        return x.sum() > 0


ROWS = [(GRID, 0, 1), (GRID, 1, 2), (GRID, 2, -1)]


@case(inputs=ROWS)
def a_row_takes_another_one(x, i, j):
    """y[1] = y[i], y[:, 0] *= y[:, i] and y[0].add_(y[i]) read that row, or the one they write."""
    y, z = x.clone(), torch.cat((x[None], x[None] * 2))
    y[1] = y[i]
    y[:, 0] *= y[:, j]
    y[0].add_(y[i])
    z[1, 2].sub_(z[i - 1, j])
    z[0, :, 1].copy_(z[i - 1, :, j])
    return y, z


@case(inputs=ROWS, refused="DYCL035")
def a_row_takes_what_lies_across(x, i, j):
    """A column, another row as it is spread, and a row that is read afterwards"""
    y, row = x.clone(), None
    y[0, :3].add_(y[:, i])  # <- refused
    y[0].index_add_(0, torch.tensor([j, 0, 0, 1]), y[i])  # <- refused
    y.view(-1)[1:5].add_(y[j])  # <- refused
    y[0].add_(row := y[i])  # <- refused
    y[1].add_(row)  # <- refused
    return y


TOKENS = noise(2, 4, 3)
FOUND = [torch.tensor(rows).bool() for rows in (
    [[1, 0, 1, 0], [0, 0, 1, 0]], [[1, 1, 1, 1]] * 2, [[0, 0, 0, 0]] * 2, [[0, 0, 0, 0], [0, 1, 0, 0]]
)]  # fmt: skip


@case(inputs=[(TOKENS, found) for found in FOUND])
def found_places_are_brought_to_the_left(x, found):
    """As many places are found as there are rows: of those made for the longest one, not all."""
    counts = found.long().sum(1)
    most = counts.max()
    held = (torch.arange(most) < counts.unsqueeze(1)).nonzero(as_tuple=True)
    packed = x.new_zeros(x.shape[0], most, x.shape[2])
    packed[held] = x[found.nonzero(as_tuple=True)]
    return packed, most


@case(inputs=[(TOKENS, found, TOKENS.sum(2) > 0) for found in FOUND], messages=False)
def places_found_by_other_tests(x, found, other):
    """Rows of one number of places are written at those of another: PyTorch raises unless it is 1."""
    written = torch.zeros_like(x)
    written[(found & other).nonzero(as_tuple=True)] = x[found.nonzero(as_tuple=True)]
    return written


@case(inputs=[(TOKENS, found) for found in FOUND], messages=False)
def known_places_for_found_rows(x, found):
    """Three known places take three rows, or one."""
    written = torch.zeros(4, 3)
    written[torch.tensor([0, 3, 1])] = x[found]
    return written


@case(inputs=[(TOKENS, found, n) for found, n in zip(FOUND, (2, 2, 1, 4), strict=True)],
      messages=False)
def found_places_for_a_slice(x, found, n):
    """Two counts of run time: rows of a slice at places that are found."""
    written = torch.zeros(4, 3)
    written[found[0].nonzero().squeeze(1)] = x[1, :n]
    return written


@case(inputs=[(TOKENS, torch.tensor(2)), (TOKENS, torch.tensor(0)), (TOKENS, torch.tensor(4))])
def one_number_of_a_tensor_twice(x, n):
    """A tensor's number is one size wherever it is given for a number."""
    return x.new_zeros(n, 3) + torch.arange(n).unsqueeze(1)


@case(inputs=[(noise(3, 4), 0), (noise(3, 4, seed=1), 1)], refused="DYCL063")
def scattered_into_places_of_run_time(x, i):
    """A place of a number of run time, written in a copy, may not be there"""
    try:
        return x.select_scatter(x[0], 0, i)  # <- refused
    except IndexError:  # never
        return x * 0  # never


_PLACES = [
    (torch.arange(12.0).reshape(4, 3), torch.tensor([1, 2])),
    (torch.arange(12.0).reshape(4, 3), torch.tensor([0, 2])),
]


@case(inputs=_PLACES)
def row_in_a_tuple_that_sees_a_write(x, places):
    """A row in a tuple sees what is written before it is assigned, if it is that row."""
    rows = x.clone()
    first, second = places.tolist()
    rows[0], kept = rows[second], rows[first]
    return rows, kept + 0


@case(inputs=_PLACES)
def row_of_a_list_that_sees_a_write(x, places):
    """A row in a list that is made sees what a later item of it writes, if it is that row."""
    rows = x.clone()
    return torch.cat([rows[places[0].item()], rows[0].add_(1)])


@case(inputs=[(GRID, torch.tensor(1)), (GRID, torch.tensor(-1)), (-GRID, torch.tensor(3))], messages=False)
def asked_by_name(x, i):
    """x.__getitem__(i) and x.__setitem__(i, value) are x[i] and x[i] = value."""
    y = x.clone()
    nothing = y.__setitem__(i, x.__getitem__(0))
    y.__setitem__((i, slice(1, None)), 5.0)
    chosen = x.__getitem__(x > 0)
    return y, nothing is None, chosen, [x.__getitem__(j) for j in (i, 2)]


@case(inputs=[(torch.tensor(0),), (torch.tensor(2),)])
class AskedOfABuffer(torch.nn.Module):
    """What the model holds is asked for elements by name, or by a bound method."""

    def __init__(self):
        super().__init__()
        self.register_buffer("grid", GRID)

    def forward(self, i):
        row = self.grid.__getitem__
        return row(i), self.grid.__getitem__((slice(0, 2), 1))


@case(inputs=[(GRID, 0, 3), (GRID, 2, 1), (GRID, -1, -4)])
def cells_of_rows(x, i: int, j: int):
    """y[i][j] = x is y[i, j] = x, for slices, too; the row may be at a known place of a larger tensor."""
    y, large = x.clone(), torch.zeros(2, 3, 4)
    y[i][j] = 5.0
    y[i][:2] = torch.tensor([7.0, 8.0])
    y[i][1:j] = 3.0
    large[1][i][j] = 1.0
    large[0][2][j] = x[i][j]
    return y, large


@case(inputs=[(CUBE, 1, 2), (CUBE, 0, 0), (CUBE, -1, 1)])
def cells_of_spans(x, i: int, j: int):
    """Each place may be one of run time, on some paths only, and a part of a tuple."""
    y, spans = x.clone(), [(0, j)]
    if i > 0:
        spans.append((i, 1))
    for span in spans:
        y[span[0]][span[1]][0] = 2.0
        y[span[0]][span[1]][3][i] = 4.0
    return y


@case(inputs=[(GRID, 1, 3), (GRID, 5, 1), (GRID, 0, 9), (GRID, -4, 0)], messages=False)
def rows_that_are_missing(x, i: int, j: int):
    """A row, or an element of it, that is not there is an IndexError."""
    y = x.clone()
    y[i][j] = 0.0
    return y * 2


@case(inputs=[(GRID, 1, 3), (GRID, 5, 1), (GRID, 0, 9), (GRID, -4, 0)], refused="DYCL063")
def rows_that_may_be_missing(x, i: int, j: int):
    """Which a `try` may not catch."""
    y = x.clone()
    try:
        y[i][j] = 0.0  # <- refused
    except IndexError:  # never
        return y, "missing"  # never
    return y * 2, "written"


@case(inputs=[(GRID, 1, 3), (GRID, 0, 2)])
def a_row_with_a_name(x, i: int, j: int):
    """A row that has a name is the memory of the tensor at a place that nobody knows."""
    y = x.clone()
    row = y[i]
    row[j] = 0.0
    return y


@case(inputs=[(GRID, 1, 3), (GRID, 0, 2)])
def rows_of_lists(x, i: int, j: int):
    """A list of tensors is no tensor; its elements are written as ever."""
    rows = [x[0].clone(), x[1].clone()]
    table = [[1, 2, 3, 4], [5, 6, 7, 8]]
    rows[1][j] = 9.0
    table[i][j] = 0
    return rows, table


PLACES = torch.tensor([0, 2])
ADDED = [(noise(4, 3), noise(2, width)) for width in (3, 1, 2)] + [(noise(4, 1), noise(2, 1))]
WIDTHS = {"x": {1: Dim("width", max=9)}, "rows": {1: Dim("other", max=9)}}


@case(inputs=ADDED, dynamic_shapes=WIDTHS, messages=False)
def rows_of_another_width_are_added(x, rows):
    """`index_add` of rows of another width raises; those of one element are not repeated"""
    return x.index_add(0, PLACES, rows), x.t().index_add(-1, PLACES, rows.t())


@case(inputs=ADDED, dynamic_shapes=WIDTHS, messages=False)
def rows_of_another_width_are_reduced(x, rows):
    """`index_reduce` of rows of another width raises, too"""
    return x.index_reduce(0, PLACES, rows, "amax")


@case(inputs=ADDED, dynamic_shapes=WIDTHS)
def rows_are_repeated_before(x, rows):
    """A test of widths before `index_add`, where they are repeated"""
    if rows.shape[1] == x.shape[1]:
        return x.index_add(0, PLACES, rows)
    if rows.shape[1] == 1:
        return x.index_add(0, PLACES, rows.expand(-1, x.shape[1]))
    return x


ROWS_LEFT = [(noise(4, 3),), (noise(4, 3).abs(),), (-noise(4, 3).abs(),), (noise(4, 3).flip(0),)]


@case(inputs=ROWS_LEFT)
def last_row_takes_the_place_of_the_best(x):
    """y[i] = y[-1]; y = y[:-1] while rows are left: how many there are is known at run time"""
    y, taken = x[x[:, 0] > -1], []
    while y.shape[0] > 0:
        i = torch.argmax(y[:, 2])
        taken.append(y[i, 0].item())
        y[i, :] = y[-1, :]
        y = y[:-1]
        y = y[y[:, 1] > -0.5]
    return taken


HEIGHTS = {"x": {0: Dim("height", min=3, max=9)}}
PLANES = [(noise(n, 2, 3), i) for n, i in ((4, 1), (3, 0), (6, 5), (5, -1))]


@case(inputs=PLANES, dynamic_shapes=HEIGHTS)
def places_counted_from_the_end(x, i):
    """Rows and planes from behind are apart from the one that is written, or this one"""
    y = x * 2
    y[i] = y[-2]
    y[i, 1] = y[-1, 1]
    part = y[1:]
    part[i - 1] = part[-1]
    y[i] = part[-2]
    return y


@case(inputs=PLANES, dynamic_shapes=HEIGHTS, refused="DYCL035")
def part_of_a_row_from_the_end(x, i):
    """Some elements of a row are at other places in the row that is written"""
    y = x.reshape(-1, 6) * 2
    y[i, 1:] = y[-1, :-1]  # <- refused
    return y


@case(inputs=PLANES, dynamic_shapes=HEIGHTS, refused="DYCL035")
def rows_that_begin_anywhere(x, i):
    """What lies across the rows of another view"""
    y = x.reshape(-1) * 2
    y[:-2].view(-1, 2)[i] = y[-3:-1]  # <- refused
    return y


@case(inputs=[(torch.tensor([1.0, -2.0, 3.0]), torch.tensor([0, 2]))])
def of_another_type_in_try(x, rows):
    """What is written at index tensors must be of the same type, whatever number it is"""
    y = x.clone()
    said = []
    for written in (x.double()[rows], torch.tensor(3), torch.ones(2, dtype=torch.int64)):
        try:
            y[rows] = written
        except RuntimeError as error:
            said.append(str(error))
    y[0] = torch.tensor(5)
    return y, said


@case(inputs=[(torch.tensor([1.0, -2.0, 3.0]), torch.tensor([True, False]))])
def selected_by_a_mask_that_does_not_fit(x, mask):
    """A mask is spread over what it selects from, or PyTorch raises"""
    try:
        return x.masked_select(mask)
    except RuntimeError as error:
        return str(error), x.masked_select(mask[:1])


ORDERS = {"a": {0: Dim("n", min=1, max=6), 1: Dim("n", min=1, max=6)}}
SQUARES = [(torch.eye(n) * 4 + noise(n, n, seed=n),) for n in (3, 1, 5)]


@case(inputs=SQUARES, dynamic_shapes=ORDERS)
def elimination(a):
    """Rows, and the rest of them, of a matrix of any order are combined with rows in place"""
    b, c = a.clone(), a.clone()
    n = b.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            b[i, k] /= b[k, k]
            b[i, k + 1 :] -= b[i, k] * b[k, k + 1 :]
        c[k] /= c[k, k].clone()
        c[:, k] *= 2
        for j in range(n):
            if j != k:
                c[j] -= c[j, k].clone() * c[k]
    return b, c


@case(inputs=SQUARES, dynamic_shapes=ORDERS, refused="DYCL057")
def row_of_another_size(a):
    """PyTorch raises where the row is not as long as what it would get"""
    b = a.clone()
    for k in range(b.shape[0]):
        b[k, k:] += b[k].clone()  # <- refused
    return b
