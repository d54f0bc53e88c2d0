"""The graph that a host package was written from."""

from typing import Any

from codegen_host.manifest import digest_of_graph, graph_description
from dycl.api import build_graph
from dycl.drawing_inputs import Inputs
from dycl.errors import UserError
from dycl.options import CompileOptions
from dycl.verification.observation import Host
from hcfg.graph import Hcfg
from rewriter.diagnostics import CompileError


def graph_of_host(
    target: object, compiled: Host, method: str, arguments: Inputs, dynamic_shapes: object
) -> Hcfg | None:
    """Return the graph of a host package, None where it cannot be made again.

    A package that was just compiled has it. For any other, the model is rewritten, and the
    graph counts only if it has the nodes, edges and places that the package's manifest lists. Where
    parts of the package are artifacts with decisions inside, it is the graph from before that.
    """
    graph: Hcfg | None = getattr(compiled, "hcfg", None)
    if graph is None:
        options = CompileOptions(many_inputs=getattr(compiled, "takes_many", False))
        graph = _rebuilt(target, method, arguments, dynamic_shapes, options)
    manifest: Any = compiled.manifest
    if graph is None:
        return None
    lowered_from = manifest.get("lowered_from")
    if lowered_from is not None:
        return graph if digest_of_graph(graph) == lowered_from else None
    return graph if graph_description(graph) == manifest["graph"] else None


def _rebuilt(
    target: object,
    method: str,
    arguments: Inputs,
    dynamic_shapes: object,
    options: CompileOptions,
) -> Hcfg | None:
    try:
        return build_graph(target, arguments, method, dynamic_shapes, options)
    except (CompileError, UserError):
        return None  # compiled with options, or from a model, that are not at hand
