"""Constants that the exporter's optimizer makes twice under one name: the first one gets lost.

Bounds that it makes of numbers are called after the value that is bounded, so two of one value
have one name, and only the last one belongs to the graph.
"""

from onnxscript import ir


def find_lost_constants(model: ir.Model) -> None:
    """Give constants that are read and belong to no graph a name of their own, in place."""
    known = model.graph.initializers
    for node in model.graph.all_nodes():
        for value in node.inputs:
            if value is not None and _is_lost(value):
                value.name = f"constant_of_its_own_{len(known)}"
                known.add(value)


def _is_lost(value: ir.Value) -> bool:
    is_alone = value.producer() is None and value.graph is None
    return is_alone and value.const_value is not None
