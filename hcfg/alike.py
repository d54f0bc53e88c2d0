"""Sub-DNNs that are alike: equal but for names of variables and symbols, and known weights.

What is recorded of one holds for all, with the names and weights of each.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import torch

from hcfg.graph import Hcfg, SubDnn
from hcfg.recording import Output, Recording, weights_of
from hcfg.sizes import range_of, symbols_of
from rewriter.alike import DescribedModules, Describing, Unlike
from rewriter.alike_statements import DescribingStatements
from rewriter.origin import Origin
from rewriter.program import SymbolRange


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """What all that are alike have in common, and what is a sub-DNN's own."""

    key: Hashable
    names: tuple[str, ...]
    """Variables, in the order in which they come."""
    symbols: tuple[str, ...]
    """Symbols of sizes, in the order in which they come."""
    tensors: tuple[torch.Tensor, ...]
    """Tensors in known objects, in the order in which they come."""
    origins: tuple[Origin, ...]
    """Where each statement stands."""


def likeness(node: SubDnn, graph: Hcfg, modules: DescribedModules) -> Likeness | None:
    """Return what tells which sub-DNNs are like this one; None where it is like no other."""
    describing = DescribingStatements(
        variables=graph.variables, knowns=graph.knowns, objects=Describing(modules)
    )
    try:
        key = (
            torch.get_default_dtype(),
            _ranges(node, graph),
            tuple(map(describing.name, node.inputs)),
            tuple(map(describing.statement, node.statements)),
            tuple(map(describing.name, node.outputs)),
        )
    except Unlike:
        return None
    tensors = tuple(describing.objects.tensors)
    if not {id(tensor) for tensor in tensors} <= weights_of(node, graph).keys():
        return None  # a recording says what it holds
    origins = tuple(statement.origin for statement in node.statements)
    return Likeness(
        key=key,
        names=tuple(describing.names),
        symbols=tuple(describing.symbols),
        tensors=tensors,
        origins=origins,
    )


def _ranges(node: SubDnn, graph: Hcfg) -> tuple[SymbolRange, ...]:
    """Return what the sizes of the inputs may be: tests may have told more of them here."""
    symbols = symbols_of(graph.variables[name].spec for name in node.inputs)
    return tuple(range_of(symbol, graph.symbols) for symbol in symbols)


def says_all(recording: Recording, like: Likeness) -> bool:
    """Return whether all in a recording that is this one sub-DNN's own is said by its likeness."""
    own = {id(tensor) for tensor in like.tensors}
    known = all(id(weight) in own for weight in recording.weights)
    return known and not recording.opaque


def renamed(recording: Recording, made: Likeness, wanted: Likeness) -> Recording | None:
    """Return the recording of one sub-DNN as that of another that is like it.

    None where it is not certain which statement of the other one is refused.
    """
    origins = dict(zip(made.origins, wanted.origins, strict=True))
    one_each = all(
        origins[one] == two for one, two in zip(made.origins, wanted.origins, strict=True)
    )
    placed = all(found.origin is None or found.origin in origins for found in recording.diagnostics)
    named = made.symbols == wanted.symbols  # diagnostics say symbols
    if recording.diagnostics and not (one_each and placed and named):
        return None
    names = dict(zip(made.names, wanted.names, strict=True))
    weights = {id(one): two for one, two in zip(made.tensors, wanted.tensors, strict=True)}
    return replace(
        recording,
        weights=tuple(weights[id(weight)] for weight in recording.weights),
        outputs=tuple(_renamed(output, names) for output in recording.outputs),
        overwritten=frozenset(names[name] for name in recording.overwritten),
        diagnostics=tuple(
            replace(found, origin=None if found.origin is None else origins[found.origin])
            for found in recording.diagnostics
        ),
    )


def _renamed(output: Output, names: Mapping[str, str]) -> Output:
    return Output(
        name=names[output.name],
        copies=None if output.copies is None else names[output.copies],
        repeats=None if output.repeats is None else names[output.repeats],
        depends_on=frozenset(names[name] for name in output.depends_on),
    )
