"""Powers of numbers that are known only at run time."""

import torch

from tests.language.harness import case, noise

ROWS = [(noise(6, seed=seed),) for seed in range(4)]


@case(inputs=[(x, n) for (x,) in ROWS for n in (0, 1, 5)])
def length_penalty(x, n):
    """A score is divided by a power of a length, and scales tensors."""
    words = []
    for step in range(n):
        if x[step] > 0.3:
            words.append(step)
    penalty = ((5 + len(words)) / 6) ** 0.7
    return x / penalty, penalty


@case(inputs=[(x, scale) for (x,) in ROWS for scale in (0.5, 3.0)])
def step_size(x, scale):
    """An adaptive solver shrinks and grows its step by a root of the error."""
    step, order = 0.1, 3
    for _ in range(4):
        error = float((x * step * scale).abs().max())
        factor = min(2.0, max(0.2, 0.9 * error ** (-1.0 / order)))
        step = step * factor
        x = x + step * torch.tanh(x)
    return x, step


@case(inputs=[(1.5, 3), (-1.5, 3), (-2.0, -2), (0.0, 2), (float("inf"), -1), (float("nan"), 0)])
def whole_powers_of_floats(base, exponent):
    """A float to a whole power is a float, whatever its sign."""
    return torch.ones(2) * base**exponent, base**exponent


@case(inputs=[(0.0, -1), (0.0, 1), (2.0, -1)])
def powers_of_zero(base, exponent):
    """Zero cannot be raised to a negative power."""
    return torch.ones(2) * base**exponent


@case(inputs=[(2,), (-4,), (0,)])
def negative_powers_of_integers(n):
    """An integer to a known negative power is a float, zero raises."""
    return torch.ones(2) * n**-1


@case(inputs=[(2, 0.5), (9, -0.5), (0, 1.5), (-3, 2.0)])
def integers_to_floats(n, exponent):
    """An integer to the power of a float is a float."""
    return torch.ones(2) * n**exponent, pow(n, exponent)


INFINITE, NOTHING = float("inf"), float("nan")


@case(
    inputs=[
        (-INFINITE, 0.5), (-INFINITE, -1.5), (-2.0, INFINITE), (-0.5, -INFINITE),
        (-1.0, INFINITE), (-2.0, NOTHING), (0.0, -INFINITE), (NOTHING, 0.5), (1.0, NOTHING),
    ]
)  # fmt: skip
def powers_at_infinity(base, exponent):
    """Infinities and NaN have powers that are no complex numbers, and zero has some of them."""
    return torch.ones(2) * base**exponent, base**exponent


@case(inputs=[(torch.arange(4),), (torch.tensor([3, 0, 2, 1]),)])
def powers_of_negative_numbers(x):
    """A negative number to the power of a tensor: its sign belongs to the number."""
    base = -2
    low = base**x, (-2.5) ** x, -(2**x), (1 - len(x)) ** x
    if low[0][0] > 0:
        return low, x ** (-2.0), (-1) ** x * x
    return low, base**x * -1, -(base**x)


@case(inputs=[(torch.tensor([-INFINITE, -0.0, 4.0]), n) for n in (0.5, -0.5, 2.0, -1.0)])
def roots_of_half_precision(x, n):
    """Of minus infinity: infinity in half precision, and NaN in others."""
    half = x.half()
    return half**n, half**0.5, half.pow(-0.5), x**n, x**0.5
