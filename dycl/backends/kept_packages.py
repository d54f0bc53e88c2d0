"""Whole results of a backend, from the cache: the same sub-DNNs with the same weights, once more.

Where exports are in the cache, graphs are still parsed, given weights, optimised and compared.
Where nothing at all has changed, the files are written as they were. What is kept holds the
weights, so it has a size limit.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dycl.backends.interface import Artifact, Workplace
from dycl.backends.weights_file import FILE, content_of
from dycl.cache import Cache, cache_key
from dycl.capture import CapturedSubDnn, Port

_LARGEST = 64 * 1024**2
"""Bytes of an entry: larger ones would soon drive everything else out of the cache."""

_HEADER_SIZE = 8


def compiled_or_kept(
    subdnns: Sequence[CapturedSubDnn],
    workplace: Workplace,
    key_parts: Mapping[str, object],
    compile: Callable[[], tuple[Artifact, ...]],
) -> tuple[Artifact, ...]:
    """Return what ``compile`` writes into the workplace, without it where that is known.

    ``key_parts`` are what results depend on besides names, inputs, outputs, structures and weights
    of the sub-DNNs: JSON values.
    """
    cache = workplace.cache
    if cache is None or not workplace.weights.is_empty or not _is_keepable(subdnns):
        return compile()
    key = cache_key({"package": dict(key_parts), "subdnns": _descriptions(subdnns)})
    kept = cache.get(key)
    if kept is not None:
        return _written(kept, workplace)
    artifacts = compile()
    _keep(key, artifacts, workplace, cache)
    return artifacts


def _is_keepable(subdnns: Sequence[CapturedSubDnn]) -> bool:
    weights = {id(weight.tensor): weight.tensor for s in subdnns for weight in s.weights}
    size = sum(tensor.numel() * tensor.element_size() for tensor in weights.values())
    return bool(subdnns) and size <= _LARGEST and all(s.shareable for s in subdnns)


def _descriptions(subdnns: Sequence[CapturedSubDnn]) -> list[dict[str, object]]:
    digests: dict[int, str] = {}
    for subdnn in subdnns:
        for weight in subdnn.weights:
            if id(weight.tensor) not in digests:
                content = content_of(weight.tensor)
                digests[id(weight.tensor)] = hashlib.sha256(content).hexdigest()
    return [
        {
            "name": subdnn.name,
            "structure": subdnn.structure,
            "inputs": [_described(port) for port in subdnn.inputs],
            "outputs": [_described(port) for port in subdnn.outputs],
            "weights": [digests[id(weight.tensor)] for weight in subdnn.weights],
        }
        for subdnn in subdnns
    ]


def _described(port: Port) -> list[object]:
    return [port.name, port.dtype_name, list(port.shape), repr(port.number)]


def _keep(key: str, artifacts: Sequence[Artifact], workplace: Workplace, cache: Cache) -> None:
    """Keep the artifacts' files, and where the weights stand in theirs."""
    workplace.weights.flush()
    names = dict.fromkeys(name for each in artifacts for name in (each.file, *each.uses))
    names.pop(FILE, None)
    contents = [(workplace.directory / name).read_bytes() for name in names]
    weights = workplace.weights.content()
    if len(weights) + sum(map(len, contents)) > _LARGEST:
        return
    header = {
        "artifacts": [
            [each.subdnn, each.file, list(each.uses), dict(each.settings)] for each in artifacts
        ],
        "files": [[name, len(content)] for name, content in zip(names, contents, strict=True)],
        "offsets": workplace.weights.offsets(),
    }
    text = json.dumps(header).encode()
    cache.put(key, b"".join([len(text).to_bytes(_HEADER_SIZE, "big"), text, *contents, weights]))
    cache.make_room_if_due()


def _written(kept: bytes, workplace: Workplace) -> tuple[Artifact, ...]:
    """Write what is kept into the workplace."""
    start = _HEADER_SIZE + int.from_bytes(kept[:_HEADER_SIZE], "big")
    header: dict[str, Any] = json.loads(kept[_HEADER_SIZE:start])
    for name, length in header["files"]:
        (workplace.directory / name).write_bytes(kept[start : start + length])
        start += length
    workplace.weights.fill(kept[start:], header["offsets"])
    return tuple(
        Artifact(subdnn=subdnn, file=file, uses=tuple(uses), settings=settings)
        for subdnn, file, uses, settings in header["artifacts"]
    )
