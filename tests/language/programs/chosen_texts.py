"""One of few texts chosen by a number of run time: looked up, with paths where one must be known."""

import torch
from torch import nn

from tests.language.harness import case

LABELS = ("cat", "dog", "bird")
ORDINALS = {0: "first", 1: "second", 2: "third"}
FIRST = torch.tensor([3.0, 2.0, 0.0])
SECOND = torch.tensor([1.0, 2.0, 0.0])
THIRD = torch.tensor([-1.0, 2.0, 5.0])
LOWEST = torch.tensor([-4.0, -5.0, -2.0])
EACH = [(FIRST,), (SECOND,), (THIRD,), (LOWEST,)]


@case(inputs=EACH)
def labels_that_leave(x):
    """No path for each label where nothing asks which it is."""
    best, worst = LABELS[int(x.argmax())], LABELS[int(x.argmin())]
    if x.sum() > 2:
        x = x * 2
    return best, f"not {worst}", x


@case(inputs=EACH)
def labels_in_try(x):
    """An index out of range that is caught: a text of run time and a known one are of one kind."""

    def name(number):
        try:
            return LABELS[int(number)]
        except IndexError as error:
            return str(error)

    return name(x[0]), name(x[1]), name(x[2]), name(-x[0]), name(-x[1]), name(x[2] + 1)


@case(inputs=EACH)
def ordinals_in_try(x):
    """The same of a dict, and of get()."""
    try:
        ordinal = ORDINALS[int(x[0])]
    except KeyError as error:
        ordinal = f"none for {error}"
    return ordinal, ORDINALS.get(int(x[1]), "none")


@case(inputs=EACH)
def out_of_range(x):
    """An index that nothing catches."""
    return LABELS[int(x[0])], LABELS[int(x[2])]


@case(inputs=EACH)
def a_test_asks(x):
    """Where a test asks which text it is, there is a path for each if that makes less."""
    label = LABELS[int(x.argmax())]
    if label == "dog":
        return x * 2, label
    return x + 1, label


@case(inputs=EACH)
class ModuleByLabel(nn.Module):
    """A key of a ModuleDict."""

    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({label: nn.Linear(3, 2) for label in LABELS})

    def forward(self, x):
        label = LABELS[int(x.argmax())]
        return self.heads[label](x), label


@case(inputs=EACH)
class AttributeByLabel(nn.Module):
    """The name of an attribute must be known: refused without a path for each text."""

    def __init__(self):
        super().__init__()
        self.cat, self.dog, self.bird = nn.Linear(3, 3), nn.Linear(3, 2), nn.Linear(3, 1)

    def forward(self, x):
        label = LABELS[int(x.argmax())]
        return getattr(self, label)(x), label


@case(inputs=EACH)
def identity_of_a_label(x):
    """Which object a text is must be known."""
    return LABELS[int(x.argmax())] is LABELS[0], x


@case(inputs=EACH)
def reduction_by_label(x):
    """An option of an operation must be known."""
    reduction = ("mean", "sum")[int(x[0] > 0)]
    several = ("mean", "sum", "none")[int(x.argmax())]
    loss = torch.nn.functional.mse_loss(x, x * 2, reduction=reduction)
    return loss, torch.nn.functional.l1_loss(x, x * 2, reduction=several)


@case(inputs=EACH)
def counted_by_label(x):
    """Keys of a dict and elements of a set."""
    counts = {}
    for turn in range(3):
        label = LABELS[int(x.roll(turn).argmax())]
        counts[label] = counts.get(label, 0) + turn
    return counts, sorted({LABELS[int(x.argmax())], LABELS[int(x.argmin())]})


@case(inputs=EACH)
def compared_labels(x):
    """Tests of two of them."""
    one, other = LABELS[int(x.argmax())], LABELS[int(x.argmin())]
    return one == other, one < other, (one, other) == ("cat", "dog"), one in ("cat", "bird"), x


@case(inputs=EACH)
def until_a_label_comes(x):
    """The test of a loop asks for the text that each turn chooses."""
    seen, label, turns = [], "none", 0
    while label != "bird" and turns < 2:
        label = LABELS[int(x.argmax())]
        seen.append(label)
        x = x.roll(1)
        turns += 1
    return seen, label, turns


@case(inputs=EACH)
def label_or_known_text(x):
    """A known text on one path, one of run time on another; and no text at all."""
    label = LABELS[int(x.argmax())] if x[0] > 0 else "negative"
    other = "fixed"
    if x[1] > 0:
        other = label
    none = None
    if x[2] > 0:
        none = label
    return label, other, none, x


@case(inputs=EACH)
class LastLabel(nn.Module):
    """A label that is kept from call to call, and a list of them."""

    def __init__(self):
        super().__init__()
        self.last, self.all = "none", []

    def forward(self, x):
        before, self.last = self.last, LABELS[int(x.argmax())]
        self.all.append(self.last)
        return before, self.last, list(self.all), x * 2


@case(inputs=EACH)
def raised_with_a_label(x):
    """A label in the text of an error."""
    label = LABELS[int(x.argmax())]
    assert label != "bird", f"no {label}"
    if x[0] > 2:
        raise ValueError("bad " + label)
    return label, x


@case(inputs=EACH)
def labels_as_arguments(x):
    """A function that calls itself is given one."""

    def walk(number, label):
        if number <= 0:
            return label
        return walk(number - 1, LABELS[(number + len(label)) % 3])

    return walk(int(x.argmax()), LABELS[int(x.argmin())]), x


@case(inputs=EACH)
def page_of_lines(x):
    """Lines of letters, where each letter may be left out."""
    lines = []
    for line in (x, -x, x.roll(1)):
        numbers = line.clamp(0, 2).long().tolist()
        lines.append("".join("-ab"[number] for number in numbers if number) or "?")
    return "\n".join(lines), x
