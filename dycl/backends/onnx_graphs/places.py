"""Refuses what asks for the places of elements, where only the elements are compiled."""

import torch

_aten = torch.ops.aten

_WITH_PLACES = frozenset(
    {
        _aten.median.dim,
        _aten.nanmedian.dim,
        _aten.kthvalue.default,
        _aten.mode.default,
    }
)
"""Operators whose second result is not translated, or is any one of several."""
_OF_SINGLES = frozenset({_aten.adaptive_max_pool2d.default, _aten.adaptive_max_pool3d.default})
"""Those of which it is translated for types that have wider ones, where NaN is above infinity."""


def refuse_places(exported: torch.export.ExportedProgram) -> None:
    """Raise where the second result of such an operator is used."""
    for node in exported.graph.nodes:
        is_wide = node.target in _OF_SINGLES and node.args[0].meta["val"].dtype == torch.float64
        if (is_wide or node.target in _WITH_PLACES) and any(
            user.args[1] == 1 and user.users for user in node.users
        ):
            raise NotImplementedError(
                f"the places of what {node.target.overloadpacket.__name__} finds"
            )
