"""Makes the inputs and outputs of a graph cross its border in blocks of channels.

ONNX Runtime lays images out in blocks (NCHWc) within one graph only, and puts them back in order at
its border. A pooling over one element there does nothing, but is computed in blocks:

    x0 -> MaxPool(1x1) -> ...        becomes    x0 -> ReorderInput -> MaxPool -> ...
    ... -> MaxPool(1x1) -> y0                   ... -> MaxPool -> ReorderOutput -> y0

Then both are cut out, and what was between them and the rest of the graph is its border.
"""

from collections.abc import Collection, Iterator

import onnx

from dycl.backends.onnxruntime.optimising import ALL, NCHWC, optimised


def blocked(model: onnx.ModelProto, ports: Collection[str]) -> onnx.ModelProto | None:
    """Return the optimised graph with some inputs and outputs in blocks; None if that fails."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for name in ports:
        _insert(made.graph, name)
    result = optimised(made, ALL)
    del result.graph.value_info[:]
    for value in result.graph.output:
        value.name = value.name.removesuffix("__out")
    done = all(_cut(result.graph, name) for name in ports)
    return result if done else None


def is_natural(model: onnx.ModelProto, port: str) -> bool:
    """Return whether a graph computes with an input or output in blocks, and not reorders it."""
    if any(value.name == port for value in model.graph.input):
        readers = [node for node in model.graph.node if port in node.input]
        return any(n.domain == NCHWC and n.op_type != "ReorderOutput" for n in readers)
    return any(port in node.output and node.op_type != "ReorderInput" for node in model.graph.node)


def _insert(graph: onnx.GraphProto, port: str) -> None:
    if any(value.name == port for value in graph.input):
        _rename_inside(graph, port, f"{port}__in", outputs=False)
        graph.node.insert(0, _sentinel(port, f"{port}__in"))
        return
    graph.node.append(_sentinel(port, f"{port}__out"))
    for value in graph.output:
        value.name = f"{port}__out" if value.name == port else value.name


def _sentinel(source: str, target: str) -> onnx.NodeProto:
    return onnx.helper.make_node("MaxPool", [source], [target], kernel_shape=[1, 1])


def _cut(graph: onnx.GraphProto, port: str) -> bool:
    """Cut out a sentinel and the reordering beside it; return whether both are there."""
    if any(value.name == port for value in graph.input):
        outer = _only(node for node in graph.node if port in node.input)
        inner = outer and _only(node for node in graph.node if outer.output[0] in node.input)
        if not _are(outer, inner, "ReorderInput"):
            return False
        assert outer is not None and inner is not None
        old = inner.output[0]
        for node in (outer, inner):
            graph.node.remove(node)
        _rename_inside(graph, old, port, outputs=False)
        return True
    outer = _only(node for node in graph.node if f"{port}__out" in node.output)
    inner = outer and _only(node for node in graph.node if outer.input[0] in node.output)
    if not _are(outer, inner, "ReorderOutput"):
        return False
    assert outer is not None and inner is not None
    old = inner.input[0]
    for node in (outer, inner):
        graph.node.remove(node)
    if any(value.name == old for value in graph.input):
        return False
    _rename_inside(
        graph, port, f"{port}__nchw", outputs=True
    )  # the same in order, for readers inside
    _rename_inside(graph, old, port, outputs=True)
    return True


def _are(outer: onnx.NodeProto | None, inner: onnx.NodeProto | None, reorder: str) -> bool:
    return (
        outer is not None
        and inner is not None
        and (outer.op_type, outer.domain) == (reorder, NCHWC)
        and (inner.op_type, inner.domain) == ("MaxPool", NCHWC)
    )


def _only(nodes: Iterator[onnx.NodeProto]) -> onnx.NodeProto | None:
    found = list(nodes)
    return found[0] if len(found) == 1 else None


def rename(graph: onnx.GraphProto, old: str, new: str) -> None:
    """Rename an input or output of a graph."""
    _rename_inside(graph, old, new, outputs=True)
    for value in (*graph.input, *graph.output):
        value.name = new if value.name == old else value.name


def _rename_inside(graph: onnx.GraphProto, old: str, new: str, *, outputs: bool) -> None:
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        if outputs:
            node.output[:] = [new if name == old else name for name in node.output]
