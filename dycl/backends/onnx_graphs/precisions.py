"""What the exporter computes in single precision whatever it is given."""

from typing import Any

import torch

_SINGLE: dict[Any, str] = {
    torch.ops.aten.embedding_bag: "bags of embeddings",
    torch.ops.aten._embedding_bag: "bags of embeddings",
    torch.ops.aten._embedding_bag_forward_only: "bags of embeddings",
}


def refuse_single(exported: torch.export.ExportedProgram) -> None:
    """Raise where doubles would be computed in single precision."""
    for node in exported.graph.nodes:
        what = _SINGLE.get(getattr(node.target, "overloadpacket", None))
        if what is not None and node.args[0].meta["val"].dtype == torch.float64:
            raise NotImplementedError(f"{what} in double precision")
