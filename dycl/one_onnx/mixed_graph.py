"""The graph of a mixed package: each region is a call of one artifact, the rest is as it was."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch

from dycl.one_onnx.number import kind_of
from dycl.one_onnx.regions import Region
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
    LoopHead,
    Node,
    NodeId,
    SubDnn,
    origins,
    successors,
)
from hcfg.sizes import is_integer
from rewriter.origin import Origin
from rewriter.program import (
    HostStatement,
    KnownReference,
    ScalarSpec,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
    Variable,
    VariableSpec,
)


def mixed_graph(graph: Hcfg, regions: Mapping[NodeId, Region]) -> Hcfg:
    """Return the graph in which ``regions`` are sub-DNNs of their names."""
    writer = _Writer(graph, dict(graph.nodes), dict(graph.variables))
    for node_id, region in regions.items():
        writer.put(node_id, region)
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
    nodes: dict[NodeId, Node]
    variables: dict[str, Variable]
    starts: dict[NodeId, NodeId] = field(default_factory=dict)
    """What stands in the places of the regions' heads."""
    knowns: dict[str, KnownReference] = field(default_factory=dict)

    def put(self, node_id: NodeId, region: Region) -> None:
        """Put a call in the place of a region."""
        old = [self.graph.nodes[each] for each in region.nodes]
        origin = next(origin for node in old for origin in origins(node))
        for each in region.nodes:
            del self.nodes[each]
        made: list[HostCode] = []
        read: list[HostCode] = []
        inputs = tuple(self._given(name, origin, made) for name in region.inputs)
        outputs = tuple(self._taken(name, origin, read) for name in region.outputs)
        then = region.exits[0]
        if len(region.exits) > 1:
            where, then = self._choice(node_id, region, origin, read)
            outputs = (*outputs, where)
        function = f"{node_id}, known"
        self.knowns[function] = KnownReference(name=function, path=node_id, value=region)
        called = ast.Call(_name(function), [_name(name) for name in inputs], [])
        self.nodes[node_id] = SubDnn(
            statements=(TensorStatement(pattern=outputs, expression=called, origin=origin),),
            inputs=inputs,
            outputs=outputs,
            then=self._block(read, then),
            decisions=tuple(
                dict.fromkeys(
                    origin
                    for node in old
                    if isinstance(node, Branch | LoopHead)
                    for origin in origins(node)
                )
            ),
        )
        self.starts[region.head] = self._block(made, node_id)

    def _block(self, statements: list[HostCode], then: NodeId) -> NodeId:
        if not statements:
            return then
        node_id = fresh_id((*self.graph.nodes, *self.nodes), "host")
        self.nodes[node_id] = HostBlock(statements=tuple(statements), then=then)
        return node_id

    def _given(self, name: str, origin: Origin, made: list[HostCode]) -> str:
        """Return the input for a variable: a tensor or an integer, as sub-DNNs take them."""
        spec = self.graph.variables[name].spec
        if isinstance(spec, TensorSpec) or is_integer(spec):
            return name
        target, dtype = self._as_tensor(name, spec)
        made.append(
            TensorFromHost(target=target, expression=_name(name), dtype=dtype, origin=origin)
        )
        return target

    def _taken(self, name: str, origin: Origin, read: list[HostCode]) -> str:
        """Return the output for a variable; a number is read from a tensor."""
        spec = self.graph.variables[name].spec
        if isinstance(spec, TensorSpec):
            return name
        target, _ = self._as_tensor(name, spec)
        assert isinstance(spec, ScalarSpec)
        is_numpys = spec.type is not kind_of(spec.type)
        number = _whole(target) if is_numpys else _item(target)
        read.append(HostStatement(target=name, expression=number, origin=origin))
        return target

    def _as_tensor(self, name: str, spec: VariableSpec) -> tuple[str, torch.dtype]:
        assert isinstance(spec, ScalarSpec)
        kind = kind_of(spec.type)
        assert kind is not None
        dtype = _DTYPES[kind]
        return self._variable(f"{name} as a tensor", self.graph.variables[name].hint, dtype), dtype

    def _choice(
        self, node_id: NodeId, region: Region, origin: Origin, read: list[HostCode]
    ) -> tuple[str, NodeId]:
        """Return the output that says where paths go on, and the test of it."""
        is_truth = len(region.exits) == 2
        kind = torch.bool if is_truth else torch.int64
        where = self._variable(f"where {node_id} ends", "where", kind)
        number = f"where {node_id} ends, as a number"
        if not is_truth:
            self.variables[number] = Variable(name=number, hint="where", spec=ScalarSpec(type=int))
            read.append(HostStatement(target=number, expression=_item(where), origin=origin))
        *exits, then = region.exits
        for code, target in reversed(list(enumerate(exits))):
            condition = (
                _item(where)
                if is_truth
                else ast.Compare(_name(number), [ast.Eq()], [ast.Constant(code)])
            )
            branch = Branch(
                condition=condition,
                if_true=target,
                if_false=then,
                origin=self._way_to(target, region) or origin,
            )
            then = fresh_id((*self.graph.nodes, *self.nodes), "branch")
            self.nodes[then] = branch
        return where, then

    def _way_to(self, target: NodeId, region: Region) -> Origin | None:
        """Return the user's test that leads out of a region to a node."""
        for each in region.nodes:
            node = self.graph.nodes[each]
            if isinstance(node, Branch) and target in successors(node):
                return node.origin
        return None

    def _variable(self, name: str, hint: str, dtype: torch.dtype) -> str:
        spec = TensorSpec(dtype=dtype, shape=())
        self.variables[name] = Variable(name=name, hint=hint, spec=spec)
        return name


_DTYPES: Mapping[type, torch.dtype] = {int: torch.int64, float: torch.float64, bool: torch.bool}


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _item(name: str) -> ast.expr:
    return ast.Call(ast.Attribute(_name(name), "item", ast.Load()), [], [])


def _whole(name: str) -> ast.expr:
    """Return the expression for numpy's number in a tensor."""
    return ast.Subscript(_name(name), ast.Tuple([], ast.Load()), ast.Load())
