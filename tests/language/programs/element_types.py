"""Numbers of the host as tensors and among tensors, and what element types do with them."""

import math
import warnings

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case


@case(inputs=[(n,) for n in (0, 1, -3, 7, 2**40)])
def tensors_of_an_integer(n):
    """torch.tensor of a run-time integer: alone, in lists, with a dtype."""
    return (
        torch.tensor(n),
        torch.tensor([n, 1]),
        torch.tensor([[n], [2]], dtype=torch.float32),
        torch.tensor(n, dtype=torch.float64),
    )


@case(inputs=[(v,) for v in (0.0, -1.5, 1e30, 1e300, math.inf, math.nan, 0.1)])
def tensors_of_a_float(v):
    """torch.tensor of a run-time float: too large becomes infinite, as in eager."""
    return (
        torch.tensor(v),
        torch.tensor([v, 1]),
        torch.tensor(v, dtype=torch.float64),
        torch.tensor(v) * 2,
    )


@case(inputs=[(300,), (5,), (-1,)])
def small_integers_overflow(n):
    """A number that does not fit the dtype raises RuntimeError with PyTorch's text."""
    return torch.tensor(n, dtype=torch.uint8)


@case(inputs=[(2**70,), (5,), (-(2**63),)])
def large_integers_overflow(n):
    """A number that is no int64 raises ValueError with PyTorch's text."""
    return torch.tensor([n])


@case(inputs=[(1.5,), (-2.9,), (1e19,), (math.nan,)])
def floats_are_cut_to_integers(v):
    """torch.tensor(v, dtype=torch.int64) cuts, or raises."""
    return torch.tensor(v, dtype=torch.int64)


@case(inputs=[(torch.tensor([1, 2], dtype=torch.uint8), n) for n in (1, 200, -1, 300)])
def numbers_wrap_in_small_tensors(x, n):
    """A run-time number in an operation on small integers wraps like the results do."""
    return x + n, x > n


@case(inputs=[(torch.tensor([1, -2, 3]), n) for n in (2, -1)], refused="DYCL030")
def integers_to_a_runtime_power(x, n):
    """Integer tensors raise for negative powers that are numbers, and not for tensors."""
    return x**n  # <- refused


@case(inputs=[(POSITIVE.half(), v) for v in (0.1, 70000.0, -0.0003)])
def half_with_a_runtime_float(x, v):
    """PyTorch computes with the number in single precision and rounds the result, and terms before."""
    products = x * v, v * x, x / v, v / x, x[0] * v
    return products, x + v, v - x, x - v, x[0] + v, x.reshape(-1, 2).t() + v


@case(inputs=[(POSITIVE.half(), n) for n in (3, 70001, 0)])
def half_with_a_runtime_integer(x, n):
    """So it does with integers, and with what may be a float as well."""
    return x * n, x + n, n - x, x / n, x * max(n, 2.5)


@case(inputs=[(POSITIVE.half(), v) for v in (0.1, 70000.0)], refused="DYCL030")
def half_changed_by_a_runtime_float(x, v):
    """In place it is not taken."""
    y = x.clone()
    y *= v  # <- refused
    return y


@case(
    inputs=[
        (torch.tensor([0.1, 0.3, 0.5]),),
        (torch.tensor([0.2, 0.3, 0.8]),),
        (torch.tensor([0.05, 0.2, 0.25]),),
    ]
)
def comparison_precision(x):
    """A tensor is compared in its own precision, its .item() in Python's."""
    found = []
    for i, limit in enumerate((0.1, 0.3, 0.5)):
        if x[i] > limit:
            found.append(("greater", i))
        elif x[i] == limit:
            found.append(("equal", i))
        if x[i].item() > limit:
            found.append(("item greater", i))
        if float(x[i]) == limit:
            found.append(("item equal", i))
    return found


@case(inputs=[(POSITIVE.double() / 3,), (NEGATIVE.double(),)])
def double_precision(x):
    """Doubles keep all their digits on the way to the host."""
    if x.sum() > 0.1:
        return x.sum().item(), x.mean(), x.tolist()
    return x.max().item(), x * 0.1


@case(inputs=[(POSITIVE.half() / 3,), (NEGATIVE.half(),)])
def half_precision(x):
    """Halves become Python floats and stay halves in arrays."""
    if x.sum() > 0.1:
        return x.max().item(), x + 1
    return x.max().item(), x


@case(inputs=[(torch.tensor(v, dtype=torch.uint8),) for v in ([1, 2, 3], [255, 2, 3])])
def unsigned_bytes(x):
    """Bytes wrap in tensors and not as Python numbers."""
    if x[0] > 3:
        return x + 1, x.sum(), x[0].item() + 1, x.tolist()
    return x * 2, x


@case(inputs=[(POSITIVE.half(),), (POSITIVE.half() * 200,)])
def overflow_of_halves(x):
    """What overflows at 65504 does so before it goes back to single precision."""
    y = x * 200
    if torch.isinf(y).any():
        return y.float() / 200, "infinite"
    return y.float() / 200, "finite"


@case(inputs=[(POSITIVE / 7,), (NEGATIVE * 300,)])
def rounding_to_halves(x):
    """Each operation in half precision rounds, whether single precision follows or not."""
    half = x.half()
    square = (half * half).float()
    if x.sum() > 0:
        square = square + 1
    return square, (half + 1000).float() - 1000, (half / 3).float(), x.bfloat16().float()


@case(inputs=[(POSITIVE,), (POSITIVE * 0,), (POSITIVE * 1e-9,)])
def small_numbers_added(x):
    """A small number keeps a quotient from NaN, and a small step counts in double precision."""
    share = x / (x.sum() + 1e-13)
    if torch.isnan(share).any():  # known
        return share  # never
    double = x.double() + 1
    steps = (double * (1 + 1e-12) - double) * 1e12, (double / 1.000001 - double) * 1e6
    return share, (x + 1e-9) * 1e9, *steps, (1e-10 - x * 1e-3) * 1e10


BYTES = torch.tensor([[1, 0, 2], [0, 0, 1]], dtype=torch.uint8)


@case(inputs=[(POSITIVE, BYTES), (NEGATIVE, BYTES), (NEGATIVE, 1 - BYTES % 2)])
def bytes_that_choose(x, mask):
    """torch.where, function and method, takes bytes that are not 0 for true."""
    if x.sum() > 0:
        mask = x.new_ones(x.shape, dtype=torch.uint8) - mask.clamp(max=1)
    y = torch.where(condition=mask, input=x, other=x * 2)
    return y.where(mask, torch.zeros(())), torch.where(mask[0].unsqueeze(0), y, 0.5)


@case(inputs=[(POSITIVE, BYTES.long()), (NEGATIVE, BYTES.long())], messages=False)
def integers_do_not_choose(x, mask):
    """Conditions of other types raise."""
    if x.sum() > 0:
        return torch.where(mask, x, x * 2)
    return x


def _or(compute, otherwise):
    try:
        return compute()
    except RuntimeError:
        return otherwise


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def numbers_beyond_the_elements(x):
    """A factor or value that no element can be raises; an operand like it is infinite."""
    y = _or(lambda: x.masked_fill(x > 0, 1e39), x - 1)
    small = x.half()
    if x.sum() > 0:
        y = y + _or(lambda: small.clamp(max=70000), small).float()
    return y, x * 1e39, _or(lambda: torch.addcmul(x, x, x, value=1e39), x * 2)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def a_factor_beyond_the_elements(x):
    """In a branch that is taken for some inputs only."""
    return x.sub(x, alpha=1e308) if x.sum() > 0 else x.double().sub(x, alpha=1e308)


@case(
    inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE[:0],), (NEGATIVE[:1],)],
    dynamic_shapes=({0: "rows"},),
)
def a_factor_beyond_any_number_of_rows(x):
    """It raises for no elements, too."""
    if x.sum() < 0:
        return _or(lambda: x.add(x, alpha=-1e308), x)
    return x.clone().fill_(1e308)


@case(inputs=[(torch.tensor([True, False]),), (torch.tensor([True, True]),)])
def powers_below_zero(x):
    """Integers and truths have none, whatever other powers of them there are before."""
    y = x**2 + x.long() ** 3
    if x.all():
        y = y * 3 + _or(lambda: x.long() ** -1, x.long())
    return _or(lambda: y + x**-1, y - 1)


class _Quantised(nn.Module):
    def __init__(self):
        super().__init__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch will have none of them some day
            for name, scale in (("table", 0.1), ("other", 0.5)):
                numbers = torch.quantize_per_tensor(torch.arange(3.0), scale, 0, torch.qint8)
                self.register_buffer(name, numbers)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class QuantisedTables(_Quantised):
    """What is computed of quantised tensors of the model alone is known when it is compiled."""

    def forward(self, x):
        """Take numbers, parts and settings of them, also of one that the input chooses."""
        if x.sum() > 0:
            x = x + self.table.dequantize() + self.table[1:2].dequantize()
        table = self.table if x.mean() > 1 else self.other
        return x * table.dequantize() + self.table.int_repr() * self.table.q_scale() + table.numel()


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL032")
class QuantisedTableAndInput(_Quantised):
    """With what depends on the input PyTorch multiplies them by kernels of their own."""

    def forward(self, x):
        """Choose a place by the input."""
        place = int(x[0, 0] > 0)
        return x + self.table[place].dequantize()  # <- refused


@case(
    inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE[:0],), (-NEGATIVE * 90,)],
    dynamic_shapes=({0: torch.export.Dim("rows", max=4)},),
)
def bytes_read_as_others(x):
    """`view(dtype)` between bytes, and of truths, also where it is written through."""
    small, mask = (x * 20).to(torch.int8), x > 1
    raw = small.view(torch.uint8)
    if x.sum() > 0:
        return raw + mask.view(torch.uint8), raw.view(torch.int8)
    turned = -small
    turned.view(torch.uint8)[:, 0] = 200
    return turned, mask.view(torch.int8)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE / 0,), (POSITIVE * 1e-45,), (POSITIVE * -0.0,)])
def floats_read_as_integers(x):
    """The bits of floats: signs, powers of two, and floats made of other bits."""
    bits = x.view(torch.int32)
    if x.sum() > 0:
        return bits, x.half().view(torch.int16), x.t().double().view(torch.int64)
    exponents = ((bits >> 23) & 255) - 127
    return exponents, (bits & 0x7F800000).view(torch.float32), x.clone().view(torch.int32).add_(1)


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused_on_host="DYCL411")
def floats_read_as_bytes(x):
    """No runtime reads elements as others of another size."""
    raw = x.view(torch.uint8)  # <- refused
    return raw if x.sum() > 0 else ~raw


@case(inputs=[(POSITIVE[0],), (NEGATIVE[0, :1],), (POSITIVE[0, :0],)], dynamic_shapes={"x": {0: torch.export.Dim("n")}})
def bits_of_any_number_of_floats(x):
    """The bits of as many floats as there are."""
    signs = x.view(torch.int32) < 0
    if signs.any():
        return signs, (-x).view(torch.int32)
    return signs, x.half().view(torch.int16)


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused_on_host="DYCL411")
def last_bits_of_roots(x):
    """What may be rounded in another way has other bits."""
    bits = x.abs().rsqrt().view(torch.int32)  # <- refused
    return bits if x.sum() > 0 else ~bits


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused_on_host="DYCL411")
def bits_of_what_was_computed_before(x):
    """So may what another part of the program has computed."""
    y = x.exp() if x.sum() > 0 else x
    return y.view(torch.int32)  # <- refused
