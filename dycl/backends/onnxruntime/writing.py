"""Writes the ONNX files of many sub-DNNs and the file with their weights."""

from collections.abc import Sequence
from pathlib import Path

import onnx

from dycl.backends.interface import Artifact
from dycl.backends.onnxruntime.weights import FILE, WeightsFile, with_weights
from dycl.capture import CapturedSubDnn


def write_models(
    subdnns: Sequence[CapturedSubDnn], skeletons: Sequence[onnx.ModelProto], directory: Path
) -> tuple[Artifact, ...]:
    """Write each skeleton with its sub-DNN's weights; equal results share one file."""
    artifacts: list[Artifact] = []
    files: dict[bytes, str] = {}
    with WeightsFile(str(directory / FILE)) as weights:
        for subdnn, skeleton in zip(subdnns, skeletons, strict=True):
            model = with_weights(skeleton, subdnn, weights)
            content = model.SerializeToString(deterministic=True)
            if content not in files:
                files[content] = f"{subdnn.name}.onnx"
                (directory / files[content]).write_bytes(content)
            external = any(tensor.external_data for tensor in model.graph.initializer)
            artifacts.append(
                Artifact(
                    subdnn=subdnn.name,
                    file=files[content],
                    uses=(FILE,) if external else (),
                )
            )
        empty = weights.size == 0
    if empty:
        (directory / FILE).unlink()
    return tuple(artifacts)
