"""Functions of one example that ``torch.vmap`` makes functions of many."""

import torch
from torch import nn

from tests.language.harness import case

X = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0], [2.0, 0.0, 1.5]])
PAIRS = [(X, X.flip(0)), (-X, X), (X * 0, X + 1)]


def dot(a, b):
    """Of two vectors."""
    return (a * b).sum()


columns = torch.vmap(dot, in_dims=1)


@torch.vmap
def probabilities(row):
    """Of each row, by a decorator."""
    return row.softmax(-1)


@case(inputs=PAIRS)
def in_an_arm(x, y):
    """torch.vmap of a function, called in one arm only; one that was made before, in the other"""
    if x.sum() > 0:
        return torch.vmap(dot)(x, y)
    return columns(x, y) * 2


@case(inputs=PAIRS)
def along_dimensions(x, y):
    """vmap along given dimensions of some arguments, with structures for results"""
    first = torch.func.vmap(lambda a: {"sum": a.sum(), "more": (a * 2, [a.max()])})(x)
    second = torch.vmap(lambda a, b: a @ b, in_dims=(None, 1), out_dims=-1)(x, y)
    third = torch.vmap(lambda pair: pair[0] - pair[1]["b"], in_dims=((0, {"b": 1}),))((x, {"b": y}))
    return first, second, third


@case(inputs=PAIRS)
def nested_maps(x, y):
    """vmap in vmap, with variables from outside"""
    factor = 3.0
    return torch.vmap(lambda row: torch.vmap(lambda a, b: a * b + factor)(row, row))(x) + y


@case(inputs=PAIRS)
def with_keywords(x, y):
    """Keyword arguments of what vmap makes are given to each call whole"""
    return torch.vmap(lambda row, table=None: table @ row)(x, table=y)


@case(inputs=PAIRS)
def chunks(x, y):
    """vmap in chunks, of a decorated function, and results without a dimension for examples"""
    rows, three = torch.vmap(lambda a: (a * 2, 3), out_dims=(0, None))(x)
    return torch.vmap(dot, chunk_size=2)(probabilities(rows) * three, y)


@case(inputs=PAIRS)
class Ensemble(nn.Module):
    """Calls several networks of one structure with vmap over their stacked weights"""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        networks = [nn.Linear(3, 2) for _ in range(3)]
        for network in networks:  # sums of eighths are the same in any order
            network.weight.data = (network.weight.data * 8).round() / 8
            network.bias.data = (network.bias.data * 8).round() / 8
        self.parameters_, self.buffers_ = torch.func.stack_module_state(networks)
        self.structure = [nn.Linear(3, 2, device="meta")]

    def one(self, parameters, buffers, x):
        """Call one of them."""
        return torch.func.functional_call(self.structure[0], (parameters, buffers), (x,))

    def forward(self, x, y):
        """Ask again where they do not agree."""
        ask = torch.vmap(self.one, in_dims=(0, 0, None))
        found = ask(self.parameters_, self.buffers_, x)
        if found.var(0).max() > 1:
            return found.mean(0)
        return ask(self.parameters_, self.buffers_, y).amax(0)


@case(inputs=PAIRS, refused=True)
def deciding(x, y):
    """A function that decides by what an example holds, which PyTorch refuses too"""
    return torch.vmap(lambda a: a if a.sum() > 0 else -a)(x)  # <- refused


@case(inputs=PAIRS)
def of_those_chosen(x, y):
    """vmap over as many rows as a mask chooses, once a test has said that it chooses any"""
    chosen = x[y[:, 0] > 2.5]
    if len(chosen) == 0:
        return y
    return torch.vmap(lambda row: row * row.sum())(chosen)


@case(inputs=PAIRS, refused=True)
def perhaps_none(x, y):
    """vmap over rows of which there may be none, where PyTorch raises for some functions"""
    chosen = x[y[:, 0] > 0.6]
    return torch.vmap(lambda row: row * row.sum())(chosen)  # <- refused


@case(inputs=PAIRS, refused=True)
def counting(x, y):
    """A function that changes a list from outside, which PyTorch calls once for all examples"""
    seen = []

    def noted(row):
        seen.append(1)
        return row * 2

    rows = torch.vmap(noted)(x)  # <- refused
    return rows, len(seen)


@case(inputs=PAIRS, refused=True)
def numbering(x, y):
    """A function that changes a variable of the function around it"""
    count = 0

    def numbered(row):
        nonlocal count
        count += 1
        return row * count

    return torch.vmap(numbered)(x)  # <- refused


@case(inputs=PAIRS, refused=True)
def adding_up(x, y):
    """A function that writes to a tensor from outside, where PyTorch raises"""
    total = torch.zeros(3)
    if x.sum() > 0:
        return x
    return torch.vmap(lambda row: total.add_(row) * 1)(x)  # <- refused


@case(inputs=PAIRS, refused=True)
def reading_numbers(x, y):
    """A function that takes a number out of an example, where PyTorch raises"""
    if x.sum() > 0:
        return x
    return torch.vmap(lambda row: row * row.sum().item())(x)  # <- refused


@case(inputs=PAIRS, refused=True)
def telling(x, y):
    """A function that prints, which PyTorch calls once for all examples"""

    def told(row):
        print("a row")
        return row * 2

    return torch.vmap(told)(x)  # <- refused


@case(inputs=PAIRS)
def own_tensors(x, y):
    """Tensors made for an example, changed in place, where they are made of the example"""

    def changed(row, other):
        made = torch.zeros_like(row)
        made += row
        made[0] = other.sum()
        return made, row.new_zeros(2), row[[0, 2]], row.argmax()

    return torch.vmap(changed)(x, y)


@case(inputs=PAIRS)
def promoted_numbers(x, y):
    """A number of each example counts as a number where operators take two tensors"""
    return torch.vmap(lambda a, row: (a * row, torch.maximum(a, row), row > a))(x[:, 0].double(), y)


@case(inputs=PAIRS, refused=True)
def shared_tensor(x, y):
    """A tensor that is not of an example gets what is: all examples would share it, and PyTorch raises"""

    def changed(row):
        made = torch.zeros(3)
        made += row
        return made  # never

    if x.sum() > 0:
        return x
    return torch.vmap(changed)(x)  # <- refused


@case(inputs=PAIRS, refused=True)
def shared_element(x, y):
    """An element of a tensor that is not of an example is set to what is"""

    def changed(row):
        made = torch.zeros(3)
        made[0] = row.sum()
        return made  # never

    if x.sum() > 0:
        return x
    return torch.vmap(changed)(x)  # <- refused


@case(inputs=PAIRS, refused=True)
def sizes_by_content(x, y):
    """Elements chosen by a mask, of which there are as many in each example: PyTorch raises"""
    if x.sum() > 0:
        return x
    return torch.vmap(lambda row: row[row > -100])(x)  # <- refused


@case(inputs=PAIRS, refused=True)
def masked_assignment(x, y):
    """Elements set by a mask of an example, for which PyTorch raises"""

    def changed(row):
        made = row.clone()
        made[made > 0] = 0
        return made  # never

    if x.sum() > 0:
        return x
    return torch.vmap(changed)(x)  # <- refused


@case(inputs=PAIRS, refused=True)
def other_types(x, y):
    """A number of each example counts as a tensor in some operators: the type is another one"""
    return torch.vmap(lambda a, row: torch.where(row > 0, a, row))(x[:, 0].double(), y)  # <- refused


@case(inputs=PAIRS, refused=True)
def random_numbers(x, y):
    """Random numbers, for which PyTorch raises unless it is told which"""
    if x.sum() > 0:
        return x
    return torch.vmap(lambda row: row + torch.rand(3))(x)  # <- refused
