"""Reads what this package says of itself, and makes sure that its files are what was compiled."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

FORMAT = 4

_PARTS = ("backends", "artifacts", "subdnns", "constants", "files")
"""What loading needs of the manifest."""

_PARTS_OF_ARTIFACT = ("backend", "file", "uses", "inputs", "outputs")
_EACH = "*"
_FORM: Any = {
    "entry_point": str,
    "inputs": [dict],
    "backends": {_EACH: {"runtime": dict}},
    "subdnns": [{"id": str, "runtime": dict}],
    "constants": {_EACH: str},
    "files": {_EACH: str},
    "graph": {"nodes": [{"id": str, "kind": str, "then": [str]}]},
    "source_map": [{"node": str, "at": [int]}],
}
"""What is read of it: a type, a list of such, or a dict with what it has by name, or of each."""
_PARTS_OF_SUBDNN = ("id", "artifact", "runtime", "inputs", "outputs")


class PackageError(Exception):
    """The files of this package are not what was compiled, or not for this machine."""


def read_manifest(directory: Path) -> dict[str, Any]:
    """Return the manifest, once all files are as it says."""
    path = directory / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PackageError(f"{path} cannot be read: {error}") from error
    try:
        return _checked(path, manifest)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise PackageError(f"{path} is damaged: {error}") from error


def _checked(path: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    if manifest.get("format") != FORMAT:
        found = manifest.get("format")
        raise PackageError(f"{path} has format {found}; this package's code reads {FORMAT}")
    missing = [name for name in _PARTS if name not in manifest]
    if missing:
        raise PackageError(f"{path} is damaged: it has no {', '.join(missing)}")
    _require_parts(path, manifest)
    digests, files = manifest["files"], _files(manifest)
    for file in files:
        if file not in digests:
            raise PackageError(f"{path} is damaged: it has no digest of {file}")
    for problem in chain(_problems(_FORM, manifest, "it"), _unused(manifest, files)):
        raise PackageError(f"{path} is damaged: {problem}")
    for file, digest in digests.items():
        _require_unchanged(path.parent / file, digest)
    common = manifest.pop("artifacts")
    manifest["subdnns"] = [_whole(entry, common) for entry in manifest["subdnns"]]
    return manifest


def _whole(entry: Mapping[str, Any], common: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return all that is known about a sub-DNN; the manifest has once what many have in common."""
    found = {**common[entry["artifact"]], **entry}
    del found["artifact"]
    for side in ("inputs", "outputs"):
        ports = zip(entry[side], common[entry["artifact"]][side], strict=True)
        found[side] = [_port(name, port) for name, port in ports]
    return found


def _port(name: str, written: Any) -> dict[str, Any]:
    """Return what a sub-DNN takes or gives; ``["float32", 1, 8]`` is what the manifest has."""
    if written == "number":
        return {"name": name, "dtype": "int64", "shape": [], "is_number": True}
    dtype, *shape = written
    return {"name": name, "dtype": dtype, "shape": shape}


def _require_parts(path: Path, manifest: Mapping[str, Any]) -> None:
    """Require that artifacts and sub-DNNs are whole, and each has a backend."""
    for kind, parts in (("artifacts", _PARTS_OF_ARTIFACT), ("subdnns", _PARTS_OF_SUBDNN)):
        for entry in manifest[kind]:
            missing = [name for name in parts if name not in entry]
            if missing:
                text = f"one of its {kind} has no {', '.join(missing)}"
                raise PackageError(f"{path} is damaged: {text}")
    count = len(manifest["artifacts"])
    if any(entry["artifact"] not in range(count) for entry in manifest["subdnns"]):
        raise PackageError(f"{path} is damaged: the artifact of a sub-DNN is missing")
    for entry in manifest["artifacts"]:
        if entry["backend"] not in manifest["backends"]:
            raise PackageError(f"{path} is damaged: it has no backend {entry['backend']}")


def _problems(form: Any, value: Any, where: str) -> Iterator[str]:
    """Yield what is missing in a part of the manifest, or not what it should be."""
    kind = form if isinstance(form, type) else type(form)
    given: object = value  # narrowed apart: of the value itself, mypy would know no more
    if not isinstance(given, kind):
        yield f"{where} is no {kind.__name__}"
    elif isinstance(form, list):
        for index, item in enumerate(value):
            yield from _problems(form[0], item, f"{where}[{index}]")
    elif isinstance(form, dict):
        for name in value if _EACH in form else form:
            inner = name if where == "it" else f"{where}.{name}"
            if name in value:
                yield from _problems(form.get(name, form.get(_EACH)), value[name], inner)
            else:
                yield f"{where} has no {name}"


def _unused(manifest: Mapping[str, Any], files: Sequence[str]) -> Iterator[str]:
    """Yield what the manifest has, or mentions, though the rest of it does not say what it is."""
    for file in manifest["files"].keys() - set(files):
        yield f"nothing uses {file}"
    nodes = manifest["graph"]["nodes"]
    if not nodes:
        yield "its graph has no nodes"
    known, compiled = {n["id"] for n in nodes}, {entry["id"] for entry in manifest["subdnns"]}
    for node in nodes:
        if node["kind"] == "subdnn" and node["id"] not in compiled:
            yield f"it has no sub-DNN {node['id']}"
        for other in node["then"]:
            if other not in known:
                yield f"its graph has no node {other}"


def _files(manifest: Mapping[str, Any]) -> list[str]:
    """Return the files that are loaded; each has a digest."""
    files = list(manifest["constants"].values())
    for entry in manifest["artifacts"]:
        files += [entry["file"], *entry["uses"]]
    return files


def _require_unchanged(path: Path, digest: str) -> None:
    try:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise PackageError(f"{path} cannot be read: {error}") from error
    if found != digest:
        raise PackageError(f"{path} is damaged: it is not the file that was compiled")
