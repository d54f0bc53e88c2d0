"""From sub-DNNs to one library: import each structure, lower, schedule, link."""

from collections.abc import Sequence

import torch
from tvm import relax

from dycl.backends.interface import Artifact, Workplace
from dycl.backends.tvm import pipeline
from dycl.backends.tvm.importing import import_subdnn
from dycl.backends.tvm.targets import Processor
from dycl.backends.weights_file import FILE, content_of
from dycl.capture import CapturedSubDnn


def compile_library(
    subdnns: Sequence[CapturedSubDnn], workplace: Workplace, processor: Processor, file: str
) -> tuple[Artifact, ...]:
    """Write one library with a function per structure; return an artifact for each sub-DNN."""
    builder = relax.BlockBuilder()
    names: dict[str, str] = {}
    checks: dict[str, bool] = {}
    for subdnn in subdnns:
        structure = subdnn.structure if subdnn.shareable else subdnn.name
        if structure not in names:
            names[structure] = f"function_{len(names)}"
            checks[structure] = import_subdnn(builder, subdnn, names[structure])
    if subdnns:
        lowered = pipeline.lower(builder.finalize(), processor.target)
        executable = pipeline.build(lowered, processor.target)
        pipeline.write_library(executable, workplace.directory / file)
    artifacts = []
    for subdnn in subdnns:
        structure = subdnn.structure if subdnn.shareable else subdnn.name
        settings = {
            "function": names[structure],
            "checks": checks[structure],
            "weights": [_place(weight.tensor, workplace) for weight in subdnn.weights],
        }
        uses = (FILE,) if subdnn.weights else ()
        artifacts.append(Artifact(subdnn=subdnn.name, file=file, uses=uses, settings=settings))
    return tuple(artifacts)


def _place(tensor: torch.Tensor, workplace: Workplace) -> dict[str, object]:
    return {
        "offset": workplace.weights.place(content_of(tensor)),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
    }
