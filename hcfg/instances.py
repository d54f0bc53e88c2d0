"""Sub-DNNs with symbolic sizes, at particular sizes: what holds for a symbol may not for 0 or 1.

PyTorch treats an unknown size as if it were large: ``squeeze`` keeps it, ``reshape`` of a permuted
tensor copies. At one or none, ``squeeze`` drops it and ``reshape`` may be a view.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hcfg.graph import Hcfg, SubDnn
from hcfg.sizes import range_of, symbols_of
from rewriter.program import SymbolRange, TensorSpec, VariableSpec
from rewriter.size_texts import symbols_in, value_of

_SIZES = (0, 1, 2, 3)
"""Tried for all symbols alike, then for each symbol another one."""


def instances(node: SubDnn, graph: Hcfg) -> Iterator[Hcfg]:
    """Yield the graph with particular sizes for what goes into and comes out of a sub-DNN."""
    names = dict.fromkeys((*node.inputs, *node.outputs))
    specs = {name: graph.variables[name].spec for name in node.inputs}
    for sizes in assignments(symbols_of(specs.values()), graph.symbols, _SIZES):
        known = {name: at(graph.variables[name].spec, sizes) for name in names}
        variables = {
            name: replace(graph.variables[name], spec=spec)
            for name, spec in known.items()
            if spec is not None
        }
        if len(variables) == len(names):
            yield replace(graph, variables={**graph.variables, **variables})


def assignments(
    symbols: Sequence[str], ranges: Mapping[str, SymbolRange], sizes: Sequence[int]
) -> Iterator[Mapping[str, int]]:
    """Yield sizes for the symbols, within their ranges, each assignment once."""
    seen: set[tuple[int, ...]] = set()
    places = range(len(symbols))
    rows = [[size for _ in places] for size in sizes]
    rows += [
        [sizes[(first + place) % len(sizes)] for place in places] for first in range(len(sizes))
    ]
    for row in rows if symbols else ():
        chosen = tuple(
            clipped(size, range_of(symbol, ranges))
            for symbol, size in zip(symbols, row, strict=True)
        )
        if chosen not in seen:
            seen.add(chosen)
            yield dict(zip(symbols, chosen, strict=True))


def clipped(size: int, bounds: SymbolRange) -> int:
    """Return the size within bounds that is nearest."""
    size = max(size, bounds.minimum)
    return size if bounds.maximum is None else min(size, bounds.maximum)


def at(spec: VariableSpec, sizes: Mapping[str, int]) -> VariableSpec | None:
    """Return a spec with particular sizes; None where no tensor has them.

    A size of other symbols, which the sub-DNN finds out itself, stays.
    """
    if not isinstance(spec, TensorSpec):
        return spec
    shape = tuple(
        int(value_of(size, sizes)) if all(name in sizes for name in symbols_in(size)) else size
        for size in spec.shape
    )
    impossible = any(isinstance(size, int) and size < 0 for size in shape)
    return None if impossible else replace(spec, shape=shape)
