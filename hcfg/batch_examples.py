"""Whether a batch computes what PyTorch computes for its elements, tried on a few of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from hcfg.execution import Forward
from hcfg.graph import Hcfg, SubDnn
from hcfg.instances import assignments, at
from hcfg.sizes import is_integer, is_made_of, symbols_of
from rewriter.program import ScalarSpec, TensorSpec, VariableSpec
from rewriter.size_texts import value_of

_TRIED = 3
"""How many inputs are computed one by one and as a batch, and compared."""
_SIZES_TRIED = (2, 0, 1, 3, 5)
"""For what is known only at run time; PyTorch decides some things by whether it is 0 or 1."""
_NUMBERS = (0, 1, -1, 3)
"""For integers of the host."""
_TO_OTHER_INDICES = (1, -2)
"""What is added to indices of one of them, which are 0: then they are 1, and then -1."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A tensor of known sizes, or a number."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    number: int | None = None
    """The same for the whole batch."""

    def example(self, generator: torch.Generator) -> Tensor | int:
        """Return a tensor with content, or the number."""
        if self.number is not None:
            return self.number
        if self.dtype.is_floating_point:
            return torch.randn(self.shape, generator=generator).to(self.dtype)
        return torch.zeros(self.shape, dtype=self.dtype)  # an index that is valid everywhere


def kinds_of_all_sizes(node: SubDnn, graph: Hcfg) -> Iterator[Sequence[Kind]]:
    """Yield the inputs of a sub-DNN, at several sizes where they are known only at run time."""
    specs = [graph.variables[name].spec for name in node.inputs]
    for sizes in [*assignments(symbols_of(specs), graph.symbols, _SIZES_TRIED)] or [{}]:
        for number in _NUMBERS if any(map(is_integer, specs)) else (0,):
            kinds = [_kind(spec, sizes, number) for spec in specs]
            if None not in kinds:
                yield [kind for kind in kinds if kind is not None]


def _kind(spec: VariableSpec, sizes: Mapping[str, int], number: int) -> Kind | None:
    """Return what a variable holds; None where nothing has such sizes."""
    known = at(spec, sizes)
    match known:
        case TensorSpec():
            return Kind(known.dtype, tuple(int(size) for size in known.shape))
        case ScalarSpec() if is_made_of(known.size, sizes):
            return Kind(torch.int64, (), int(value_of(known.size, sizes)))
        case ScalarSpec():
            least, most = known.minimum, known.maximum
            number = number if least is None else max(number, least)
            return Kind(torch.int64, (), number if most is None else min(number, most))
        case _:
            return None


def computes_alike(forward: Forward, made: Forward, kinds: Sequence[Kind]) -> bool:
    """Return whether a batch gives what its elements give one by one, and raises where one does.

    ``forward`` is what PyTorch runs for one of them, with all that it checks.
    """
    generator = torch.Generator().manual_seed(0)
    rows = [[kind.example(generator) for kind in kinds] for _ in range(_TRIED)]
    if not _is_alike(_or_none(_together, made, rows), _or_none(_one_by_one, forward, rows)):
        return False
    for step in _TO_OTHER_INDICES if any(map(_is_integer, rows[0])) else ():
        rows[1] = [x + step if _is_integer(x) else x for x in rows[1]]
        if not _is_alike(_or_none(_together, made, rows), _or_none(_one_by_one, forward, rows)):
            return False
    return True


def _is_integer(x: Tensor | int) -> bool:
    return isinstance(x, Tensor) and not x.is_floating_point() and x.dtype != torch.bool


def _together(made: Forward, rows: Sequence[Sequence[Any]]) -> list[Tensor]:
    return _listed(made(*map(_column, zip(*rows, strict=True))))


def _column(values: Sequence[Any]) -> Any:
    return torch.stack([*values]) if isinstance(values[0], Tensor) else values[0]


def _one_by_one(forward: Forward, rows: Sequence[Sequence[Any]]) -> list[Tensor]:
    alone = [_listed(forward(*row)) for row in rows]
    return [torch.stack(column) for column in zip(*alone, strict=True)]


def _or_none(compute: Callable[..., list[Tensor]], *given: Any) -> list[Tensor] | None:
    """Return what is computed, None where that raises."""
    try:
        return compute(*given)
    except Exception:
        return None


def _is_alike(found: Sequence[Tensor] | None, wanted: Sequence[Tensor] | None) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return all(
        together.shape == stacked.shape
        and together.dtype == stacked.dtype
        and torch.allclose(
            together.double(), stacked.double(), rtol=1e-3, atol=1e-4, equal_nan=True
        )
        for together, stacked in zip(found, wanted, strict=True)
    )


def _listed(outputs: Any) -> list[Tensor]:
    return [outputs] if isinstance(outputs, Tensor) else [*outputs]
