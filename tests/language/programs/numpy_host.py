"""numpy functions over tensors' values on the host."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=[*BOTH, (MIXED,)])
class ArgmaxOnHost(nn.Module):
    """np.argmax over logits chooses the next layer."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(3, 3)
        self.experts = nn.ModuleList([nn.Linear(3, 2) for _ in range(3)])

    def forward(self, x):
        choice = int(np.argmax(self.router(x).mean(0).numpy()))
        for i, expert in enumerate(self.experts):
            if i == choice:
                return expert(x), choice
        raise AssertionError("unreachable")  # never


@case(inputs=BOTH)
def numpy_results(x):
    """numpy scalars and arrays are returned as such."""
    values = x.numpy()
    if np.max(values) > 0:
        return np.argmax(values), np.mean(values), values.sum(axis=0)
    return np.abs(values), values.shape, values.dtype == np.float32


@case(inputs=[*BOTH, (LARGE,)])
def numpy_of_detached(x):
    """x.detach().cpu().numpy() and comparisons of numpy numbers."""
    scores = torch.softmax(x, dim=1).detach().cpu().numpy()
    top = scores.max(axis=1)
    if (top > 0.9).all():
        return "sure", float(top[0])
    if top[0] < 0.9 and np.any(scores[:, 0] > 0.4):
        return "unsure", scores[0].argmax()
    return "neither", top.tolist()


@case(inputs=BOTH)
def numpy_on_known_values(x):
    """numpy over known numbers is computed at compile time."""
    steps = np.linspace(0, 1, 3)
    weights = np.array([1, 2, 3]) ** 2
    for step in steps:
        if x.sum() > step:
            x = x - float(step)
    return x, int(weights.sum()), np.prod([2, 3]), float(np.sqrt(16.0))


@case(inputs=[*BOTH, (MIXED,)])
def numpy_sorting(x):
    """np.argsort and np.where over host values, looped over."""
    order = np.argsort(x.sum(0).numpy(), kind="stable")
    ranks = []
    for position in order:
        ranks.append(int(position))
    return ranks, np.where(x[0].numpy() > 0, 1, 0)


@case(inputs=BOTH)
def from_numpy(x):
    """torch.from_numpy of known arrays is a constant tensor."""
    mask = torch.from_numpy(np.array([1.0, 0.0, 1.0], dtype=np.float32))
    y = x * mask
    if y.sum() > 0:
        return y
    return y.sum(dim=1), np.float32(0.5) * 2


@case(inputs=BOTH)
def numpy_scalars_mix(x):
    """numpy scalars mix with Python numbers by numpy's rules."""
    total = np.sum(x.numpy())
    count = np.count_nonzero(x.numpy() > 1)
    if total > count:
        return total / 2, count + 1, bool(total > 1), int(count)
    return total * np.float64(2), count - 1.5, round(float(total), 1)


@case(inputs=[*BOTH, (MIXED,)])
def argmax_of_a_list_of_tensors(x):
    """numpy turns a list of 0-d tensors into an array; the number it finds picks an output."""
    outputs = [x + 1, x * 2, -x]
    confidences = []
    for output in outputs:
        confidences.append(torch.softmax(output.sum(0), dim=0).max())
    best = np.argmax(confidences)
    return outputs[best], best, np.mean(confidences)


@case(inputs=BOTH)
def numpy_function_answered_by_the_tensor(x):
    """np.argmax of a tensor asks the tensor, which answers with a tensor and no numpy number."""
    if x.sum() > 0:
        return np.argmax(x), np.argmin(x, axis=1)
    return np.argmax(x, 0)


@case(inputs=[*BOTH, (MIXED,), (torch.tensor([[float("nan"), 1.0, -1.0], [0.0, -0.0, 9.0]]),)])
def numpy_argsort_of_a_tensor(x):
    """np.argsort of a tensor: its own method does not take what numpy hands on, so numpy sorts its array."""
    best_first = [x[0][j].item() for j in list(np.argsort(x[0]))[::-1]]
    if x.sum() > 0:
        return best_first, np.argsort(x, axis=0), np.argsort(x.t(), -1)
    return best_first, np.argsort(x, axis=None), np.argsort((x > 0)[0]) + 1


@case(inputs=BOTH)
def numpy_argsort_of_a_tensor_by_a_kind(x):
    """With a kind of sorting too."""
    return np.argsort(x.round(), kind="stable"), np.argsort(x[0] > 0, -1, kind="stable")


@case(inputs=BOTH, refused="DYCL059")
def numpy_argsort_of_a_tensor_by_an_order(x):
    """An order of fields is not asked for."""
    return np.argsort(x[0], order=None)  # <- refused


@case(inputs=[(POSITIVE,), (-POSITIVE,), (MIXED,)])
def ufunc_of_a_tensor(x):
    """A ufunc computes with the tensor's array, and hands the result back: it is a tensor."""
    root = np.sqrt(np.abs(x))
    if root.sum() > x.sum():
        return root.t(), np.exp(x.to(torch.int64))
    return root


@case(inputs=[(POSITIVE,), (-POSITIVE,)])
def ufunc_of_a_tensor_and_others(x):
    """It does so beside numbers, arrays and other tensors; what is true or false becomes bytes."""
    if np.greater(x, 0).all():
        return np.maximum(x, 0.5), np.add(np.ones(x.shape[1]), x)
    return np.minimum(0, x), np.equal(x, x)


@case(inputs=[(POSITIVE,), (-POSITIVE,)])
def ufunc_of_a_tensor_without_dimensions(x):
    """Of a tensor without dimensions it is one, too; two results are two tensors."""
    total = np.tanh(x.sum())
    if total.item() > 0:
        return np.modf(total)
    return total


@case(inputs=BOTH, refused="DYCL059")
def ufunc_of_a_tensor_with_an_argument(x):
    """Arguments by keyword are left to numpy, which is given arrays by the host."""
    if x.sum() > 0:
        return np.sqrt(x, dtype=np.float64)  # <- refused
    return x


@case(inputs=[(POSITIVE,), (-POSITIVE,)])
def ufunc_of_a_list_of_tensors(x):
    """numpy makes an array of a list of tensors, and gives an array."""
    if x.sum() > 0:
        return np.maximum([x[0, 0], x[0, 1]], 0)
    return np.negative([x.sum()])


@case(inputs=BOTH, refused="DYCL059")
def numpy_function_that_a_tensor_fails(x):
    """np.max of a tensor fails in eager: the tensor's own max has other arguments."""
    if x.sum() > 0:
        return np.max(x)  # <- refused
    return x


@case(inputs=[*BOTH, (MIXED,)])
def found_position_picks_an_output(x):
    """The position that np.argmax finds is none that is negative or out of range."""
    outputs = [x + 1, x * 2, -x]
    best = int(np.argmax([output.sum().item() for output in outputs]))
    return outputs[best], best


@case(inputs=BOTH, refused="DYCL059")
def array_of_tensor_objects(x):
    """An array of objects would hold tensors in eager and arrays on the host."""
    if x.sum() > 0:
        return np.array([x[0, 0], x[0, 1]], dtype=object)  # <- refused
    return x


@case(inputs=[(1,), (2,), (5,)])
def range_of_numpy_integers(n):
    """Integers of numpy are bounds of a range, and what it gives are Python's integers."""
    bounds = np.asarray([n, 4])
    return [index * 2 for index in range(bounds[0], bounds[1])], list(range(bounds[0]))


WORDS = ["stop", "left", "right", "scene"]
TOKENS = [(torch.tensor(row),) for row in ([[1, 2, 3], [0, 0, 0]], [[3, 1, 1], [2, 0, 1]])]


@case(inputs=[*TOKENS, (torch.tensor([[7, 1, 1], [0, 0, 1]]),)])
class ProgramOfTokens(nn.Module):
    """An array of tokens is walked from its end: each names the layer that runs next."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({word: nn.Linear(3, 3) for word in WORDS[1:]})

    def forward(self, tokens):
        y = torch.ones(1, 3)
        for row in tokens.data.cpu().numpy():
            for token in reversed(row):
                word = WORDS[token]
                if word in {"stop"}:
                    continue
                y = self.layers[word](y)
                if "e" in word:
                    y = y.relu()
        return y


@case(inputs=[*BOTH, (MIXED,)])
def rows_of_arrays(x):
    """Rows of an array: walked, unpacked, numbered, zipped, turned round, made a list."""
    values = x.numpy()
    first, second = values
    a, b, c = first
    total = 0
    for place, (left, right) in enumerate(zip(first, second, strict=True)):
        if left > right:
            total += place + float(left)
    return total, a + b * c, list(reversed(second)), [row.max() for row in values[::-1]]


@case(inputs=[*BOTH, (MIXED,)])
def places_in_arrays(x):
    """A number found at run time is one of several indices; an array of places picks elements."""
    values = x.numpy()
    place = int(x[0].argmax())
    best = np.argmax(values[1])
    order = np.argsort(-values[0], kind="stable")
    return values[0, place], values[1, best], values[:, place], values[0][order], values[1, order]


@case(inputs=[(POSITIVE, 1), (POSITIVE, 2), (POSITIVE, 3), (POSITIVE, -4)], messages=False)
def places_beyond_the_end(x, place):
    """An index beyond the end raises where it is used."""
    values = x.numpy()
    if place != 1:
        return values[1, place]
    return values[0, 0]


@case(inputs=[(POSITIVE, 1), (POSITIVE, 0)])
def shape_that_depends_on_a_number(x, axis):
    """Along which axis numpy sums decides the shape of what it gives."""
    return x.numpy().sum(axis=axis).shape


@case(inputs=BOTH, refused="DYCL059")
def rank_that_depends_on_a_size(x):
    """How many dimensions there are must be known: here it depends on what the mask picks."""
    values = x[0].numpy()
    return values[values > 1].reshape(-1, 1).squeeze().shape  # <- refused


@case(inputs=BOTH, refused="DYCL059")
def element_type_that_depends_on_numbers(x):
    """So must the element type: a root is complex where a number is negative."""
    return np.emath.sqrt(x.numpy())  # <- refused


@case(inputs=[(POSITIVE,), (-POSITIVE,)])
def walk_over_a_number(x):
    """An array of no dimension cannot be walked over."""
    try:
        for value in x.sum().numpy():
            return value  # never
    except TypeError as error:
        return str(error)
    return "walked"  # never


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 0), (MIXED, 3)])
def brackets_that_join(x, n):
    """np.r_ and np.c_ make arrays of what is between their brackets, np.s_ gives it."""
    values = x.numpy().ravel()
    some = values[values > 0]
    pairs = np.c_[np.maximum(values, 0), values]
    rows = np.r_["0,2", values, values]
    grid = np.mgrid[0:n, 0:2]
    return np.r_[some, 1.5, [n, 2.0]], pairs, rows, grid, np.r_[0:n, 5], values[np.s_[n:]]


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 0), (MIXED, 3)], slow=True)
def arrays_that_are_searched(x, n):
    """``in`` of an array asks whether any element is equal, NaN never."""
    places = np.flatnonzero(x.numpy() > 0)
    left = [place for place in range(3) if place not in places]
    return left, n in np.array([1, 2, 5]), places[:1] in places, x.numpy()[0, 0] in x.numpy()


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def equations_solved(x):
    """What solves equations gives arrays of known size, though most samples have no solution."""
    state = np.r_[x.numpy()[0], x.numpy()[0]]
    covariance = np.outer(state, state) + 2 * np.eye(6)
    for _ in range(2):
        lower = np.linalg.cholesky(covariance)
        if state.sum() > 3:
            state = np.linalg.solve(covariance, state)
        state = np.dot(lower, state)
    return state, state.shape


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 0)])
def arrays_of_an_element_type(x, n):
    """The element type of another array is asked for."""
    values = x.numpy()
    made = np.zeros((n, 2), dtype=values.dtype)
    return values.astype(values.dtype, copy=False) + 1, made, np.full(n, 2, values.argsort().dtype)
