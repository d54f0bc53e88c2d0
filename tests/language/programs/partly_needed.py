"""Results that only one arm of a decision needs: they may be computed there, or stay."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

COLUMNS, TOO_FAR = torch.tensor([[0, 1, 2]]), torch.tensor([[9, 1, 2]])
INPUTS = [(POSITIVE,), (NEGATIVE,), (LARGE,), (MIXED,), (ZERO,)]


class _Two(nn.Module):
    """Two layers."""

    def __init__(self):
        super().__init__()
        self.one = nn.Linear(3, 3)
        self.other = nn.Linear(3, 3)


@case(inputs=INPUTS)
class OneArm(_Two):
    """A product that one arm reads."""

    def forward(self, x):
        h = self.one(x)
        dear = self.other(h) * 2
        if h.sum() > 0:
            return h
        return torch.tanh(h) + dear


@case(inputs=INPUTS)
class BothArms(_Two):
    """A product that both arms read."""

    def forward(self, x):
        h = self.one(x)
        dear = self.other(h)
        if h.sum() > 0:
            return self.one(dear)
        return self.other(h) - dear


@case(inputs=INPUTS, slow=True)
class NoArm(_Two):
    """A product that nobody reads."""

    def forward(self, x):
        h = self.one(x)
        dear = self.other(h)
        if h.sum() > 0:
            return self.one(h)
        dear = h
        return self.other(dear)


@case(inputs=INPUTS)
class ChainOfThree(_Two):
    """Three operations, each of which reads the one before, and a sum of two of them."""

    def forward(self, x):
        h = self.one(x)
        first = self.other(h)
        second = F.relu(first)
        third = self.one(second) + first
        if h.mean() > 0:
            return h, None
        return self.other(third), second


@case(inputs=INPUTS)
class EachArmItsOwn(_Two):
    """Two products, one for each arm."""

    def forward(self, x):
        h = self.one(x)
        left = self.other(h)
        right = self.one(h)
        if h.sum() > 0:
            return self.one(left)
        return self.other(right)


@case(inputs=INPUTS)
class AfterTheArms(_Two):
    """A product that one arm reads, and what follows the arms."""

    def forward(self, x):
        h = self.one(x)
        dear = self.other(h)
        if h.sum() > 0:
            h = self.one(dear)
        return h + dear


@case(
    inputs=[(each, torch.tensor([i])) for each in (POSITIVE, NEGATIVE) for i in (0, 1, 7)],
    messages=False,
)
class MayRaise(nn.Module):
    """An index out of range raises before the decision, whichever arm reads what is there."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3)
        self.layer = nn.Linear(3, 3)

    def forward(self, x, index):
        row = self.layer(self.table(index))
        if x.sum() > 0:
            return torch.tanh(self.layer(x) + row)
        return self.layer(x)


@case(
    inputs=[(POSITIVE, COLUMNS), (NEGATIVE, COLUMNS), (POSITIVE, TOO_FAR), (NEGATIVE, TOO_FAR)],
    messages=False,
)
class GatherMayRaise(_Two):
    """So does a gather with an index of run time, between two products."""

    def forward(self, x, index):
        h = self.one(x)
        picked = self.other(h).gather(1, index)
        dear = self.one(picked)
        if x.sum() > 0:
            return h
        return self.other(dear)


@case(inputs=INPUTS)
class WrittenInArm(_Two):
    """The arm writes into what the product reads, and into what it gives."""

    def forward(self, x):
        h = self.one(x)
        dear = self.other(h)
        if x.sum() > 0:
            return h
        h.add_(1)
        view = dear[0]
        view.mul_(2)
        return self.one(h) + dear


@case(inputs=INPUTS)
class WrittenBefore(_Two):
    """What the product reads is overwritten before the decision, through a view."""

    def forward(self, x):
        h = self.one(x)
        row = h[0]
        dear = self.other(h)
        row.zero_()
        if x.sum() > 0:
            return h
        return self.one(dear) + h


@case(inputs=[(each.clone(),) for (each,) in INPUTS])
class ArgumentWritten(_Two):
    """The product reads an argument, which the model writes before and behind the decision."""

    def forward(self, x):
        dear = self.one(x)
        x.mul_(2)
        more = self.other(x)
        if x.sum() > 0:
            x.add_(1)
            return dear
        x.sub_(1)
        return self.one(more) + x


@case(inputs=INPUTS)
class KeptWrite(_Two):
    """What is kept from one call to the next is written between product and decision."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(2, 3))

    def forward(self, x):
        h = self.one(x)
        dear = self.other(self.seen + h)
        self.seen = h * 0.5
        if h.sum() > 0:
            return h
        return self.one(dear)


@case(inputs=INPUTS)
class Shown(_Two):
    """The host prints and collects between product and decision."""

    def forward(self, x):
        h = self.one(x)
        dear = self.other(h)
        total = h.sum().item()
        print(f"{total > 0}")
        if total > 0:
            return h
        return self.one(dear)


@case(inputs=INPUTS)
class BeforeALoop(_Two):
    """A product before a loop that reads it, or does not run: it is computed once at most."""

    def forward(self, x):
        dear = self.one(x)
        h = x
        n = 0
        while x.sum() > 1 and n < 3:
            h = torch.tanh(self.other(h) + dear)
            n += 1
        return h


@case(inputs=INPUTS)
class LeavingALoop(_Two):
    """Each round computes what is read where the loop ends only."""

    def forward(self, x):
        h = x
        n = 0
        while True:
            h = torch.tanh(self.one(h))
            seen = self.other(h)
            n += 1
            if h.mean() > 0.1 or n > 3:
                break
        return self.one(seen), n


@case(inputs=INPUTS)
class RoundThatGoesOn(_Two):
    """Each round computes what the next one reads, from operands that change."""

    def forward(self, x):
        h = x
        for n in range(4):
            h = self.one(h)
            following = self.other(h)
            if h.sum() > 1:
                return h, n
            h = torch.tanh(following)
        return h, -1


class _Scales(nn.Module):
    """The next feature maps at two scales."""

    def __init__(self):
        super().__init__()
        self.fine = nn.Linear(3, 3)
        self.coarse = nn.Linear(3, 3)

    def forward(self, maps):
        fine, coarse = maps
        return [torch.relu(self.fine(fine)), torch.tanh(self.coarse(coarse) + fine)]


class _Last(nn.Module):
    """A classifier that looks at the last feature map."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, maps):
        return self.fc(maps[-1])


class _Sizes(_Last):
    """One that asks the others for their sizes, and how many there are."""

    def forward(self, maps):
        return self.fc(maps[-1]) * maps[0].shape[0] + len(maps)


class _Exits(nn.Module):
    head = _Last

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(_Scales() for _ in range(3))
        self.heads = nn.ModuleList(self.head() for _ in range(3))

    def forward(self, x):
        maps = [x, -x]
        for i, (block, head) in enumerate(zip(self.blocks, self.heads)):
            maps = block(maps)
            logits = head(maps)
            if logits.max().item() > 0.6:
                return logits, i
        return maps[0], logits


@case(inputs=INPUTS)
class FeatureMaps(_Exits):
    """Classifiers are given all feature maps and look at the last."""


@case(inputs=INPUTS)
class SizesOfFeatureMaps(_Exits):
    """They ask for the sizes of the others, too."""

    head = _Sizes


class _Enough(Exception):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer


@case(inputs=INPUTS)
class LeftByException(_Two):
    """One arm leaves by an exception, in a function that is called."""

    def work(self, x):
        h = self.one(x)
        dear = self.other(h)
        if h.sum() > 0:
            raise _Enough(h)
        return self.one(dear)

    def forward(self, x):
        try:
            return self.work(x), 0
        except _Enough as enough:
            return enough.answer, 1


@case(inputs=INPUTS)
class ArmThatRaises(_Two):
    """One arm raises what nobody catches."""

    def forward(self, x):
        h = self.one(x)
        dear = self.other(h)
        if x.sum() > 0:
            raise ValueError("large")
        return torch.tanh(self.one(h) + dear)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)], dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
class SizesOfRunTime(_Two):
    """As many rows as the caller likes."""

    def forward(self, x):
        h = self.one(x)
        dear = self.other(h)
        if h.sum() > 0:
            return h
        return self.one(dear)
