"""Makes archives of native code, one for each structure, with the weights beside them."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from dycl.backends.compiling import identity
from dycl.backends.inductor.building import Builder
from dycl.backends.inductor.generating import UnknownLayout, generate, options_of, quietly
from dycl.backends.inductor.own_kernels import with_places_of_pytorch
from dycl.backends.inductor.tracing import traced
from dycl.backends.interface import Artifact, Workplace
from dycl.backends.weights_file import FILE, content_of
from dycl.cache import Cache, cache_key
from dycl.capture import CapturedSubDnn
from dycl.capture.size_places import size_places


def compile_archives(
    subdnns: Sequence[CapturedSubDnn],
    workplace: Workplace,
    key_parts: Mapping[str, object],
    threads: int,
    jobs: int | None,
) -> tuple[Artifact, ...]:
    """Return an artifact per sub-DNN; those of one structure share an archive."""
    representatives = {identity(subdnn): subdnn for subdnn in reversed(subdnns)}
    with tempfile.TemporaryDirectory() as name:
        builder = Builder(
            directory=Path(name),
            cache=workplace.cache,
            key_parts=key_parts,
            jobs=jobs or os.cpu_count() or 1,
        )
        with builder:  # while one is built, the C++ of the next is generated
            archives = {
                key: _archive(subdnn, builder, threads) for key, subdnn in representatives.items()
            }
    files = {}
    for key, archive in archives.items():
        files[key] = f"{representatives[key].name}.pt2"
        (workplace.directory / files[key]).write_bytes(archive.result())
    return tuple(_artifact(subdnn, files[identity(subdnn)], workplace) for subdnn in subdnns)


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
                {"input": p.port, "dimension": p.dim, "factor": p.factor, "offset": p.offset}
                for p in size_places(subdnn)
            ],
            "vectors": [
                number
                for number, port in enumerate(subdnn.inputs)
                if any(isinstance(size, str) for size in port.shape)
            ],
        },
    )


def _archive(subdnn: CapturedSubDnn, builder: Builder, threads: int) -> "Future[bytes]":
    """Return the archive of a structure, when it is built."""
    cache = builder.cache if subdnn.shareable else None
    key = cache_key({**builder.key_parts, "archive": subdnn.structure})
    found = None if cache is None else cache.get(key)
    if found is not None:
        return _done(found)
    directory = builder.directory / subdnn.name
    directory.mkdir()
    try:
        archive = builder.archive(generate(subdnn, threads, directory))
    except UnknownLayout:
        archive = _done(_whole(subdnn, threads))
    if cache is not None:
        archive.add_done_callback(lambda made: _keep(cache, key, made))
    return archive


def _keep(cache: Cache, key: str, archive: "Future[bytes]") -> None:
    if not archive.cancelled() and archive.exception() is None:
        cache.put(key, archive.result())


def _done(content: bytes) -> "Future[bytes]":
    future: Future[bytes] = Future()
    future.set_result(content)
    return future


def _whole(subdnn: CapturedSubDnn, threads: int) -> bytes:
    """Return an archive as PyTorch builds it by itself."""
    from torch._inductor import aoti_compile_and_package

    options = {**options_of(threads), "aot_inductor.compile_wrapper_opt_level": "O0"}
    with tempfile.TemporaryDirectory() as name, quietly():
        path = Path(name, "archive.pt2")
        exported = traced(subdnn)
        with with_places_of_pytorch(exported.graph):
            aoti_compile_and_package(exported, package_path=str(path), inductor_configs=options)
        return path.read_bytes()
