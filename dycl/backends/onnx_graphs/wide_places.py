"""Places in tensors as integers of 64 bits: ``GatherND`` and ``ScatterND`` take no others."""

import torch

_aten = torch.ops.aten
_INDEXING = (_aten.index.Tensor, _aten.index_put.default, _aten.index_put_.default)


def widen_places(exported: torch.export.ExportedProgram) -> None:
    """Widen, in place, the index tensors of 32 bits that elements are read or written at."""
    graph = exported.graph
    for node in [*graph.nodes]:
        if node.target not in _INDEXING:
            continue
        x, places, *others = node.args
        with graph.inserting_before(node):
            wide = [_widened(graph, place) for place in places]
        if wide != list(places):
            node.args = (x, wide, *others)
    exported.graph_module.recompile()


def _widened(graph: torch.fx.Graph, place: torch.fx.Node | None) -> torch.fx.Node | None:
    if place is None or place.meta["val"].dtype != torch.int32:
        return place
    wide = graph.call_function(_aten._to_copy.default, (place,), {"dtype": torch.int64})
    wide.meta["val"] = place.meta["val"].to(torch.int64)
    return wide
