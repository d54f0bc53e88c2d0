"""Makes archives of native code, one for each structure, with the weights beside them."""

import logging
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from dycl.backends.compiling import identity
from dycl.backends.inductor.tracing import traced
from dycl.backends.interface import Artifact, Workplace
from dycl.backends.weights_file import FILE, content_of
from dycl.cache import cache_key
from dycl.capture import CapturedSubDnn
from dycl.capture.size_places import size_places

_SETTINGS: Mapping[str, object] = {
    "aot_inductor.compile_wrapper_opt_level": "O0",  # it only calls kernels; O1 takes twice as long
    "aot_inductor.enable_line_tables": False,  # for profilers, and large
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
        settings={
            "weights": weights,
            "sizes": [
                {"input": p.port, "dimension": p.dim, "offset": p.offset}
                for p in size_places(subdnn)
            ],
            "vectors": [
                number
                for number, port in enumerate(subdnn.inputs)
                if any(isinstance(size, str) for size in port.shape)
            ],
        },
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


def _compile(subdnn: CapturedSubDnn, threads: int) -> bytes:
    from torch._inductor import aoti_compile_and_package

    logger = logging.getLogger("torch._inductor")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with tempfile.TemporaryDirectory() as name, warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            path = Path(name, "archive.pt2")
            aoti_compile_and_package(
                traced(subdnn),
                package_path=str(path),
                inductor_configs={**_SETTINGS, "cpp.threads": threads},
            )
            return path.read_bytes()
    finally:
        logger.setLevel(level)
