"""Dynamic if/elif/else: nested, in loops, with early return, break and continue."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class TwoArms(nn.Module):
    """if/else on a tensor, one layer in each arm."""

    def __init__(self):
        super().__init__()
        self.easy = nn.Linear(3, 2)
        self.hard = nn.Linear(3, 2)

    def forward(self, x):
        if x.mean() > 0:
            y = self.easy(x)
        else:
            y = self.hard(x)
        return torch.relu(y)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def without_else(x):
    """if without else: the variable keeps its value from before."""
    y = x * 2
    if x.sum() > 0:
        y = y + 1
    return y


@case(inputs=[(LARGE,), (POSITIVE,), (ZERO,), (NEGATIVE,)])
def elif_chain(x):
    """elif arms are tested in order and only until one holds."""
    total = x.sum()
    if total > 50:
        kind, y = "large", x / 10
    elif total > 0:
        kind, y = "positive", x
    elif total == 0:
        kind, y = "zero", x + 1
    else:
        kind, y = "negative", -x
    return kind, y


@case(inputs=[(POSITIVE, NEGATIVE), (POSITIVE, POSITIVE), (NEGATIVE, POSITIVE), (ZERO, NEGATIVE)])
def nested(x, y):
    """ifs inside both arms of an if."""
    if x.sum() > 0:
        if y.sum() > 0:
            z = x + y
        else:
            z = x - y
        z = z * 2
    else:
        if y.sum() > 0:
            z = y
        else:
            z = x @ y.T
            z = z.sum(0, keepdim=True).expand(2, 2)[:, :1] + x
    return z.clamp(max=10)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def early_return(x):
    """return ends the function in one arm only."""
    if x.sum() > 0:
        return x, "early"
    x = x.abs()
    return x, "late"


@case(inputs=[(ZERO,), (POSITIVE,), (LARGE,), (NEGATIVE,)])
class EarlyExits(nn.Module):
    """return from inside an unrolled loop over layers, the index among the results."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
        self.heads = nn.ModuleList([nn.Linear(3, 2) for _ in range(3)])
        self.threshold = 0.85

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = x + torch.relu(layer(x))
            prob = torch.softmax(self.heads[i](x), dim=1)
            if torch.max(prob) > self.threshold:
                return prob, i, True
        return prob, i, False


@case(inputs=[(POSITIVE,), (LARGE,), (NEGATIVE,)])
def break_in_unrolled_loop(x):
    """break under a dynamic test; what the loop bound stays bound after it."""
    for step in range(4):
        x = x * 2
        if x.sum() > 60:
            break
    return x, step


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def continue_in_unrolled_loop(x):
    """continue under a dynamic test skips the rest of this turn only."""
    total = torch.zeros(3)
    for row in range(2):
        if x[row].sum() < 0:
            continue
        total = total + x[row] * (row + 1)
    return total


@case(inputs=[(POSITIVE,), (LARGE,), (NEGATIVE,)])
def break_inside_nested_loops(x):
    """break leaves the inner loop only; a flag leaves the outer one."""
    turns = 0
    stop = False
    for scale in (1.0, 2.0):
        for row in range(2):
            turns += 1
            if (x[row] * scale).sum() > 14:
                stop = True
                break
        if stop:
            break
    return turns, stop


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def return_in_every_arm(x):
    """No arm goes on: what follows is dead."""
    if x.sum() > 0:
        return x + 1
    elif x.sum() < 0:
        return x - 1
    else:
        return x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def falls_off_the_end(x):
    """A function that falls off its end returns None."""
    if x.sum() > 0:
        return x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def bound_in_one_arm_read_in_the_same(x):
    """A variable bound in one arm only is read under the same test."""
    is_positive = bool(x.sum() > 0)
    if is_positive:
        bonus = x.max()
    y = x * 2
    if is_positive:
        y = y + bonus
    return y


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def unbound_after_one_arm(x):
    """Reading a variable that the taken arm did not bind raises UnboundLocalError."""
    if x.sum() > 0:
        y = x + 1
    return y


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def pass_arm(x):
    """An arm may do nothing."""
    if x.min() > 0:
        pass
    elif x.max() < 0:
        x = -x
    else:
        pass
    return x.sqrt()


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def different_dtypes_from_arms(x):
    """The arms give tensors of different dtypes to one variable."""
    if x.sum() > 0:
        y = x > 1
    else:
        y = x.long()
    return y


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def different_shapes_from_arms(x):
    """The arms give tensors of different shapes; the code after works for both."""
    if x.sum() > 0:
        y = x[:1]
    else:
        y = torch.cat([x, x])
    return y * 2, y.shape[0]


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def different_types_from_arms(x):
    """The arms give an int, a string or None to one variable that is returned."""
    if x.sum() > 0:
        found, label = 3, "three"
    else:
        found, label = None, 3.0
    return found, label


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
def same_test_twice(x):
    """The same test asked again after the variable in it changed is a new test."""
    if x.sum() > 0:
        x = x - 5
    if x.sum() > 0:
        x = x + 100
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
def swap_in_one_arm(x):
    """Parallel assignment at a join: two variables trade places in one arm."""
    a, b = x, x * 2
    for _ in range(2):
        if a.sum() > 50:
            a, b = b, a - b
        elif a.sum() > 0:
            a, b = b, a
    return a, b


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class KnownInsideDynamic(nn.Module):
    """A known test inside a dynamic arm is decided at compile time."""

    def __init__(self):
        super().__init__()
        self.normalise = True
        self.extra = None

    def forward(self, x):
        if x.sum() > 0:
            if self.normalise:  # known
                x = x / x.norm()
            if self.extra is not None:  # known
                x = self.extra(x)  # never
        elif not self.normalise:  # known
            x = x * 0  # never
        return x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def known_value_joined_in_equal_arms(x):
    """Equal numbers from both arms stay known: one indexes a tuple of layers afterwards."""
    if x.sum() > 0:
        index = 1
        y = x.exp()
    else:
        index = 1
        y = x.abs()
    functions = (torch.sin, torch.cos)
    return functions[index](y)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class LayerChosenByArm(nn.Module):
    """The arms choose the layer to call after the join."""

    def __init__(self):
        super().__init__()
        self.small = nn.Linear(3, 4)
        self.big = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x):
        if x.sum() > 0:
            head = self.small
        else:
            head = self.big
        return head(x)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
class IndexChosenByArm(nn.Module):
    """The arms choose an index into a ModuleList."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])

    def forward(self, x):
        index = 0
        if x.min() > 0:
            index = 2
        elif x.max() < 0:
            index = 1
        return self.experts[index](x), index
