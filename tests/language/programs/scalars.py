"""Run-time numbers: .item(), conversions, arithmetic, thresholds, math."""

import math

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def item_of_each_dtype(x):
    """.item() gives int, float or bool by the dtype; 0-dim and one-element tensors."""
    count = (x > 0).sum()
    flag = (x > 0).all()
    return x[0, 0].item(), count.item(), flag.item(), x[:1, :1].item(), x.double().sum().item()


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
class ConfidenceThreshold(nn.Module):
    """A confidence compared with an attribute, the arg-max index returned as a number."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 4)
        self.threshold = 0.6

    def forward(self, x):
        probabilities = torch.softmax(self.head(x), dim=1)
        confidence = torch.max(probabilities)
        if confidence >= self.threshold:
            return probabilities, confidence.item(), int(probabilities[0].argmax())
        return probabilities, float(confidence), -1


@case(inputs=BOTH)
def host_arithmetic(x):
    """Arithmetic of run-time numbers with known ones keeps Python's types."""
    n = int((x > 1).sum())
    mean = x.mean().item()
    ratio = n / 2
    half = n // 2
    if ratio > 1 and half * 2 == n:  # known
        n += 1
    return n, ratio, half, n * 1.0, n - True, mean > n, n**2, (n + 1) ** -1, 2**n, -n % 3


@case(inputs=BOTH)
def double_precision_on_the_host(x):
    """Host arithmetic of floats is double precision, tensor arithmetic is single."""
    a = x[0, 0].item()
    host = a / 3 + 1e-9
    tensor = (x[0, 0] / 3 + 1e-9).item()
    if host > 0:
        return host, tensor, host - 1e-9 == a / 3
    return a * 1e10 + 1, 0.1 + 0.2 == 0.3


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def math_functions(x):
    """math.* on run-time numbers, with their exceptions."""
    value = x.sum().item()
    if value == 0:
        return math.isclose(value, 1e-12, abs_tol=1e-9), math.inf, math.copysign(1, -value)
    if value > 0:
        return math.sqrt(value), math.floor(value), math.ceil(-value), math.log2(8), math.pi
    return math.log(value)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def running_maximum(x):
    """Numbers carried through an unrolled loop: best score and its index."""
    best, where = float("-inf"), -1
    for i in range(x.shape[1]):
        score = x[:, i].sum().item()
        if score > best:
            best, where = score, i
    return best, where


@case(inputs=BOTH)
def counters(x):
    """Counters that start known become run-time numbers in one arm."""
    positive = negative = 0
    for value in x.flatten():
        if value > 1:
            positive += 1
        elif value < -1:
            negative -= 1
    return positive, negative, positive + negative, positive > 2


@case(inputs=[(2,), (5,), (-1,)])
def integer_argument(n):
    """An int argument is dynamic: tests and arithmetic on it stay."""
    if n > 3:
        n = n * 10
    elif n < 0:
        return abs(n)
    return n + 1, n % 2 == 0


@case(inputs=[(POSITIVE, 1.5), (POSITIVE, 0.2), (NEGATIVE, 0.2)], slow=True)
def float_argument(x, threshold):
    """A float argument is compared with a tensor's number and returned."""
    confidence = x.max().item()
    if confidence > threshold * 2:
        return x, confidence - threshold
    return x * 2, threshold


@case(inputs=BOTH)
def tensor_and_number_comparison(x):
    """Tensor of one element against number: the result is a tensor until it is tested."""
    limit = x.mean() * 2
    over = x.max() > limit
    if over:
        under = x.min() < limit.item()
        return over, under
    return bool(over), limit


@case(inputs=BOTH)
def minimum_of_tensors(x):
    """Python's min and max over one-element tensors choose one of the tensors."""
    smallest = min(x[0, 0], x[0, 2])
    largest = max([row.sum() for row in x])
    return smallest, largest, max(x[0, 0], torch.tensor(0.0)), max(x[0].tolist())


@case(inputs=BOTH)
def round_and_format_free(x):
    """round, int and floor of tensors' numbers."""
    value = x[1, 1].item()
    return round(value), int(value), math.trunc(value), round(x[0, 2].item(), 1), x.round()


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def division_of_runtime_numbers(x):
    """Division by a run-time zero raises on the host, gives inf in a tensor."""
    total = x.sum()
    inverse = 1 / total
    return inverse, 1 / total.item()


@case(inputs=BOTH, slow=True)
def tolist_of_known_size(x):
    """.tolist() of a tensor of known shape gives lists of numbers."""
    rows = x.tolist()
    first, second = rows
    if first[0] > second[-1]:
        first = second
    return rows, first[1], (x > 0).tolist(), x.sum().tolist(), sum(first)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def nan_and_infinity(x):
    """NaN and infinity pass through tests and results."""
    ratio = (x.sum() / x.abs().sum()).item()
    if math.isnan(ratio):
        return "nan", ratio
    if math.isinf(ratio / 1e-320 if ratio > 0 else 1.0):
        return "inf", ratio * float("inf")
    return "number", ratio


@case(inputs=[(POSITIVE, NEGATIVE), (NEGATIVE, POSITIVE), (ZERO, POSITIVE)])
def several_decisions(x, y):
    """Several numbers decide together; some results are bools, some are tensors."""
    a, b = x.norm(), y.sum().item()
    accept = a > 1 and b > 0
    reject = not accept or bool(x.max() < 0)
    return accept, reject, [accept, a], {"b": b}


@case(inputs=[(torch.tensor([3, -4]),), (torch.tensor([-7, 2]),)])
def integer_tensors(x):
    """Integer tensors: //, %, division, shifts and comparison against Python ints."""
    first = x[0].item()
    if first > 0:
        return x // 2, x % 3, x / 2, first // -2, x**2
    return -x, x.abs() << 1, x.float().mean(), first % 4, (x == -7).tolist()
