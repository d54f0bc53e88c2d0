"""Makes archives of native code, one for each structure, with the weights beside them."""

import logging
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import nn

from dycl.backends.compiling import identity
from dycl.backends.interface import Artifact, Workplace
from dycl.backends.weights_file import FILE, content_of
from dycl.cache import cache_key
from dycl.capture import CapturedSubDnn

_SETTINGS: Mapping[str, object] = {
    "aot_inductor.compile_wrapper_opt_level": "O0",  # it only calls kernels; O1 takes twice as long
}


def compile_archives(
    subdnns: Sequence[CapturedSubDnn],
    workplace: Workplace,
    key_parts: Mapping[str, object],
    threads: int,
) -> tuple[Artifact, ...]:
    """Return an artifact per sub-DNN; those of one structure share an archive."""
    files: dict[str, str] = {}
    artifacts = []
    for subdnn in subdnns:
        if identity(subdnn) not in files:
            file = files[identity(subdnn)] = f"{subdnn.name}.pt2"
            content = _archive(subdnn, workplace, key_parts, threads)
            (workplace.directory / file).write_bytes(content)
        artifacts.append(_artifact(subdnn, files[identity(subdnn)], workplace))
    return tuple(artifacts)


def _artifact(subdnn: CapturedSubDnn, file: str, workplace: Workplace) -> Artifact:
    weights = [
        {
            "offset": workplace.weights.place(content_of(weight.tensor)),
            "dtype": str(weight.tensor.dtype).removeprefix("torch."),
            "shape": list(weight.tensor.shape),
        }
        for weight in subdnn.weights
    ]
    return Artifact(
        subdnn=subdnn.name,
        file=file,
        uses=(FILE,) if any(weight.tensor.numel() for weight in subdnn.weights) else (),
        settings={"weights": weights},
    )


def _archive(
    subdnn: CapturedSubDnn,
    workplace: Workplace,
    key_parts: Mapping[str, object],
    threads: int,
) -> bytes:
    cache = workplace.cache if subdnn.shareable else None
    key = cache_key({**key_parts, "archive": subdnn.structure})
    found = None if cache is None else cache.get(key)
    if found is None:
        found = _compile(subdnn, threads)
        if cache is not None:
            cache.put(key, found)
    return found


class _WeightsAsInputs(nn.Module):
    """A sub-DNN that takes its weights after its inputs.

    The compiler writes small weights into the code, which then serves one sub-DNN only.
    """

    def __init__(self, subdnn: CapturedSubDnn) -> None:
        super().__init__()
        self.training = False
        self._subdnn = (subdnn,)  # in a tuple: its weights are not those of this module

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the outputs."""
        subdnn = self._subdnn[0]
        count = len(subdnn.inputs)
        held = {
            name: tensor
            for weight, tensor in zip(subdnn.weights, tensors[count:], strict=True)
            for name in weight.names
        }
        outputs: tuple[torch.Tensor, ...] = torch.func.functional_call(
            subdnn.module, held, tensors[:count], tie_weights=False
        )
        return outputs


def _compile(subdnn: CapturedSubDnn, threads: int) -> bytes:
    if subdnn.is_symbolic:
        raise NotImplementedError("sizes or integers that are known only at run time")
    from torch._inductor import aoti_compile_and_package

    weights = tuple(weight.tensor.detach().contiguous() for weight in subdnn.weights)
    logger = logging.getLogger("torch._inductor")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with tempfile.TemporaryDirectory() as name, warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            path = Path(name, "archive.pt2")
            aoti_compile_and_package(
                torch.export.export(
                    _WeightsAsInputs(subdnn), (*subdnn.example_inputs(), *weights), strict=False
                ),
                package_path=str(path),
                inductor_configs={**_SETTINGS, "cpp.threads": threads},
            )
            return path.read_bytes()
    finally:
        logger.setLevel(level)
