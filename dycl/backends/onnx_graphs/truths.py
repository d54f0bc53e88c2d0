"""What is true of bytes: ``any`` and ``all`` give a byte, which the exporter makes a bool of."""

import torch

_aten = torch.ops.aten
_ASKING = frozenset(
    getattr(operator, overload)
    for operator in (_aten.any, _aten.all)
    for overload in ("default", "dim", "dims")
)


def keep_bytes(exported: torch.export.ExportedProgram) -> None:
    """Ask, in place, whether bytes are not 0, and make a byte of the answer."""
    graph = exported.graph
    for node in [*graph.nodes]:
        if node.target not in _ASKING or node.meta["val"].dtype != torch.uint8:
            continue
        given, *others = node.args
        with graph.inserting_before(node):
            flags = graph.call_function(_aten.ne.Scalar, (given, 0))
            found = graph.call_function(node.target, (flags, *others), node.kwargs)
        flags.meta["val"] = given.meta["val"] != 0
        found.meta["val"] = node.meta["val"] != 0
        # The node itself stays: its name may be that of an output.
        node.target = _aten._to_copy.default
        node.args, node.kwargs = (found,), {"dtype": torch.uint8}
    exported.graph_module.recompile()
