"""Results put into tensors given as ``out=``, which take the size of the result."""

import torch
from torch import Tensor, nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ALL = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ALL)
def on_one_path(x: Tensor) -> Tensor:
    """A tensor that out= gives another size on one path has its own size on the others."""
    y = torch.zeros(1)
    z = y
    if x.sum() > 0:
        torch.mul(x, 2, out=y)
    return z.sum() + z.numel()


@case(inputs=ALL)
def by_containers_and_functions(x: Tensor) -> tuple[Tensor, int, int]:
    """All that hold the tensor object see its new size: containers, closures, attributes."""
    y = torch.zeros(0)
    held, named = [y, x], {"y": y}

    def size() -> int:
        return y.numel()

    if x.sum() > 0:
        torch.cat([x, x], out=held[0])
    return named["y"].sum(), size(), held[0].dim()


@case(inputs=ALL)
def of_two_results(x: Tensor) -> tuple[Tensor, int]:
    """Several results go to several tensors, each of which may take another size."""
    values, places = torch.zeros(0), torch.zeros(0, dtype=torch.long)
    if x.sum() > 0:
        result = torch.sort(x, 1, out=(values, places))
        return result[0] + places, values.numel()
    return values, places.numel()


@case(inputs=ALL, slow=True)
def of_run_time_sizes(x: Tensor) -> tuple[Tensor, int]:
    """Sizes that only the run knows, taken over in a loop, down to none."""
    y = torch.zeros(2, 3)
    first = int((x > 0).sum())
    for n in range(first):
        torch.mul(x[: n % 3], n, out=y)
    return y, y.shape[0]


@case(inputs=ALL)
def made_in_its_type(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What makes tensors of no other makes them in the type of the tensor given."""
    count = int((x > 0).sum())
    places = torch.arange(0, count, out=torch.Tensor())
    words = torch.full((2,), 3.7, out=torch.LongTensor())
    y = torch.zeros(0, dtype=torch.bool)
    if count > 2:
        torch.ones(3, out=y)
    return places, words, y


@case(inputs=ALL, host=False)
def into_a_view(x: Tensor) -> Tensor:
    """A view of the size of the result is written, whatever its base is."""
    y = torch.zeros(2, 3)
    count = int((x[:, 0] > 0).sum())
    part = y[:count]
    torch.mul(x[:count], 2, out=part)
    return y


@case(inputs=ALL)
class Kept(nn.Module):
    """A tensor of the model keeps the size that a call gave it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = torch.zeros(0)

    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:
            torch.mul(x, 2, out=self.seen)
        return x.sum() + self.seen.numel()


@case(inputs=ALL, refused="DYCL042")
def with_a_view(x: Tensor) -> Tensor:
    """A view keeps its size where the tensor gets another one."""
    y = torch.zeros(1, 3)
    view = y[:]
    if x.sum() > 0:
        torch.mul(x, 2, out=y)  # <- refused
    return view.sum() + y.numel()


@case(inputs=ALL, refused="DYCL042")
def with_an_operand(x: Tensor) -> Tensor:
    """PyTorch refuses results that overlap operands, some of them."""
    y = torch.zeros(1, 3)
    for row in x.split(1):
        torch.cat([y, row], out=y)  # <- refused
    return y  # never


@case(inputs=ALL, refused="DYCL042")
def of_another_type(x: Tensor) -> Tensor:
    """A result of another type and size than the tensor."""
    y = torch.zeros(0, dtype=torch.double)
    torch.mul(x, 2, out=y)  # <- refused
    return y
