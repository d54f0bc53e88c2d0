"""The file of linked sub-DNNs, and whether there may be one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import onnx

from dycl.backends.onnx_graphs.skeletons import Skeletons
from dycl.building import Building
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn
from dycl.one_onnx.compiling import Plan, as_file, finished
from dycl.one_onnx.graphs import GraphWriter
from dycl.one_onnx.inlining import Exported, SubDnns
from dycl.one_onnx.late_tests import LinkWriter, finding_something
from dycl.one_onnx.linking import Link
from dycl.one_onnx.lowerable import lowerable
from dycl.one_onnx.mixed import Mixed, mixed_of
from dycl.one_onnx.sure import is_sure
from dycl.one_onnx.weights import Nowhere, Weights
from hcfg.edit import fresh_id
from hcfg.graph import Hcfg, NodeId
from rewriter.diagnostics import CompileError

_DEAR = frozenset({"Conv", "ConvTranspose", "Gemm", "GRU", "LSTM", "MatMul", "RNN"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedModel:
    """A file, and whether what runs before the tests that it follows raises for no content."""

    model: onnx.ModelProto
    is_sure: bool


def linked_model(
    link: Link,
    plan: Plan,
    exported: Mapping[NodeId, Exported],
    weights: Weights,
    source: str,
    version: str,
) -> LinkedModel | None:
    """Return the file of a link; None where it cannot be told what its tests are about."""
    parts = finding_something(link, exported)
    if parts is None:
        return None
    writer, subdnns, results = GraphWriter(), SubDnns(parts, weights), plan.results[None]
    linking = LinkWriter(link=link, subdnns=subdnns, results=results)
    values = linking.write(plan.inputs, writer)
    graph = as_file(plan, values, writer)
    model = finished(graph, subdnns, results, source, version)
    return LinkedModel(model=model, is_sure=is_sure(model, linking.before_tests))


def exported_of(captured: Sequence[CapturedSubDnn], cache: Cache | None) -> dict[NodeId, Exported]:
    """Return the graphs of sub-DNNs, by their nodes."""
    skeletons = Skeletons(cache).find(captured)
    pairs = zip(captured, skeletons, strict=True)
    return {subdnn.name: Exported(subdnn, skeleton) for subdnn, skeleton in pairs}


def linked(graph: Hcfg, found: Sequence[Link], building: Building) -> Mixed | None:
    """Return the program with some of the links it may have as its regions; None without any.

    Where sub-DNNs cannot be captured or exported nothing is linked: who compiles them says why.
    """
    wanted = {name for link in found for name in link.subdnns}
    try:
        captured = [each for each in building.capture() if each.name in wanted]
    except CompileError:
        return None
    try:
        exported = exported_of(captured, building.exports)
    except Exception:  # the exporter raises what it likes
        return None
    links: dict[NodeId, Link] = {}
    for link in found:
        if _is_worth_it(link, exported):
            links[fresh_id((*graph.nodes, *links), "subdnn")] = link
    if not links:
        return None
    regions = {node_id: link.region for node_id, link in links.items()}
    whole = mixed_of(regions, lowerable(graph))
    fitting = {
        node_id: links[node_id].region
        for node_id in whole.regions
        if _can_be(links[node_id], whole.plans[node_id], exported)
    }
    if not fitting:
        return None
    if len(fitting) < len(whole.regions):
        whole = mixed_of(fitting, whole.possible)
    return replace(whole, links={node_id: links[node_id] for node_id in whole.regions})


def _is_worth_it(link: Link, exported: Mapping[NodeId, Exported]) -> bool:
    """Return whether several sub-DNNs do what takes longer than to check and write the file."""
    dear = (
        any(node.op_type in _DEAR for node in exported[name].skeleton.graph.node)
        for name in link.subdnns
    )
    return sum(dear) > 1


def _can_be(link: Link, plan: Plan, exported: Mapping[NodeId, Exported]) -> bool:
    model = linked_model(link, plan, exported, Weights(Nowhere()), "", "")
    return model is not None and (model.is_sure or not link.tests)
