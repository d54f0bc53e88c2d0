"""Buffers that are resized in place, as suppression of boxes is often written."""

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]
BOXES = torch.cat((noise(6, 2).abs() * 3, 5 + noise(6, 2, seed=1)), 1)


@case(inputs=[(BOXES, noise(6)), (BOXES * torch.tensor([1, 1, 3, 3]), noise(6, seed=3))], slow=True)
def suppression_with_buffers(boxes, scores):
    """A buffer of each size is asked for, and then another tensor is bound to its name."""
    x1, y1, x2, y2 = boxes.unbind(1)
    area = (x2 - x1) * (y2 - y1)
    keep = scores.new(scores.size(0)).zero_().long()
    left, top, width, height = boxes.new(), boxes.new(), boxes.new(), boxes.new()
    order, count = scores.sort(0)[1], 0
    while order.numel() > 0:
        best = order[-1]
        keep[count] = best
        count += 1
        if order.size(0) == 1:
            break
        order = order[:-1]
        torch.index_select(x1, 0, order, out=left)
        torch.index_select(y1, 0, order, out=top)
        left = torch.clamp(left, min=x1[best])
        top = torch.clamp(top, min=y1[best])
        width.resize_as_(left)
        height.resize_as_(top)
        width = torch.clamp(x2[order].clamp(max=x2[best]) - left, min=0.0)
        height = torch.clamp(y2[order].clamp(max=y2[best]) - top, min=0.0)
        shared = width * height
        order = order[(shared / (area[order] + area[best] - shared)).le(0.4)]
    return keep, count


@case(inputs=BOTH)
def looked_at_later(x):
    """A smaller tensor holds the first elements."""
    y = x * 2
    y.resize_as_(x[0])
    return y + 1 if x.sum() > 0 else y


@case(inputs=BOTH)
def looked_at_in_one_arm(x):
    """A path looks at the smaller tensor, another does not."""
    y = x * 2
    y.resize_as_(x[0])
    if x.sum() > 0:
        y = x + 1
    return y


@case(inputs=BOTH)
def held_by_another_name(x):
    """The tensor that is resized is that of another name, too."""
    y = x * 2
    same = y
    y.resize_as_(x[0])
    y = x + 1
    return same + y if x.sum() > 0 else same


@case(inputs=BOTH)
def held_by_a_list(x):
    """A list holds it."""
    y = x * 2
    kept = [y]
    if x.sum() > 0:
        kept.append(x)
    y.resize_as_(x[0])
    y = x + 1
    return kept, y


@case(inputs=BOTH, refused="DYCL042")
def held_by_the_caller(x):
    """The caller sees the size of an argument."""
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    x.resize_as_(x[0])  # <- refused
    x = y
    return x


@case(inputs=BOTH, refused="DYCL042")
def in_a_loop(x):
    """The next pass looks at it."""
    y = x * 2
    total = x
    while total.sum() < 10:
        total = total + y.sum().abs() + 1
        y.resize_as_(x[0])  # <- refused
    return total


@case(inputs=BOTH)
def views_stay(x):
    """A view of the old elements keeps them."""
    y = x * 2
    row = y[0]
    y.resize_as_(torch.zeros(4, 5))
    y = x + 1
    return row + y if x.sum() > 0 else row


COUNTS = [(torch.tensor(rows),) for rows in ([1.0, -1, -1], [-1.0, -2, -3], [1.0, 2, 3])]


@case(inputs=COUNTS)
def as_many_as_are_left(x):
    """A tensor of offsets is made smaller where sentences are done, as in beam search."""
    offsets = (torch.arange(0, 3) * 2).unsqueeze(1).type_as(torch.zeros(1, dtype=torch.int64))
    same = offsets
    done = (x > 0).nonzero().view(-1).tolist()
    offsets.resize_(3 - len(done), 1)
    offsets += 1
    return offsets, same + 10


@case(inputs=[(POSITIVE, 2), (POSITIVE, 6), (NEGATIVE, 0), (POSITIVE, -1)], messages=False)
def to_a_number(x, count):
    """The number of elements is that of an argument."""
    y = x * 2
    try:
        y.resize_(count)
    except RuntimeError:
        return x
    y += 1
    return y


@case(inputs=BOTH, refused="DYCL042")
def to_more_than_there_are(x):
    """What new elements hold is not certain."""
    y = x * 2
    y.resize_(9)  # <- refused
    return y.fill_(1) if x.sum() > 0 else x


@case(inputs=BOTH, refused="DYCL042")
def of_columns(x):
    """The first elements in memory are others than the first of the tensor."""
    y = (x * 2).t()
    y.resize_(2)  # <- refused
    return y if x.sum() > 0 else x
