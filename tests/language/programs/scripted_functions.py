"""Functions that ``torch.jit.script`` compiles: Python never runs their lines."""

import functools
from typing import List, NamedTuple, Optional, Tuple  # noqa: UP035

import torch

from tests.language.harness import case, noise

WIDE = noise(1, 4, 5)
CUT = [(WIDE, 2), (-WIDE, 0), (WIDE, 1), (WIDE, 7)]


@torch.jit.script
def gated(one, other, channels):
    n = channels[0]  # never
    both = one + other  # never
    return torch.tanh(both[:, :n, :]) * torch.sigmoid(both[:, n:, :])  # never


@torch.jit.script
def turned(x):
    if x.sum() > 0:  # never
        return x * 2  # never
    return -x  # never


@torch.jit.script
def checked(x):
    assert bool(x.sum() > 0)  # never
    return x * 2  # never


@torch.jit.script
def doubled(x, twice: bool):
    if twice:  # never
        return x * 2  # never
    return x  # never


@case(inputs=CUT)
def a_gate_of_any_length(x, n):
    """A straight line of operations, evaluated as it is written where sizes are open"""
    part = x[:, :, :n]
    channels = torch.IntTensor([2])
    return gated(part, torch.zeros_like(part), channels), gated(other=x, one=x, channels=channels)


@case(inputs=CUT)
def a_flag_chooses(x, n):
    """What a number decides in compiled code, at fixed sizes"""
    return doubled(x, True) + doubled(x, False) * n


@case(inputs=CUT)
def content_chooses(x, n):
    """What a tensor holds decides in compiled code"""
    return turned(x) if n == 1 else x


@case(inputs=CUT, refused="DYCL031")
def content_is_checked(x, n):
    """Compiled code that asserts raises an error of its own"""
    if n == 2:
        return checked(x)  # <- refused
    return x


@torch.jit.script
def snake(x, alpha):
    shape = x.shape  # never
    x = x.reshape(shape[0], shape[1], -1)  # never
    x = x + (alpha + 1e-9).reciprocal() * torch.sin(alpha * x).pow(2)  # never
    return x.reshape(shape)  # never


@torch.jit.script
def shifted(x: torch.Tensor):
    b, q, k = x.shape  # never
    x = torch.nn.functional.pad(x, [1, 0])  # never
    return x.view(b, k + 1, q)[:, 1:].view(b, q, k)  # never


@torch.jit.script
def biased(x: torch.Tensor, bias: Optional[torch.Tensor], scale: float = 0.5, center: bool = False):
    if bias is not None:  # never
        x = x + bias  # never
    half = x.size(2) // 2  # never
    if bool(x.sum() > 5):  # never
        half = half * 1 + 1 - 1  # never
    if center and half > 0:  # never
        x = x - x[:, :, :half].mean()  # never
    return x * scale  # never


@case(inputs=CUT)
def numbers_of_sizes(x, n):
    """Compiled code counts with sizes, calls F, and has arguments that are None, at open sizes"""
    part = x[:, :, n:]
    if part.size(2) == 0:
        return None
    turned_around = shifted(part @ part.transpose(1, 2))
    given = biased(part, None), biased(part, part, center=True), biased(scale=2.0, bias=None, x=part)
    return snake(part, torch.ones(1, 4, 1)), turned_around, given


@torch.jit.script
def halved(x: torch.Tensor, limit: float, most: int):
    steps = 0  # never
    while float(x.abs().max()) > limit:  # never
        if steps >= most:  # never
            break  # never
        x = x * 0.5  # never
        steps += 1  # never
    for _ in range(steps):  # never
        x = torch.tanh(x)  # never
    return x, steps  # never


@case(inputs=[(WIDE, 1.0, 9), (-WIDE, 0.1, 9), (WIDE * 90, 0.1, 3), (WIDE, 9.0, 9)])
def content_and_numbers_choose(x, limit, most):
    """Loops of compiled code that end by what a tensor holds, and by numbers of run time"""
    y, steps = halved(x, limit, most)
    return y if steps > 1 else x, steps


@torch.jit.script
def wraps(x: torch.Tensor):
    n = int(x.sum()) + 9223372036854775807  # never
    return x * 2, n  # never


@torch.jit.script
def rounds(x: torch.Tensor):
    y = x.mean()  # never
    return x * 2, round(float(y))  # never


@torch.jit.script
def doubles(x: torch.Tensor):
    n = 1  # never
    while bool(x.sum() > n):  # never
        n = n + n  # never
    return n  # never


@case(inputs=CUT, refused="DYCL031")
def integers_of_64_bits(x, n):
    """Compiled code computes with integers that may wrap, and rounds in a way of its own"""
    if n == 0:
        return wraps(x)  # <- refused
    if n == 1:
        return rounds(x)
    return doubles(x)


@torch.jit.script
def tells(x: torch.Tensor):
    if torch.jit.is_scripting() and bool(x.sum() > 0):  # never
        return x + 1  # never
    return x  # never


@torch.jit.script
def inner(x: torch.Tensor):
    return tells(x) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def asks_how_it_runs(x, n):
    """Compiled code that asks whether it is compiled, and that calls other code of the program"""
    return tells(x) if n > 1 else inner(x)  # <- refused


@torch.jit.script
def divided(x: torch.Tensor, by: int):
    return (x * (x.size(2) / by) if bool(x.sum() > 0) else x)  # never


@torch.jit.script
def as_float(x: torch.Tensor, by: float):
    return x * by if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def numbers_are_converted(x, n):
    """Compiled code divides integers, or gets an integer for a float"""
    return divided(x, 2) + as_float(x, n)  # <- refused


@torch.jit.script
def with_shape(x: torch.Tensor):
    return (x * 2, x.shape) if bool(x.sum() > 0) else (x, x.shape)  # never


@case(inputs=CUT, refused="DYCL031")
def sizes_are_lists(x, n):
    """What compiled code gives for a size is a list"""
    return with_shape(x), n  # <- refused


asks_by_another_name = torch.jit.is_scripting


@torch.jit.script
def tells_too(x: torch.Tensor):
    if asks_by_another_name() and bool(x.sum() > 0):  # never
        return x + 1  # never
    return x  # never


activation = torch.relu


def with_ten(function):
    @functools.wraps(function)  # never
    def added(x):  # never
        return function(x) + 10  # never

    return added  # never


@torch.jit.script
@with_ten
def decorated(x: torch.Tensor):
    return x * 2 if bool(x.sum() > 0) else x  # never


@torch.jit.script
def activated(x: torch.Tensor):
    return activation(x) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def compiled_from_something_else(x, n):
    """Compiled code that asks how it runs by another name, leaves decorators out, and keeps what names were"""
    if n == 0:
        return tells_too(x)  # <- refused
    if n == 1:
        return decorated(x)
    return activated(x)


activation = torch.tanh


@torch.jit.script
def activated_again(x: torch.Tensor):
    return activation(x) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT)
def keeps_what_names_are(x, n):
    """Compiled code whose names are what they were"""
    return activated_again(x), n


@torch.jit.script
def hashed(x: torch.Tensor, seed: int):
    large = seed * 6364136223846793005 + 1442695040888963407  # never
    return x * (large % 7) if bool(x.sum() > 0) else x  # never


@torch.jit.script
def counts_far(x: torch.Tensor):
    n = 1  # never
    for _ in range(2):  # never
        n = n + 9223372036854775807  # never
    return x * n if bool(x.sum() > 0) else x  # never


@torch.jit.script
def scaled_by(x: torch.Tensor, n: int):
    return x * (n * 4 % 7) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def large_constants(x, n):
    """Compiled code computes with constants that are larger than sizes"""
    if n == 0:
        return hashed(x, 3)  # <- refused
    if n == 1:
        return counts_far(x)
    return scaled_by(x, 2**62 + 1)


@torch.jit.script
def walks_and_grows(x: torch.Tensor):
    found = [x]  # never
    for each in found:  # never
        if len(found) < 4:  # never
            found.append(each * 2)  # never
    return torch.stack(found) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def list_that_grows_while_walked(x, n):
    """Compiled code asks for the length of a list once, before a loop"""
    return walks_and_grows(x), n  # <- refused


@torch.jit.script
def walks_and_gathers(x: torch.Tensor):
    found = [x]  # never
    for each in x.unbind(1):  # never
        found.append(each[:, None] + x if bool(each.sum() > 0) else x)  # never
    return torch.stack(found)  # never


@case(inputs=CUT)
def list_beside_one_that_is_walked(x, n):
    """Compiled code walks one list and lets another one grow"""
    return walks_and_gathers(x), n


class Pair(NamedTuple):
    one: torch.Tensor
    other: torch.Tensor


@torch.jit.script
def paired(x: torch.Tensor):
    return Pair(x, x * 2) if bool(x.sum() > 0) else Pair(x, x)  # never


@case(inputs=CUT, refused="DYCL031")
def tuple_with_names(x, n):
    """Compiled code gives tuples with names of a class of its own"""
    pair = paired(x)  # <- refused
    return pair.one, isinstance(pair, Pair), n


@torch.jit.script
def compared_with_itself(x: torch.Tensor):
    total = float(x.sum())  # never
    return x + 1 if total != total else x * (2 if total > 3 else 1)  # never


@case(inputs=CUT, refused="DYCL031")
def not_a_number_compared(x, n):
    """Compiled code takes two numbers that are one for equal, without a look at them"""
    return compared_with_itself(x), n  # <- refused


ROWS = noise(4, 3, seed=1)
READ = [(ROWS, torch.tensor([1, 2, 3, 0])), (-ROWS, torch.tensor([0, 0, 3, 3]))]


@torch.jit.script
def decoded(x: torch.Tensor, lengths: torch.Tensor) -> Tuple[torch.Tensor, List[int]]:
    out = torch.zeros_like(x)  # never
    best: List[int] = []  # never
    for i in range(x.size(0)):  # never
        n = int(lengths[i].item())  # never
        out[i, :n] = x[i, :n]  # never
        k = int(x[i].argmax())  # never
        if i % 2 == 1 and n == 0:  # never
            break  # never
        if len(best) == 0 or best[-1] != k:  # never
            best.append(k)  # never
            out[i, k] = -1.5  # never
    return out, best  # never


@case(inputs=READ)
def elements_written_and_lists_given_back(x, lengths):
    """Compiled code writes elements, counts in loops that break, and gives back what it collects"""
    y, best = decoded(x, lengths)
    best.append(7)
    return y if len(best) > 2 else y * 2, best


@torch.jit.script
def merged(parts: List[torch.Tensor]) -> torch.Tensor:
    total = parts[0]  # never
    kept: List[torch.Tensor] = []  # never
    for i, part in enumerate(parts):  # never
        if bool(part.sum() > 0):  # never
            kept.append(part * (2 * i + 1))  # never
    for one, other in zip(kept, parts):  # never
        total = total + one - other  # never
    for i in range(3, 0, -1):  # never
        if bool(total.max() > i):  # never
            return total * i  # never
    return total  # never


def at_most(x: torch.Tensor, limit: float, k: int):
    value = x.mean().item() * 2.0 + k % 3  # never
    return x / 2 if value > limit else x  # never


@torch.jit.script
def limited(x: torch.Tensor, limit: float) -> torch.Tensor:
    for i in range(3):  # never
        x = at_most(x, limit, i) - merged([x, x * 0.5])  # never
    return x  # never


@case(inputs=[(ROWS, 0.5), (-ROWS, 0.1), (ROWS * 9, 2.0)])
def walked_together_and_called(x, limit):
    """Compiled code returns from loops, walks lists together, and calls other functions"""
    return merged([x, x + 1, -x]), limited(x, limit)


@torch.jit.script
def far_apart(boxes: torch.Tensor, scores: torch.Tensor, limit: float) -> torch.Tensor:
    order = scores.argsort(descending=True)  # never
    keep: List[torch.Tensor] = []  # never
    while order.numel() > 0:  # never
        i = order[0]  # never
        keep.append(i)  # never
        rest = order[1:]  # never
        order = rest[(boxes[rest] - boxes[i]).abs().sum(1) > limit]  # never
    return torch.stack(keep)  # never


@case(inputs=[(ROWS, ROWS[:, 0].clone(), 1.0), (ROWS * 2, ROWS[:, 1].clone(), 9.0)])
def suppressed(boxes, scores, limit):
    """Compiled code that goes round as long as there is something left"""
    return far_apart(boxes, scores, limit)


@torch.jit.script
def wrote_tenths(x: torch.Tensor):
    if bool(x.sum() > 0):  # never
        x[0] = 0.1  # never
    return x  # never


@torch.jit.script
def made_tenths(x: torch.Tensor):
    tenth = torch.tensor(0.1, dtype=torch.float64)  # never
    return x + tenth if bool(x.sum() > 0) else x + 1  # never


@torch.jit.script
def in_three(x: torch.Tensor):
    return (x * 2 if bool(x.sum() > 0) else x).chunk(3)  # never


@torch.jit.script
def made_longer(parts: List[torch.Tensor]):
    parts.append(parts[0])  # never
    return torch.stack(parts) if bool(parts[0].sum() > 0) else parts[0]  # never


@torch.jit.script
def kind_of(x: torch.Tensor):
    return x.dtype if bool(x.sum() > 0) else 3  # never


@case(inputs=[(ROWS.double()[0], 0), (ROWS[1].double(), 1), (ROWS[1].double(), 2)], refused="DYCL031")
def unlike_in_compiled_code(x, n):
    """Numbers of 32 bits for elements of 64, lists for tuples, copies of lists, and types"""
    if n == 0:
        return wrote_tenths(x.clone())  # <- refused
    if n == 1:
        return made_tenths(x), in_three(x)
    return made_longer([x, x]), kind_of(x)


@torch.jit.script
def positive(x: torch.Tensor) -> List[float]:
    out: List[float] = []  # never
    values: List[float] = x.tolist()  # never
    for value in values:  # never
        if value > 0:  # never
            out.append(value)  # never
    return out  # never


@case(inputs=[(ROWS[0],), (-ROWS[1],)])
def lists_of_numbers(x):
    """Compiled code makes a list of a tensor: which reads memory"""
    return positive(x)
