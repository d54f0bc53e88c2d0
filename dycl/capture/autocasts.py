"""Regions of ``torch.autocast`` in exported programs, which no backend takes as they are.

What an exporter traces stands above autocasting: such a region is an operator with a graph of its
own. Here its graph is traced below, where each conversion is an operation, and put in its place.
"""

from operator import getitem
from typing import Any

import torch
from torch import fx
from torch._guards import detect_fake_mode
from torch.fx.experimental.proxy_tensor import make_fx

_REGION = torch.ops.higher_order.wrap_with_autocast


def without_autocasts(exported: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    """Put the operations that they stand for in place of such regions; return the program."""
    module = exported.graph_module
    regions = [node for node in module.graph.nodes if node.target is _REGION]
    for region in regions:
        results = _put_before(module, region, _traced(module, region))
        for part in [*region.users]:
            assert part.target is getitem
            part.replace_all_uses_with(results[part.args[1]])
            module.graph.erase_node(part)
        module.graph.erase_node(region)
    if regions:
        module.graph.eliminate_dead_code()
        module.recompile()
    return exported


def _traced(module: fx.GraphModule, region: fx.Node) -> fx.GraphModule:
    """Return what runs in a region as operations below autocasting."""
    device, dtype, enabled, cached, graph, *given = region.args
    assert isinstance(graph, fx.Node)
    values = [each.meta["val"] if isinstance(each, fx.Node) else each for each in given]
    fakes: Any = detect_fake_mode(values)
    settings: Any = {"dtype": dtype, "enabled": enabled, "cache_enabled": cached}
    with fakes, torch.autocast(str(device), **settings):
        return make_fx(getattr(module, str(graph.target)))(*values)


def _put_before(module: fx.GraphModule, region: fx.Node, traced: fx.GraphModule) -> Any:
    """Copy operations to where a region is; return what they give."""
    given = iter(region.args[5:])
    copies: dict[fx.Node, Any] = {}
    with module.graph.inserting_before(region):
        for node in traced.graph.nodes:
            if node.op == "placeholder":
                copies[node] = next(given)
            elif node.op == "get_attr":
                raise NotImplementedError("a constant under autocast")
            elif node.op == "output":
                return fx.map_arg(node.args[0], lambda each: copies[each])
            else:
                copies[node] = module.graph.node_copy(node, lambda each: copies[each])
