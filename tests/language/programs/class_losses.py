"""Losses of classes: of examples that a mask chooses, with weights, smoothed, some ignored."""

import torch
import torch.nn.functional as F

from tests.language.harness import case

_GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(6, 3, generator=_GENERATOR)
CLASSES = torch.tensor([0, 2, 1, 0, 1, 2])
IGNORED = torch.tensor([-100, 2, -100, 0, 1, 1])
NAN = X.masked_fill(torch.tensor([[True], [False]] * 3), float("nan"))
FIVE = [
    (X, CLASSES),
    (X.abs(), IGNORED),
    (-X.abs(), CLASSES),  # nothing is chosen
    (X, torch.full((6,), -100)),
    (NAN, IGNORED),
]
OUT_OF_RANGE = [(X.abs(), torch.tensor([0, 2, wrong, 0, 1, 2])) for wrong in (3, -1)]


@case(inputs=[*FIVE, *OUT_OF_RANGE], messages=False)
def chosen(x, t):
    """Of as many examples as a mask chooses, which may be none; a class that is none raises"""
    chosen = x[:, 0] > 0
    y, classes = x[chosen], t[chosen]
    each = F.cross_entropy(y, classes, reduction="none")
    return each, F.cross_entropy(y, classes), F.cross_entropy(y, classes, reduction="sum")


@case(inputs=FIVE)
def weighted_and_smoothed(x, t):
    """With a weight for each class, smoothed labels, and a class that is ignored"""
    chosen = x[:, 0] > 0
    y, classes = x[chosen], t.clamp(min=0)[chosen]
    weight = torch.tensor([0.5, 2.0, 1.0])
    plain = F.cross_entropy(y, classes, weight), F.nll_loss(y.log_softmax(1), classes, weight)
    smooth = F.cross_entropy(y, classes, weight, ignore_index=1, label_smoothing=0.1)
    each = F.cross_entropy(y, classes, weight, reduction="none", label_smoothing=0.1)
    return *plain, smooth, each, F.nll_loss(y, classes, reduction="sum", ignore_index=2)


@case(inputs=FIVE)
def shares(x, t):
    """Where each class has a share of the target"""
    del t
    y = x[x[:, 0] > 0]
    target = y.flip(1).softmax(1)
    mean, total = F.cross_entropy(y, target), F.cross_entropy(y, target, reduction="sum")
    return mean, total, F.cross_entropy(y, target, reduction="none", label_smoothing=0.2)


@case(inputs=FIVE)
def of_images(x, t):
    """Of a class for each point of images, of which there may be none"""
    chosen = x[:, 0] > 0
    y, classes = x[chosen].unsqueeze(-1).expand(-1, 3, 4), t[chosen].unsqueeze(1).expand(-1, 4)
    return F.cross_entropy(y, classes), F.cross_entropy(y, classes, reduction="none")


@case(inputs=[*FIVE, *OUT_OF_RANGE], messages=False)
def all_of_them(x, t):
    """Of a known number of examples, and of one"""
    weight = torch.tensor([0.5, 2.0, 1.0])
    smooth = F.cross_entropy(x, t, weight, label_smoothing=0.1)
    return smooth, F.cross_entropy(x[1], t[1]), F.cross_entropy(x, t, weight, reduction="none")


OF_OTHER_TYPES = [(X, CLASSES, True), (X, CLASSES, False)]


@case(inputs=OF_OTHER_TYPES)
def of_other_types(x, t, asked: bool):
    """Of classes that are no int64, and of a type that the kernel of an operation does not take"""
    if asked:
        try:
            return F.cross_entropy(x, t.int())
        except RuntimeError:
            x = x + 1
        F.softmax(t, 0)  # nobody reads the result
        return x  # never
    return x.softmax(1)


@case(inputs=[*FIVE[:1], *OUT_OF_RANGE, (NAN, CLASSES)], messages=False)
def margins(x, t):
    """What is NaN is not above a margin; of all and of one"""
    weight = torch.tensor([0.5, float("inf"), 1.0])
    squares = F.multi_margin_loss(x, t, p=2, margin=0.3)
    each = F.multi_margin_loss(x, t, weight=weight, reduction="none")
    return squares, each, F.multi_margin_loss(x[1], t[1]), F.multi_margin_loss(x, t, reduction="sum")


@case(inputs=[*FIVE[:1], *OUT_OF_RANGE], messages=False)
def of_a_linear_layer(x, t):
    """A layer and its loss in one function"""
    weight, bias = torch.arange(12.0).reshape(4, 3).sin(), torch.arange(4.0)
    smooth = F.linear_cross_entropy(x, weight[:3], t, linear_bias=bias[:3], label_smoothing=0.1)
    images = F.linear_cross_entropy(x, weight.reshape(2, 2, 3), t[:, None].expand(-1, 2) % 2)
    return smooth, images, F.linear_cross_entropy(x, weight, t, ignore_index=2, reduction="none")
