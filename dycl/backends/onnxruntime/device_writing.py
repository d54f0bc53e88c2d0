"""Writes sub-DNNs for a GPU: the graph for the device, and the plain one beside, for the CPU."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import onnx

from dycl.backends.interface import Artifact, Workplace
from dycl.backends.onnx_graphs.weights import with_weights
from dycl.backends.onnxruntime.device_graphs import device_graph
from dycl.backends.onnxruntime.finite_graphs import without_exact_arms
from dycl.backends.onnxruntime.sharing import (
    SharedGraphs,
    Stored,
    plain_artifact,
    plain_file,
)
from dycl.capture import CapturedSubDnn


def write_for_device(
    subdnns: Sequence[CapturedSubDnn],
    skeletons: Sequence[onnx.ModelProto],
    workplace: Workplace,
    staying: Mapping[str, Sequence[int]],
) -> tuple[Artifact, ...]:
    """Write each sub-DNN; ``staying`` are the results that stay on the device, by its name."""
    graphs = SharedGraphs(workplace)
    flags: dict[str, bool] = {}
    for subdnn, skeleton in zip(subdnns, skeletons, strict=True):
        plain = with_weights(skeleton, subdnn, workplace.weights)
        made = device_graph(without_exact_arms(plain) or plain)  # guarded, so exact, too
        graphs.add(plain_file(subdnn), plain)
        if made is not None:
            graph, flags[subdnn.name] = made
            graphs.add(_file(subdnn), graph)
    stored = graphs.write()
    return tuple(_artifact(subdnn, stored, flags, staying) for subdnn in subdnns)


def _file(subdnn: CapturedSubDnn) -> str:
    return f"{subdnn.name}_device.onnx"


def _artifact(
    subdnn: CapturedSubDnn,
    stored: Mapping[str, Stored],
    flags: Mapping[str, bool],
    staying: Mapping[str, Sequence[int]],
) -> Artifact:
    plain = plain_artifact(subdnn, stored[plain_file(subdnn)])
    if subdnn.name not in flags:
        return plain
    graph = stored[_file(subdnn)]
    about = {
        "file": graph.file,
        "weights": list(graph.weights),
        "stays": list(staying.get(subdnn.name, ())),
        "flag": flags[subdnn.name],
    }
    uses = tuple(sorted({*plain.uses, *graph.uses, graph.file}))
    return replace(plain, uses=uses, settings={**plain.settings, "device": about})
