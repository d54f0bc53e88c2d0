"""Makes an ONNX graph ready for OpenVINO: vetted, with guards."""

from dataclasses import dataclass

import onnx

from dycl.backends.openvino.emptiness import with_empty_results
from dycl.backends.openvino.exact_integers import find_limit
from dycl.backends.openvino.guards import Watched, add_guards
from dycl.backends.openvino.infinities import masked_rows
from dycl.backends.openvino.spelling import respelled
from dycl.backends.openvino.vetting import every_value, require_taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A graph with guards, and the name of the error that each stands for."""

    model: onnx.ModelProto
    guards: list[str]
    limit: int
    """Up to where integers of its inputs may go."""


def prepare(skeleton: onnx.ModelProto) -> Prepared:
    """Return a skeleton with guards; raise ``NotTaken`` where OpenVINO differs."""
    skeleton = with_empty_results(skeleton, *_known(skeleton))
    types, shapes = _known(skeleton)
    require_taken(skeleton, types, shapes)
    rows = masked_rows(skeleton.graph)
    limit = find_limit(skeleton, types, shapes)
    model, behind = respelled(skeleton, types)
    watched = Watched(rows=rows, sized=limit.relied, largest=limit.largest, uncertain=tuple(behind))
    guards = add_guards(model, types, shapes, watched)
    return Prepared(model=model, guards=guards, limit=limit.largest)


def _known(model: onnx.ModelProto) -> tuple[dict[str, int], dict[str, list[int | str]]]:
    """Return the element types and the shapes of the values of a model, by name."""
    graph = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    values = list(every_value(graph))
    types = {value.name: value.type.tensor_type.elem_type for value in values}
    types |= {tensor.name: tensor.data_type for tensor in graph.initializer}
    shapes = {value.name: _sizes(value) for value in values}
    shapes |= {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    return types, shapes


def _sizes(value: onnx.ValueInfoProto) -> list[int | str]:
    return [
        size.dim_value if size.HasField("dim_value") else size.dim_param
        for size in value.type.tensor_type.shape.dim
    ]
