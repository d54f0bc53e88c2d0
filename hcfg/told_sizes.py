"""What tests on every way to a node have told of sizes of run time.

``if len(x) == 5:`` makes the size of ``x`` known in its arm. What is recorded and compiled there
may rely on it, as PyTorch's own operations do: a tensor of ``u0`` rows is one of 5. Behind
``if len(x) == 0: return`` there is at least one row, and nothing need be ready for none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce

from hcfg.flow import part_of
from hcfg.graph import Branch, Hcfg, NodeId, successors
from hcfg.sizes import range_of, with_values
from rewriter.parameters import input_variables
from rewriter.program import ScalarSpec, SymbolRange, TensorSpec, Variable
from rewriter.size_texts import symbols_in

Sizes = Mapping[str, SymbolRange]
"""What symbols may stand for."""


def told_sizes(graph: Hcfg) -> Mapping[NodeId, Sizes]:
    """Return for each node what tests have told of symbols; nodes without any are missing.

    A symbol stands for another size in each iteration of a loop. So nothing comes over a back-edge,
    and nothing into a loop but what is known of the arguments' sizes, which do not change.
    """
    branches = (node for node in graph.nodes.values() if isinstance(node, Branch))
    if not any(branch.sizes_if_true or branch.sizes_if_false for branch in branches):
        return {}
    found: dict[NodeId, Sizes] = {}
    for entry in graph.entries:
        # the symbols of a specialised function are its own, whatever they are called
        given = _symbols_of_arguments(graph) if entry == graph.entry else set()
        order = part_of(graph, entry)
        places = {node_id: place for place, node_id in enumerate(order)}
        arriving: dict[NodeId, list[Sizes]] = {node_id: [] for node_id in order}
        behind = {
            target
            for node_id in order
            for target in successors(graph.nodes[node_id])
            if places[target] <= places[node_id]
        }
        for node_id in order:
            sizes = _common(arriving[node_id])
            if node_id in behind:  # of a loop
                sizes = {name: value for name, value in sizes.items() if name in given}
            if sizes:
                found[node_id] = sizes
            for target, told in _told(graph, node_id):
                arriving[target].append(_both(sizes, told, graph))
    return found


def _told(graph: Hcfg, node_id: NodeId) -> list[tuple[NodeId, Sizes]]:
    node = graph.nodes[node_id]
    if isinstance(node, Branch):
        return [(node.if_true, node.sizes_if_true), (node.if_false, node.sizes_if_false)]
    return [(target, {}) for target in successors(node)]


def _both(known: Sizes, told: Sizes, graph: Hcfg) -> Sizes:
    """Return what is known on a way on which a test tells more, as far as the symbols do not."""
    found = dict(known)
    for name, bounds in told.items():
        all_of_it = range_of(name, graph.symbols)
        narrowed = found.get(name, all_of_it).within(bounds)
        if narrowed != all_of_it:
            found[name] = narrowed
    return found


def _common(ways: list[Sizes]) -> Sizes:
    first, *others = ways or [{}]
    return {
        name: reduce(SymbolRange.around, (other[name] for other in others), bounds)
        for name, bounds in first.items()
        if all(name in other for other in others)
    }


def _symbols_of_arguments(graph: Hcfg) -> set[str]:
    specs = [
        graph.variables[name].spec for p in graph.parameters for name in input_variables(p.spec)
    ]
    return {
        symbol
        for spec in specs
        if isinstance(spec, TensorSpec)
        for size in spec.shape
        for symbol in symbols_in(size)
    }


def with_sizes(graph: Hcfg, sizes: Sizes) -> Hcfg:
    """Return the graph with what is known of symbols at a place: values, or fewer sizes."""
    if not sizes:
        return graph
    values = {name: each.value for name, each in sizes.items() if each.value is not None}
    variables = _KnownThere(graph.variables, values) if values else graph.variables
    return replace(graph, variables=variables, symbols={**graph.symbols, **sizes})


class _KnownThere(Mapping[str, Variable]):
    """Variables with the sizes known at a place, of which few are asked for."""

    def __init__(self, variables: Mapping[str, Variable], sizes: Mapping[str, int]) -> None:
        self._variables, self._sizes = variables, sizes

    def __getitem__(self, name: str) -> Variable:
        return _known(self._variables[name], self._sizes)

    def __contains__(self, name: object) -> bool:
        return name in self._variables

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)


def _known(variable: Variable, sizes: Mapping[str, int]) -> Variable:
    match variable.spec:
        case TensorSpec() as spec:
            shape = tuple(with_values(size, sizes) for size in spec.shape)
            return (
                variable
                if shape == spec.shape
                else replace(variable, spec=replace(spec, shape=shape))
            )
        case ScalarSpec(size=str() as text) as spec:
            size = with_values(text, sizes)
            if size == text:
                return variable
            if isinstance(size, int):
                return replace(variable, spec=replace(spec, size=None, minimum=size, maximum=size))
            return replace(variable, spec=replace(spec, size=size))
        case _:
            return variable
