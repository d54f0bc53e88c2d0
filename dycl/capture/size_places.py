"""Where the inputs of a sub-DNN show the sizes that are known only at run time."""

from dataclasses import dataclass

from dycl.capture.captured import CapturedSubDnn
from hcfg.fakes import raised
from hcfg.sizes import line_of, range_of
from rewriter.program import SymbolRange
from rewriter.size_texts import symbols_in


@dataclass(frozen=True, slots=True, kw_only=True)
class SizePlace:
    """A symbol, and the size of an input from which it is read."""

    symbol: str
    port: int
    dim: int
    factor: int
    """What the size, less ``offset``, is divided by: 8 where the input is 8 times the symbol."""
    offset: int
    """What is taken off the size: 1 where the input is one longer than the symbol."""
    bounds: SymbolRange
    """What the symbol may stand for where the sub-DNN is traced, ``floor`` included."""


def size_places(subdnn: CapturedSubDnn) -> tuple[SizePlace, ...]:
    """Return a place for each symbol: all sizes of inputs are made of these."""
    shown = [
        (text, port, dim)
        for port, spec in enumerate(subdnn.inputs)
        for dim, text in enumerate(spec.shape)
        if isinstance(text, str)
    ]
    found: dict[str, SizePlace] = {}
    for text, port, dim in sorted(shown, key=lambda place: _directness(place[0])):
        if text in found or all(name in found for name in symbols_in(text)):
            continue
        name, factor, offset = line_of(text) or (text, 1, 0)
        bounds = raised(range_of(name, subdnn.graph.symbols), subdnn.floor)
        found[name] = SizePlace(
            symbol=name, port=port, dim=dim, factor=factor, offset=offset, bounds=bounds
        )
    return tuple(found.values())


def _directness(text: str) -> int:
    """Return 0 for a symbol, 1 for one plus a number, 2 for a multiple, 3 for any other size."""
    match line_of(text):
        case (_, 1, 0):
            return 0
        case (_, 1, _):
            return 1
        case (_, _, _):
            return 2
        case None:
            return 3
