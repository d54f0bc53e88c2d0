"""From sub-DNNs to one library: import each structure, lower, schedule, link."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import tvm
from tvm import relax

from dycl.backends.interface import Artifact, Workplace
from dycl.backends.tvm import pipeline
from dycl.backends.tvm.importing import Function, import_subdnn
from dycl.backends.tvm.targets import Processor
from dycl.backends.weights_file import FILE, content_of
from dycl.capture import CapturedSubDnn


def compile_library(
    subdnns: Sequence[CapturedSubDnn], workplace: Workplace, processor: Processor, file: str
) -> tuple[Artifact, ...]:
    """Write one library with a function per structure; return an artifact for each sub-DNN."""
    functions = _import(subdnns, processor)
    if functions.module is not None:
        target = processor.target
        lowered = pipeline.lower(functions.module, target)
        executable = pipeline.build(pipeline.schedule(lowered, target, processor.lanes), target)
        pipeline.write_library(executable, workplace.directory / file)
    artifacts = []
    for subdnn in subdnns:
        function = functions.of[identity(subdnn)]
        held = [weight.tensor.detach() for weight in subdnn.weights]
        weights = [_place(make(held), workplace) for make in function.recipes]
        settings = {"function": function.name, "checks": function.checks, "weights": weights}
        uses = (FILE,) if weights else ()
        artifacts.append(Artifact(subdnn=subdnn.name, file=file, uses=uses, settings=settings))
    return tuple(artifacts)


@dataclass(slots=True, kw_only=True)
class _Functions:
    """The module of a package, and the function of each structure in it."""

    module: tvm.IRModule | None
    of: dict[str, Function]


def _import(subdnns: Sequence[CapturedSubDnn], processor: Processor) -> _Functions:
    builder = relax.BlockBuilder()
    of: dict[str, Function] = {}
    for subdnn in subdnns:
        if identity(subdnn) not in of:
            name = f"function_{len(of)}"
            of[identity(subdnn)] = import_subdnn(builder, subdnn, name, processor.lanes)
    return _Functions(module=builder.finalize() if of else None, of=of)


def identity(subdnn: CapturedSubDnn) -> str:
    """Return what sub-DNNs with one function have in common."""
    return subdnn.structure if subdnn.shareable else subdnn.name


def _place(tensor: torch.Tensor, workplace: Workplace) -> dict[str, object]:
    return {
        "offset": workplace.weights.place(content_of(tensor)),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
    }
