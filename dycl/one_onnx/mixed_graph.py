"""The graph of a mixed package: each region is a call of one artifact, the rest is as it was."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import torch

from dycl.one_onnx.number import kind_of
from dycl.one_onnx.region import Region
from dycl.one_onnx.result_forms import exit_codes
from dycl.one_onnx.results import Results
from hcfg.edit import (
    fresh_id,
    ordered,
    with_merged_host_blocks,
    with_targets,
    without_uncalled_functions,
)
from hcfg.graph import (
    Branch,
    Hcfg,
    HostBlock,
    HostCode,
    Node,
    NodeId,
    SubDnn,
    origins,
    successors,
)
from hcfg.liveness import live
from hcfg.sizes import is_integer
from rewriter.origin import Origin
from rewriter.program import (
    Copy,
    HostStatement,
    KnownReference,
    ScalarSpec,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
    Variable,
    VariableSpec,
)


def mixed_graph(graph: Hcfg, regions: Mapping[NodeId, tuple[Region, Results]]) -> Hcfg:
    """Return the graph in which ``regions`` are sub-DNNs of their names."""
    writer = _Writer(graph, live(graph).before, dict(graph.nodes), dict(graph.variables))
    for node_id, (region, results) in regions.items():
        writer.put(node_id, region, results)
    starts = writer.starts
    nodes = {
        node_id: with_targets(node, lambda target: starts.get(target, target))
        for node_id, node in writer.nodes.items()
    }
    knowns = {**graph.knowns, **writer.knowns}
    mixed = ordered(replace(graph, nodes=nodes, variables=writer.variables, knowns=knowns))
    return with_merged_host_blocks(without_uncalled_functions(mixed))


@dataclass(slots=True)
class _Writer:
    graph: Hcfg
    live: Mapping[NodeId, frozenset[str]]
    nodes: dict[NodeId, Node]
    variables: dict[str, Variable]
    starts: dict[NodeId, NodeId] = field(default_factory=dict)
    """What stands in the places of the regions' heads."""
    knowns: dict[str, KnownReference] = field(default_factory=dict)

    def put(self, node_id: NodeId, region: Region, results: Results) -> None:
        """Put a call in the place of a region."""
        for each in region.nodes:
            del self.nodes[each]
        made: list[HostCode] = []
        inputs = tuple(self._given(name, region.origin, made) for name in region.inputs)
        root = results.apart.root
        parts = {
            f"{root}[{part!r}]": part for each in region.slots.values() for part in each.values()
        }
        holders = {part: self._holder(node_id, part, region) for part in parts.values()}
        where = self._variable(
            f"where {node_id} ends", "where", TensorSpec(dtype=torch.int64, shape=())
        )
        outputs = tuple(
            where if place == results.chosen else holders[parts[place]] for place in results.places
        )
        function = f"{node_id}, known"
        self.knowns[function] = KnownReference(name=function, path=node_id, value=region)
        called = ast.Call(_name(function), [_name(name) for name in inputs], [])
        call = TensorStatement(pattern=outputs, expression=called, origin=region.origin)
        self.nodes[node_id] = SubDnn(
            statements=(call,),
            inputs=inputs,
            outputs=outputs,
            then=self._after(where, region, results, holders),
            decisions=region.decisions,
        )
        self.starts[region.nodes[0]] = self._block(made, node_id)

    def _block(self, statements: Iterable[HostCode], then: NodeId) -> NodeId:
        listed = tuple(statements)
        if not listed:
            return then
        node_id = fresh_id((*self.graph.nodes, *self.nodes), "host")
        self.nodes[node_id] = HostBlock(statements=listed, then=then)
        return node_id

    def _given(self, name: str, origin: Origin, made: list[HostCode]) -> str:
        """Return the input for a variable: a tensor or an integer, as sub-DNNs take them."""
        spec = self.graph.variables[name].spec
        if isinstance(spec, TensorSpec) or is_integer(spec):
            return name
        kind = _as_tensor(spec)
        target = self._variable(f"{name} as a tensor", self.graph.variables[name].hint, kind)
        made.append(
            TensorFromHost(target=target, expression=_name(name), dtype=kind.dtype, origin=origin)
        )
        return target

    def _holder(self, node_id: NodeId, part: str, region: Region) -> str:
        """Return the variable that a part of a result is given to.

        That is the only tensor it stands for, where nobody reads that as it was before.
        """
        names = {
            name for each in region.slots.values() for name, own in each.items() if own == part
        }
        first = min(names)
        spec = self.graph.variables[first].spec
        free = all(
            slots.get(first, part) == part and (first in slots or first not in self.live[target])
            for target, slots in region.slots.items()
        )
        if len(names) == 1 and isinstance(spec, TensorSpec) and free:
            return first
        kind = spec if isinstance(spec, TensorSpec) else _as_tensor(spec)
        return self._variable(f"{part} of {node_id}", self.graph.variables[first].hint, kind)

    def _after(
        self, where: str, region: Region, results: Results, holders: Mapping[str, str]
    ) -> NodeId:
        """Return what follows the call: tests of where the path goes on, and assignments."""
        starts = [
            self._block(self._assigned(region, target, holders), target) for target in region.exits
        ]
        if results.chosen is None:
            return starts[0]
        number = self._variable(f"{where}, as a number", "where", ScalarSpec(type=int))
        *others, then = starts
        for target, start in reversed(list(zip(region.exits, others, strict=False))):
            code = ast.Constant(exit_codes(results.variants)[target])
            branch = Branch(
                condition=ast.Compare(_name(number), [ast.Eq()], [code]),
                if_true=start,
                if_false=then,
                origin=self._way_to(target, region) or region.origin,
                asks_the_way=True,
            )
            then = fresh_id((*self.graph.nodes, *self.nodes), "branch")
            self.nodes[then] = branch
        read = HostStatement(target=number, expression=_item(where), origin=region.origin)
        return self._block([read], then)

    def _assigned(
        self, region: Region, target: NodeId, holders: Mapping[str, str]
    ) -> list[HostCode]:
        """Return what gives the variables that are read from an exit on their values."""
        found: list[HostCode] = []
        origin = next(iter(origins(self.graph.nodes[target])), region.origin)
        for name, part in region.slots[target].items():
            spec, holder = self.graph.variables[name].spec, holders[part]
            if isinstance(spec, ScalarSpec):
                is_pythons = spec.type is kind_of(spec.type)
                number = _item(holder) if is_pythons else _whole(holder)
                found.append(HostStatement(target=name, expression=number, origin=origin))
            elif name != holder:
                found.append(Copy(targets=(name,), sources=(_name(holder),), origin=origin))
        return found

    def _way_to(self, target: NodeId, region: Region) -> Origin | None:
        """Return the user's test that leads out of a region to a node."""
        for each in region.nodes:
            node = self.graph.nodes[each]
            if isinstance(node, Branch) and target in successors(node):
                return node.origin
        return None

    def _variable(self, name: str, hint: str, spec: VariableSpec) -> str:
        self.variables[name] = Variable(name=name, hint=hint, spec=spec)
        return name


_DTYPES: Mapping[type, torch.dtype] = {int: torch.int64, float: torch.float64, bool: torch.bool}


def _as_tensor(spec: VariableSpec) -> TensorSpec:
    """Return the tensor that holds a number of the host."""
    assert isinstance(spec, ScalarSpec)
    kind = kind_of(spec.type)
    assert kind is not None
    return TensorSpec(dtype=_DTYPES[kind], shape=())


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _item(name: str) -> ast.expr:
    return ast.Call(ast.Attribute(_name(name), "item", ast.Load()), [], [])


def _whole(name: str) -> ast.expr:
    """Return the expression for numpy's number in a tensor."""
    return ast.Subscript(_name(name), ast.Tuple([], ast.Load()), ast.Load())
