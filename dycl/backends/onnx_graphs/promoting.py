"""Numbers of one call, in types that the exporter can promote together.

Where elements are floats it writes an integer as a tensor and leaves a float as it is. No
operator takes one number as a tensor and another one not: ``clamp(x, 0, 1.0)``.
"""

from typing import Any

import torch


def make_numbers_alike(exported: torch.export.ExportedProgram) -> None:
    """Make floats, in place, of integers that stand beside floats: PyTorch computes with floats."""
    for node in exported.graph.nodes:
        if not isinstance(node.target, torch._ops.OpOverload):
            continue
        parameters = node.target._schema.arguments
        places = [p for p in parameters if _takes_number(p)]
        given = {p.name: _given(node, parameters.index(p), p.name) for p in places}
        if {int, float} <= {type(number) for number in given.values()}:
            for name, number in given.items():
                if type(number) is int and int(float(number)) == number:
                    _give(node, [p.name for p in parameters].index(name), name, float(number))


def _takes_number(parameter: Any) -> bool:
    return str(parameter.type) in ("number", "Optional[number]")


def _given(node: torch.fx.Node, place: int, name: str) -> object:
    return node.args[place] if place < len(node.args) else node.kwargs.get(name)


def _give(node: torch.fx.Node, place: int, name: str, number: float) -> None:
    if place < len(node.args):
        node.update_arg(place, number)
    else:
        node.update_kwarg(name, number)
