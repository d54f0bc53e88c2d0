"""In place and aliasing across branches, loops, containers and calls."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]
COUNTS = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1)]


@case(inputs=COUNTS)
def accumulator_in_runtime_loop(x, n):
    """+= on a tensor in a run-time loop changes the object that another name holds."""
    total = torch.zeros(2, 3)
    same = total
    for i in range(n):
        total += x * i
    return total, same, total is same


@case(inputs=COUNTS, refused="DYCL037")
def rebinding_in_runtime_loop(x, n):
    """total = total + x leaves the first object alone."""
    total = torch.zeros(2, 3)
    first = total
    for _ in range(n):
        total = total + x
    return total, first, total is first


@case(inputs=BOTH)
def alias_depends_on_branch(x):
    """A name is one of two tensors at run time; writing through it changes that one."""
    a, b = x * 1, x * 2
    c = a if x.sum() > 0 else b
    c += 100
    return a, b, c


@case(inputs=BOTH)
def view_depends_on_branch(x):
    """A name is a view or a copy, by a test; writing through it changes the base or not."""
    base = x * 1
    part = base[0] if x.sum() > 0 else base[0].clone()
    part.fill_(5)
    return base, part


@case(inputs=COUNTS)
def buffer_filled_by_row(x, n):
    """gen[:, i] = ... in a run-time loop, as decoders do."""
    generated = torch.full((2, 4), -1.0)
    for i in range(n):
        generated[:, i] = x[:, i % 3] + generated[:, max(i - 1, 0)]
    return generated


@case(
    inputs=[(torch.tensor([1, 0]), 2), (torch.tensor([0, 0]), 3), (torch.tensor([1, 1]), 0)],
)
def reorder_rows(index, s):
    """gen[:, :s] = gen[idx, :s]: the right side is read before the store."""
    generated = torch.arange(6.0).view(2, 3)
    generated[:, :s] = generated[index, :s]
    return generated


@case(inputs=BOTH)
def overlapping_store(x):
    """A slice stored into an overlapping slice of the same tensor, through a copy."""
    y = x.flatten()
    y = y.clone()
    y[1:] = y[:-1].clone()
    if x.sum() > 0:
        y[:3], y[3:] = y[3:].clone(), y[:3].clone()
    return y


@case(inputs=BOTH)
def two_containers(x):
    """One tensor in two containers, written through one of them."""
    shared = x * 1
    first = [shared]
    second = {"again": shared, "list": first}
    if x.sum() > 0:
        first[0][0, 0] = 50
    second["list"][0].add_(1)
    return first, second, shared


@case(inputs=COUNTS, refused="DYCL034")
def runtime_list_of_aliases(x, n):
    """A run-time list holds one tensor several times; a write shows in all."""
    state = x.clone()
    states = []
    for _ in range(n):
        state += 1
        states.append(state)
    return states, all(s is state for s in states)


@case(inputs=COUNTS)
def runtime_list_of_copies(x, n):
    """clone() in each turn keeps the history."""
    state = x.clone()
    states = []
    for _ in range(n):
        state.mul_(2)
        states.append(state.clone())
    return states


@case(inputs=BOTH)
def helper_mutates_argument(x):
    """A function writes into the tensor and the list it is given."""

    def normalise(values, log):
        if values.sum() > 0:
            values /= values.max()
            log.append("positive")
        values -= 1
        return values

    log = []
    y = x.clone()
    z = normalise(y, log)
    return y, z, y is z, log


@case(inputs=BOTH)
def transposed_and_narrowed_views(x):
    """Writes through t(), narrow, diagonal, unbind, chunk and as rows of a loop."""
    base = x.clone()
    base.t()[0] += 1
    base.narrow(1, 1, 2).mul_(2)
    left, right = base.chunk(2, dim=1)
    for row in base:
        if row.sum() > 0:
            row.neg_()
    right.zero_()
    return base, left


@case(inputs=BOTH)
def reshape_copies_or_views(x):
    """reshape of a contiguous tensor is a view, of a transposed one a copy."""
    base = x.clone()
    flat = base.reshape(-1)
    flat[0] = 9
    turned = base.t().reshape(-1)
    turned[0] = 99
    if x.sum() > 0:
        base.view(3, 2)[2] = 0
    return base, flat, turned


@case(inputs=[*BOTH, (ZERO,)], may_refuse=True)
def input_mutated_in_loop(x):
    """An input that a run-time loop writes changes for the caller, or it is refused."""
    steps = 0
    while x.max() > 1:
        x *= 0.5
        steps += 1
    return steps


@case(inputs=[(POSITIVE, [1]), (NEGATIVE, [1])])
def input_list_is_mutated(x, log):
    """A list argument that is appended to changes for the caller."""
    if x.sum() > 0:
        log.append(2)
    return len(log)


@case(inputs=[(POSITIVE, POSITIVE), (NEGATIVE, POSITIVE)], may_refuse=True)
def inputs_that_may_alias(x, y):
    """Two inputs may be one array: a write into one shows in the other, or it is refused."""
    x += 1
    if x.sum() > 0:
        x = x * y
    return x, y


@case(inputs=BOTH)
class MaskedUpdate(nn.Module):
    """A state updated in place under masks in a loop with a dynamic stop."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        state = torch.zeros_like(x)
        running = torch.ones(2, dtype=torch.bool)
        for _ in range(4):
            update = torch.tanh(self.layer(x + state))
            state[running] = update[running]
            running &= update.mean(1) > 0.1
            if not running.any():
                break
        return state, running


@case(inputs=[(noise(2, 4), 2), (noise(2, 4, seed=3), 0)])
def in_place_on_runtime_slice(x, n):
    """+= and fill_ through slices with run-time bounds."""
    y = x.clone()
    y[:, :n] += 10
    y[:, n:].fill_(1)
    return y


@case(inputs=BOTH)
def scatter_and_put(x):
    """scatter_, index_copy_, index_put_ and out= across a branch."""
    y = torch.zeros(2, 3)
    index = x.argsort(dim=1)
    y.scatter_(1, index, x)
    result = torch.empty(2, 3)
    if x.sum() > 0:
        y.index_copy_(0, torch.tensor([1]), x[:1])
        torch.sub(y, 1, out=result)
    else:
        torch.add(y, 1, out=result)
        y.index_put_((torch.tensor([0]), torch.tensor([2])), torch.tensor(7.0))
    return y, result
