"""Values that live on the host, or cross between it and tensor code."""

import math

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
TURNS = [(POSITIVE, n) for n in (0, 1, 4)]


@case(inputs=TURNS)
def list_of_pairs(x, n):
    """A run-time list of (tensor, number) pairs is indexed, unpacked and returned."""
    found = [(x, 0)]
    for i in range(n):
        x = x * 1.5
        if x.sum() > 20:
            found.append((x, i))
    last, place = found[-1]
    return found, last, place, len(found)


@case(inputs=TURNS)
def kept_results_stay_as_they_are(x, n):
    """Arrays in a run-time list are not touched by what tensor code does later."""
    y = x.clone()
    items = []
    for _ in range(n):
        items.append(y)
        y = y + 1
    y = y * 2
    y += 1
    return items, y


@case(inputs=[(POSITIVE, i) for i in (0, 1, 2, -1, -3, 3, -4)])
def tensor_of_a_display(x, i):
    """(a, b, c)[i] over tensors; outside it raises IndexError with Python's text."""
    return (x, x * 2, x[0:1].expand(2, 3))[i]


@case(inputs=[(POSITIVE, i) for i in (0, 1, 2, -1, -3)])
def chosen_tensor_is_computed_with(x, i):
    """A tensor that was chosen at run time goes back into tensor code."""
    y = [x, x * 2, -x][i]
    z = [x, x * 2, -x][i - 1] if i > 0 else y
    if y.sum() > 0:
        return y + z, i
    return y - z


@case(
    inputs=[
        (torch.tensor([7 * sign, -7, 3]), torch.tensor([1, 2, d]))  # at import
        for d in (3, 0)  # at import
        for sign in (1, -1)  # at import
    ],
    messages=False,
)
def integer_division_by_zero(x, y):
    """Integer tensors divided by zero raise RuntimeError inside tensor code."""
    if x[0] > 0:
        return x // y
    return x


@case(
    inputs=[
        *[(POSITIVE, torch.tensor([i, 0])) for i in (0, 1, -1, -2, 2, -3)],
        (NEGATIVE, torch.tensor([0, 1])),
    ],
    messages=False,
)
def index_tensor_out_of_range(x, index):
    """An index tensor counts back from the end, and raises IndexError outside."""
    if x.sum() > 0:
        return x[index], x.index_select(0, index.abs() % 2)
    return x


@case(inputs=[(torch.tensor([t, 0, 1]),) for t in (3, 7, 8, -1)], messages=False)
class TokenOutOfRange(nn.Module):
    """An embedding raises IndexError for tokens it does not have, negative ones too."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(8, 2)

    def forward(self, tokens):
        if tokens.sum() > 5:
            return self.embedding(tokens) * 2
        return self.embedding(tokens)


@case(inputs=BOTH)
def uninitialised_memory(x):
    """Tensors made by empty() before a branch are filled in its arms."""
    y = torch.empty_like(x)
    z = x.new_empty(2, 3)
    if x.sum() > 0:
        y.copy_(x)
        z.fill_(1)
    else:
        y.zero_()
        z.copy_(x * 2)
    return y, z


@case(inputs=BOTH)
def results_without_elements(x):
    """Empty tensors are returned and computed with."""
    if x.sum() > 0:
        return x[:, 0:0], x[0:0], torch.zeros(0)
    return x.reshape(-1)[5:9], None


@case(inputs=BOTH)
def one_tensor_many_times(x):
    """The same tensor several times in the result."""
    if x.sum() > 0:
        return x
    return [x, x, {"a": x}, (x,)]


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 0), (POSITIVE, 9)])
class HaltingTime(nn.Module):
    """Adaptive computation time: a number from a tensor weighs the next tensor."""

    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)
        self.halt = nn.Linear(3, 1)

    def forward(self, x, most: int):
        total = torch.zeros_like(x)
        spent, steps = 0.0, 0
        while spent < 0.99 and steps < most:
            x = torch.tanh(self.cell(x))
            share = torch.sigmoid(self.halt(x)).mean().item()
            if spent + share > 0.99:
                share = 1.0 - spent
            total = total + share * x
            spent += share
            steps += 1
        return total, spent, steps


@case(inputs=TURNS)
def stack_of_tensors(x, n):
    """Tensors are pushed on a run-time list and popped into tensor code."""
    stack = [x]
    for i in range(n):
        stack.append(x * i)
    total = x * 0
    while stack:
        total = total + stack.pop()
    return total, stack


@case(inputs=TURNS, refused="DYCL046")
def printed_list_of_tensors(x, n):
    """A run-time list prints its elements: arrays would print differently."""
    items = []
    for _ in range(n):
        items.append(x)
    print("corpus", items)  # <- refused
    return len(items)


@case(inputs=TURNS, refused="DYCL037")
def identity_of_a_list_element(x, n):
    """`is` between a tensor and an element of a run-time list."""
    y = x * 2
    items = [y]
    for _ in range(n):
        items.append(y)
    return items, items[0] is y  # <- refused


@case(inputs=[(POSITIVE, 3), (MIXED, 0), (ZERO, 2)])
def exceptions_with_values(x, n):
    """Exceptions carry run-time numbers, several arguments, none."""
    total = x.sum().item()
    if total == 0:
        raise KeyError(3)
    if n == 0:
        raise ValueError("no turns", total)
    return total / n


@case(inputs=[(POSITIVE, 1), (NEGATIVE, 2)])
def parameters_named_like_the_host(_package, number):
    """Parameters and variables with names that the generated module has for itself."""
    forward = _package * 2
    observe = forward + number
    if observe.sum() > 0:
        return forward, observe
    return observe


@case(inputs=[(POSITIVE, 1), (NEGATIVE, 2)], may_refuse=True)
def parameters_named_like_libraries(np, make_tensor):
    """Parameters with the names of what the generated module imports."""
    if np.sum() > 0:
        return torch.tensor([make_tensor, 2]), np
    return np * 2, make_tensor


@case(inputs=BOTH, refused="DYCL074")
def parameter_hides_a_builtin(RuntimeError):
    """A parameter has the name of a builtin that an inlined function needs."""
    return _positive(RuntimeError)


def _positive(x):
    if x.sum() > 0:
        raise RuntimeError("positive")
    return x * 2


@case(inputs=[(2, 3), (2, -1)], refused="DYCL059")
def attribute_of_a_number_of_unknown_type(base, exponent):
    """An attribute of a number that may be an int or a float is refused."""
    power = base**exponent
    return power.real  # <- refused


@case(inputs=BOTH)
def numbers_of_tensors_known_already(x):
    """A tensor that depends on no input is a list of known numbers, which can be dimensions."""
    axes = torch.arange(x.ndim).tolist()
    sizes = torch.tensor([[1, 2], [3, 4]]).tolist()
    sizes[0].append(x.sum().item())
    return x.sum(dim=axes), sizes, torch.tensor(2.5).tolist()


class _Stepped(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.tensor([1, 2]))


@case(inputs=BOTH, rounds=True)
class NumbersOfAChangedTensor(_Stepped):
    """What is written into a tensor is read again."""

    def forward(self, x):
        counts = torch.arange(3)
        counts[1] += (x > 0).sum()
        made = torch.zeros(2)
        made.add_(2)
        return x * 2 if counts.tolist()[1] > 2 else x, made.tolist(), self.steps.tolist()
