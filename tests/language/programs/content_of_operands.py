"""Operations of torch that raise for some content of their operands: the host raises as well."""

import torch
from torch import nn
from torch.nn import functional

from tests.language.harness import case

INSIDE = torch.tensor([[0.25, 0.5], [1.0, 0.0]])
OUTSIDE = [(INSIDE, INSIDE.round()), (INSIDE + 1, INSIDE.round()), (INSIDE, INSIDE - 1)]
COUNTS = [(torch.tensor([0, 1, 2, 2]),), (torch.tensor([0, -1, 2, 2]),)]


@case(inputs=OUTSIDE, messages=False)
def probabilities_outside(x, y):
    """`F.binary_cross_entropy` of what is no probability raises."""
    return functional.binary_cross_entropy(x, y)


class LossOfProbabilities(nn.Module):
    """A loss that is a module."""

    def __init__(self):
        super().__init__()
        self.loss = nn.BCELoss(reduction="none")

    def forward(self, x, y):
        """Call it by name."""
        return self.loss(input=x, target=y)


@case(inputs=OUTSIDE, messages=False)
class ProbabilitiesOutsideOfALoss(LossOfProbabilities):
    """`nn.BCELoss` of what is no probability raises."""


@case(inputs=COUNTS, messages=False)
def negative_numbers_counted(x):
    """`torch.bincount` of negative numbers raises."""
    return torch.bincount(x, minlength=4)


@case(inputs=COUNTS, messages=False)
def repeated_a_negative_number_of_times(x):
    """`repeat_interleave` with negative counts raises."""
    rows = torch.arange(4.0)
    return torch.repeat_interleave(rows, x), rows.repeat_interleave(repeats=x)


@case(inputs=[(torch.tensor([[-1.0, 2.0], [3.0, -4.0]]), torch.tensor([2, 1]))])
def negative_numbers_repeated(x, counts):
    """`repeat_interleave` of negative numbers, with counts given by name."""
    by_number = torch.repeat_interleave(x, repeats=2, dim=1), x.repeat_interleave(repeats=2)
    return by_number, torch.repeat_interleave(x, repeats=counts, dim=0)


@case(
    inputs=[(INSIDE, torch.tensor([[1, -1], [0, 1]]))],
    refused_on_host="DYCL412",
)
def margins_of_labels(x, labels):
    """PyTorch decomposes `multilabel_margin_loss` to something that gives other numbers."""
    return functional.multilabel_margin_loss(x, labels)


@case(inputs=COUNTS)
def known_operands_that_do_not_fit(x):
    """An operation of known tensors that fake tensors take, and eager does not."""
    if x.min() < 0:
        return torch.zeros(3, 2).index_select(0, torch.tensor(1) / 2)
    return x


TABLE = torch.arange(24.0).reshape(8, 3)
BAGS = [torch.tensor([[1, 2], [3, wrong]]) for wrong in (4, -1, 8)]
OFFSETS = [torch.tensor(each) for each in ([0, 2], [0, 0], [1, 2], [0, 5], [0, -1], [0, 4])]


@case(inputs=[(bags,) for bags in BAGS], messages=False)
def rows_that_are_not_in_a_table(bags):
    """`F.embedding_bag` of indices that are out of range raises."""
    largest = functional.embedding_bag(bags, TABLE, mode="max")
    return functional.embedding_bag(bags, TABLE), largest


@case(
    inputs=[*((BAGS[0].reshape(-1), each) for each in OFFSETS), (BAGS[1].reshape(-1), OFFSETS[0])],
    messages=False,
)
def bags_that_do_not_begin_at_zero(places, offsets):
    """`F.embedding_bag` with offsets that are none raises."""
    total = functional.embedding_bag(places, TABLE, offsets, mode="sum")
    return total, torch.embedding_bag(TABLE, places, offsets)[0]


@case(
    inputs=[*((BAGS[0].reshape(-1), each) for each in OFFSETS), (BAGS[1].reshape(-1), OFFSETS[0])],
    messages=False,
)
def bags_by_the_operator(places, offsets):
    """ATen's own operators for bags of embeddings, with offsets that are none, raise."""
    total = torch.ops.aten.embedding_bag(TABLE, places, offsets)[0]
    named = {"weight": TABLE, "indices": places, "offsets": offsets}
    alone = torch.ops.aten._embedding_bag_forward_only.default(**named)[0]
    return total, torch.ops.aten._embedding_bag.default(TABLE, places, offsets)[0] + alone


@case(inputs=[(torch.tensor([[0, place]]),) for place in (3, 8, 9, -1)], messages=False)
def places_for_the_operator(places):
    """ATen's operator behind `F.max_unpool2d` with a place outside of its result raises."""
    unpool, x = torch.ops.aten.max_unpool2d, torch.ones(1, 1, 2)
    return unpool.default(x, places[None], [3, 3]), unpool(x, indices=places[None], output_size=[3, 3])


@case(inputs=[(torch.tensor([0.2, p]),) for p in (0.3, 1.3, -0.1)], messages=False)
def no_probability_for_the_operator(x):
    """ATen's binary_cross_entropy of a number that is no probability raises."""
    return torch.ops.aten.binary_cross_entropy.default(x, torch.ones(2))


SHORT = [[torch.tensor(part, dtype=torch.int32) for part in ([1, 2, 3, 0], each)] for each in ([0, 2], [0, 0], [1, 2])]


@case(inputs=[tuple(each) for each in SHORT], messages=False)
def bags_of_short_integers(places, offsets):
    """`F.embedding_bag` of 32-bit integers, also beside 64-bit ones."""
    largest = functional.embedding_bag(places.long(), TABLE, offsets, mode="max")
    ended = torch.cat([offsets, torch.tensor([4])]).int()
    last = functional.embedding_bag(places, TABLE, ended, include_last_offset=True)
    return functional.embedding_bag(places, TABLE, offsets), largest, last


MANY = [torch.tensor(each) for each in ([0, 2, 5, 5, 6], [0, 0, 1, 7, 7])]


@case(inputs=[(torch.arange(7), each) for each in MANY], messages=False)
def many_bags(places, offsets):
    """`F.embedding_bag` of so many bags that numbers drawn at random are no offsets."""
    ends = torch.cat([offsets, torch.tensor([7])])
    ended = functional.embedding_bag(places, TABLE, ends, include_last_offset=True)
    return functional.embedding_bag(places, TABLE, offsets), ended


LABELS = [torch.tensor([0, 1, label]) for label in (2, 5, -1, 9)]


@case(inputs=[(labels,) for labels in LABELS], messages=False)
def labels_of_no_class(labels):
    """`F.one_hot` of a label that is no class raises."""
    return functional.one_hot(labels, 5), functional.one_hot(labels[None], 5)


EDGES = torch.tensor([[0.0, 1.0, -2.0], [-0.0, float("nan"), float("-inf")]])


class SlopesOfAnyKind(nn.Module):
    """A layer whose slopes are given, and an activation whose slopes are an argument."""

    def __init__(self):
        super().__init__()
        self.slopes = nn.PReLU(3)
        self.slopes.weight.data = torch.tensor([float("nan"), 0.5, float("inf")])
        self.plain = nn.PReLU()

    def forward(self, x, slope):
        """Apply them."""
        return self.slopes(x), self.plain(x), functional.prelu(x, slope)


SLOPES = [torch.tensor([slope]) for slope in (0.5, float("nan"), float("-inf"))]


@case(inputs=[(EDGES, slope) for slope in SLOPES])
class SlopesThatAreNotFinite(SlopesOfAnyKind):
    """`nn.PReLU` multiplies zeros by slopes that are NaN or infinite."""


def activations(first, second):
    """Return two layers with these slopes."""
    layers = nn.Sequential(nn.PReLU(), nn.PReLU())
    layers[0].weight.data.fill_(first)
    layers[1].weight.data.fill_(second)
    return layers


@case(inputs=[(torch.tensor([0.0, last]),) for last in (1.0, -1.0)])
class SlopesOfOneStructure(nn.Module):
    """Two arms that are equal but for which of their slopes is not finite."""

    def __init__(self):
        super().__init__()
        self.one, self.other = activations(float("nan"), 0.5), activations(0.5, float("inf"))

    def forward(self, x):
        """Choose an arm."""
        return self.one(x) if x.sum() > 0 else self.other(x)


@case(inputs=[(torch.tensor(row),) for row in ([2**24 + 1, 2**24], [-3, 2], [0, 0])])
def softmax_in_a_type(x):
    """`softmax(dtype=)` converts before it computes, and integers have none without it."""
    if x.sum() > 0:
        wide = x.double() / 3
        return x.softmax(0, dtype=torch.float64), wide.float().log_softmax(0, dtype=wide.dtype)
    if x.any():
        return functional.log_softmax(x.half(), 0, dtype=torch.float32)
    return functional.softmax(x, 0)


@case(inputs=[(torch.ones(2, 3), torch.zeros(1, 3)), (torch.zeros(2, 3), torch.ones(1, 3))])
def repeated_by_known_counts(x, y):
    """`repeat_interleave` of a known tensor by counts that are known: the size is known, too."""
    counts = torch.as_tensor([part.shape[0] for part in (x, y)])
    places = torch.repeat_interleave(torch.arange(2), counts)
    return places, x.sum() + places.shape[0]
