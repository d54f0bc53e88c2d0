"""Arrays that are a tensor's own memory, and written: the tensor is looked at later, or not."""

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS)
def nobody_looks_later(x):
    """An array is written that is a tensor's memory, whose name is bound anew or not read again."""
    boxes = (x * 3).trunc().int().detach().cpu().numpy()
    left = boxes[:, 0]
    left[left < 1] = 1
    scores = x.sum(1)
    least = scores.min()
    scores = scores.numpy()
    scores.sort()
    sums = []
    for number in range(2):
        row = x * number
        values = row.numpy()
        values[0] += 1
        sums.append(values.sum())
    if least > 0:
        scores *= 2
    return boxes, left, scores, sums


def _with_first(array, tensor):
    array[0] = 5  # <- refused
    return array, tensor.sum()


@case(inputs=ROWS, refused="DYCL034")
def a_part_is_looked_at(x):
    """An array is a tensor's memory, and its line hands on another part of that memory."""
    whole = x * 2
    part = whole[:1]
    return _with_first(whole.numpy(), part)


@case(inputs=ROWS, refused="DYCL034")
def a_function_looks(x):
    """A function that was defined before reads the list that holds the tensor."""
    kept = [x * 2]

    def read():
        return kept[0].sum()

    array = kept[0].numpy()
    array[0] = 9  # <- refused
    return array, read()


@case(inputs=ROWS)
def stored_where_the_tensor_was(x):
    """A list or dict holds the array in the place of the tensor that it was taken of."""
    rows, named = [x * 2, x], {"rows": x + 1}
    for i in range(1):
        rows[i] = rows[i].detach().cpu().numpy()
        rows[i][0] += 1
    named["rows"] = named["rows"].numpy()
    named["rows"][1] = 0
    return rows, named


@case(inputs=ROWS, refused="DYCL034")
def stored_beside_the_tensor(x):
    """Another place of the list has the tensor still."""
    rows = [x * 2] * 2
    rows[0] = rows[0].numpy()
    rows[0][0] = 5  # <- refused
    return rows
