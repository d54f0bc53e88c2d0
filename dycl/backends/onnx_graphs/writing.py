"""Writes the ONNX files of many sub-DNNs."""

from collections.abc import Sequence

import onnx

from dycl.backends.interface import Artifact, Workplace
from dycl.backends.onnx_graphs.weights import with_weights
from dycl.backends.weights_file import FILE
from dycl.capture import CapturedSubDnn


def write_models(
    subdnns: Sequence[CapturedSubDnn], skeletons: Sequence[onnx.ModelProto], workplace: Workplace
) -> tuple[Artifact, ...]:
    """Write each skeleton with its sub-DNN's weights; equal results share one file."""
    artifacts: list[Artifact] = []
    files: dict[bytes, str] = {}
    for subdnn, skeleton in zip(subdnns, skeletons, strict=True):
        model = with_weights(skeleton, subdnn, workplace.weights)
        content = model.SerializeToString(deterministic=True)
        if content not in files:
            files[content] = f"{subdnn.name}.onnx"
            (workplace.directory / files[content]).write_bytes(content)
        external = any(tensor.external_data for tensor in model.graph.initializer)
        uses = (FILE,) if external else ()
        artifacts.append(Artifact(subdnn=subdnn.name, file=files[content], uses=uses))
    return tuple(artifacts)
