"""Tensors between sub-DNNs that fast graphs need not look at, as those that made them have.

    x, test = subdnn_0(x)       # pools x: a sum of squares tells whether x is finite
    if test.item() > 0:
        x, test = subdnn_1(x)   # pools what it makes, and tells of that
    else:
        test = subdnn_2(x)      # pools x again

Where a sum is not finite the plain graph makes the tensor anew, and not in memory that is bound. So
what stands in bound memory was looked at.
"""

from collections.abc import Mapping, Sequence
from math import prod

import onnx

from dycl.backends.onnxruntime.finite_graphs import wholly_told
from dycl.backends.onnxruntime.runtime_arrays import SMALL
from dycl.capture import CapturedSubDnn, Port
from hcfg.graph import SubDnn
from hcfg.private_borders import private_borders


def told_finite(
    subdnns: Sequence[CapturedSubDnn], fast: Mapping[str, onnx.ModelProto]
) -> frozenset[str]:
    """Return the tensors of which each sub-DNN that makes one tells whether it is finite.

    Nobody else makes them, and nobody but sub-DNNs looks into them.
    """
    graphs = {id(subdnn.graph): subdnn.graph for subdnn in subdnns}
    if len(graphs) != 1:  # sub-DNNs of several programs have no borders with each other
        return frozenset()
    (graph,) = graphs.values()
    told: set[str] = set()
    untold: set[str] = set()
    for node_id, node in graph.nodes.items():
        if isinstance(node, SubDnn):
            known = wholly_told(fast[node_id]) if node_id in fast else frozenset()
            for place, name in enumerate(node.outputs):
                (told if f"y{place}" in known else untold).add(name)
    borders = (border for border in private_borders(graph) if untold.isdisjoint(border))
    return frozenset(name for border in borders if told.intersection(border) for name in border)


def is_told(port: Port, finite: frozenset[str]) -> bool:
    """Return whether the loader knows an input to be finite: small ones are always copied."""
    sizes = [size for size in port.shape if isinstance(size, int)]
    known = len(sizes) == len(port.shape)
    return port.name in finite and known and prod(sizes) * port.dtype.itemsize > SMALL
