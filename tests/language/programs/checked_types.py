"""Functions under @beartype and @jaxtyped: what they do, where the types fit"""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Literal, Optional, Union

import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor, nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
typecheck = jaxtyped(typechecker=beartype)


@beartype
class Layer(nn.Module):
    def __init__(self, width: int = 3, *, names: tuple[str, ...] = ("a", "b")):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.names = names

    def forward(
        self, x: Tensor, mask: Optional[Tensor] = None, named: bool = False
    ) -> Union[Tensor, tuple[Tensor, list[str]]]:
        if x.sum() > 0:
            x = self.layer(x)
        if named:
            return x, list(self.names)
        return x


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 2)])
class Methods(nn.Module):
    """Methods of modules, and the entry point itself."""

    def __init__(self):
        super().__init__()
        self.layer = Layer()

    @beartype
    def forward(self, x: Tensor, steps: int = 2) -> dict[str, Any]:
        return {"plain": self.layer(x), "named": self.layer(x, named=True), "steps": steps}


@beartype
def mixed(
    function: Callable[[Tensor], Tensor],
    rows: list[Tensor],
    named: dict[str, Tensor],
    kind: Literal["a", "b"],
    number: int | float = 1,
    *rest: Tensor,
    flag: bool = False,
    **others: int,
) -> dict[str, Any]:
    total = sum(function(row) for row in rows)
    return {"y": total, **named, kind: number, "r": len(rest), "o": others, "f": flag}


@beartype
def multiples(x: Tensor, n: int) -> Iterator[Tensor]:
    for i in range(n):
        yield x * i


@beartype
def halved(n: int) -> int:
    return n if n < 2 else halved(n // 2)


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 9)])
def arguments_of_each_kind(x, n):
    """Functions, containers, one of several texts, and numbers of two types."""
    rows = [x]
    if x.sum() > 0:
        rows.append(x * 2)
    kind = "a" if n > 5 else "b"
    made = mixed(torch.relu, rows, {"q": x}, kind, x.sum().item(), x, x, flag=True, z=n)
    return made, list(multiples(x, 3)), halved(n)


@typecheck
def weighed(
    x: Float[Tensor, "*batch n width"], w: Float[Tensor, "width"]
) -> Float[Tensor, "*batch n"]:
    return (x * w).sum(-1) if x.sum() > 0 else x.mean(-1)


@typecheck
def scores(q: Float[Tensor, "_ 3"], k: Float[Tensor, "_ 3"]) -> Float[Tensor, "n n"]:
    return q @ k.t()


@case(inputs=BOTH)
def sizes_that_have_names(x):
    """Names of dimensions stand for one size in a call."""
    rows = torch.stack([x[0], x[1], x[0]])
    return weighed(rows, x[1]), weighed(rows[None], x[1]), scores(rows, -rows)


@case(inputs=BOTH, refused="DYCL039")
def a_number_of_another_type(x):
    """A tensor where an integer is said to come."""
    return halved(x)  # <- refused


@case(inputs=BOTH, refused="DYCL039")
def sizes_that_differ(x):
    """One name of a dimension for two sizes."""
    return weighed(x, x[0, :2])  # <- refused


@beartype
def kept_under(x: Tensor, key: Hashable, table: dict) -> Tensor:
    table[key] = x + 1
    return table[key]


@case(inputs=BOTH)
def keys(x):
    """What can be a key; a list is none."""
    table = {}
    y = kept_under(x, ("a", 1), table)
    if x.sum() > 0:
        return y, kept_under(y, "b", table), list(table)
    return y, list(table)


@case(inputs=BOTH, refused="DYCL039")
def no_key(x):
    """A list as what can be a key."""
    return kept_under(  # <- refused
        x, [1], {}
    )
