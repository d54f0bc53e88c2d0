"""Reads what this package says of itself, and makes sure that its files are what was compiled."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FORMAT = 4

_PARTS = ("backends", "artifacts", "subdnns", "constants", "files")
"""What loading needs of the manifest."""

_PARTS_OF_ARTIFACT = ("backend", "file", "uses", "inputs", "outputs")
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
    digests = manifest["files"]
    for file in _files(manifest):
        if file not in digests:
            raise PackageError(f"{path} is damaged: it has no digest of {file}")
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
