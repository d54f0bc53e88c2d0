"""From sub-DNNs to one library: import each structure, lower, schedule, link."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import tvm
from tvm import relax

from dycl.backends.interface import Artifact, Workplace
from dycl.backends.tvm import pipeline
from dycl.backends.tvm.importing import Function, import_subdnn
from dycl.backends.tvm.targets import Processor
from dycl.backends.weights_file import FILE, content_of
from dycl.capture import CapturedSubDnn


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """The module of a package, without loops that anybody chose; a function per structure."""

    subdnns: tuple[CapturedSubDnn, ...]
    module: tvm.IRModule | None
    of: Mapping[str, Function]

    def function(self, subdnn: CapturedSubDnn) -> Function:
        """Return the function of a sub-DNN's structure."""
        return self.of[identity(subdnn)]

    def is_of(self, subdnns: Sequence[CapturedSubDnn]) -> bool:
        """Return whether these very sub-DNNs were lowered."""
        return list(map(id, subdnns)) == list(map(id, self.subdnns))


def lower(subdnns: Sequence[CapturedSubDnn], processor: Processor) -> Lowered:
    """Return the functions of sub-DNNs."""
    builder = relax.BlockBuilder()
    of: dict[str, Function] = {}
    for subdnn in subdnns:
        if identity(subdnn) not in of:
            name = f"function_{len(of)}"
            of[identity(subdnn)] = import_subdnn(builder, subdnn, name, processor.lanes)
    module = pipeline.lower(builder.finalize(), processor.target) if of else None
    return Lowered(subdnns=tuple(subdnns), module=module, of=of)


def compile_library(
    lowered: Lowered,
    workplace: Workplace,
    processor: Processor,
    tuned: pipeline.Tuned,
) -> tuple[Artifact, ...]:
    """Write one library with a function per structure; return an artifact for each sub-DNN."""
    if lowered.module is None:
        return ()
    target = processor.target
    scheduled = pipeline.schedule(lowered.module, target, processor.lanes, tuned)
    file = _library(pipeline.build(scheduled, target), workplace)
    artifacts = []
    for subdnn in lowered.subdnns:
        function = lowered.function(subdnn)
        held = [weight.tensor.detach() for weight in subdnn.weights]
        weights = [_place(make(held), workplace) for make in function.recipes]
        settings = {
            "function": function.name,
            "checks": function.checks,
            "weights": weights,
            "tensors": list(function.tensors),
            "sizes": [list(size) for size in function.sizes],
            "numbers": list(function.numbers),
        }
        uses = (FILE,) if weights else ()
        artifacts.append(Artifact(subdnn=subdnn.name, file=file, uses=uses, settings=settings))
    return tuple(artifacts)


def _library(executable: Any, workplace: Workplace) -> str:
    """Write a library under a name of its own; return the name.

    A process that has loaded a library gets that one again for the same name, whatever the file
    holds by then: the package that a second compilation puts in place of the first one must not.
    """
    path = workplace.directory / "tvm.so"
    pipeline.write_library(executable, path)
    with open(path, "rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return path.rename(path.with_name(f"tvm_{digest[:16]}.so")).name


def identity(subdnn: CapturedSubDnn) -> str:
    """Return what sub-DNNs with one function have in common."""
    return subdnn.structure if subdnn.shareable else subdnn.name


def _place(tensor: torch.Tensor, workplace: Workplace) -> dict[str, object]:
    return {
        "offset": workplace.weights.place(content_of(tensor)),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
    }
