"""Writes a host package: beside its place first, then moved there whole."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import codegen_host.embedded
import rewriter.after_errors
import rewriter.attempts
import rewriter.refilling
from codegen_host.forward_text import ForwardText, forward_text
from codegen_host.manifest import GENERATOR, CompiledSubDnns, manifest_of, write_manifest
from hcfg.graph import Hcfg

SUBDNNS = "subdnns"
_IMPORT = re.compile(r"^\s*from \.(_\w+) import", re.MULTILINE)
_OF_REWRITTEN = {
    "_after_errors.py": rewriter.after_errors.__file__,
    "_attempts.py": rewriter.attempts.__file__,
    "_refilling.py": rewriter.refilling.__file__,
}
"""Files that rewritten programs use under PyTorch, too, by their names in packages."""


class OutputRefused(Exception):
    """The place for the package is taken. The text says by what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPackage:
    """What a package is made of, but for the artifacts."""

    graph: Hcfg
    entry_point: str
    """The original's name (``SkipNet.forward``)."""
    version: str
    """Of dycl."""
    rewritten: str
    """Text of ``rewritten.py``."""
    original: Hcfg | None = None
    """The graph before parts of it became artifacts with decisions inside, where some did."""


CompileInto = Callable[[Path], CompiledSubDnns]
"""Compiles the sub-DNNs into a directory; files are named relative to it."""


def require_free(output: Path, *, force: bool) -> None:
    """Raise OutputRefused unless a package may be written at ``output``."""
    if not output.exists() and not output.is_symlink():
        return
    if not output.is_dir() or output.is_symlink():
        raise OutputRefused(f"{output} exists and is not a directory")
    if force or is_package(output) or not any(output.iterdir()):
        return
    raise OutputRefused(f"{output} exists and was not made by dycl")


def is_package(directory: Path) -> bool:
    """Return whether a directory is a host package."""
    try:
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and manifest.get("generator") == GENERATOR


def write_package(
    package: HostPackage, compile_into: CompileInto, output: Path, *, force: bool
) -> None:
    """Write the package, or leave everything as it was."""
    output = output.absolute()
    require_free(output, force=force)
    # Before the sub-DNNs are compiled: this may find reasons to refuse, and takes no time.
    text = forward_text(package.graph, package.entry_point, package.version)
    output.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(dir=output.parent, prefix=f".{output.name}.writing-"))
    try:
        _fill(beside, package, text, compile_into)
        require_free(output, force=force)
        move_into_place(beside, output)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _fill(
    directory: Path, package: HostPackage, text: ForwardText, compile_into: CompileInto
) -> None:
    (directory / SUBDNNS).mkdir()
    compiled = _from_package(compile_into(directory / SUBDNNS))
    if text.constants:
        (directory / "constants").mkdir()
    for name, array in text.constants.items():
        np.save(directory / "constants" / f"{name}.npy", array, allow_pickle=False)
    sources = {f"_runtime_{backend.name}.py": backend.loader for backend in compiled.backends}
    sources |= {"__init__.py": text.text, "rewritten.py": package.rewritten}
    sources |= _embedded(sources.values())
    for name, source in sources.items():
        (directory / name).write_text(source, encoding="utf-8")
    manifest = manifest_of(
        package.graph,
        package.entry_point,
        package.version,
        compiled,
        text,
        directory,
        package.original,
    )
    write_manifest(manifest, directory)
    directory.chmod(0o755)  # mkdtemp makes it private


def _embedded(sources: Iterable[str]) -> dict[str, str]:
    """Return the files of the package that others import, and those that these import."""
    directory = Path(next(iter(codegen_host.embedded.__path__)))
    found: dict[str, str] = {}
    pending = [name for source in sources for name in _IMPORT.findall(source)]
    while pending:
        file = f"{pending.pop()}.py"
        if file not in found:
            source = Path(_OF_REWRITTEN.get(file, directory / file))
            found[file] = source.read_text(encoding="utf-8")
            pending += _IMPORT.findall(found[file])
    return found


def _from_package(compiled: CompiledSubDnns) -> CompiledSubDnns:
    """Return artifacts whose files are relative to the package, not to where they lie in it."""
    files = {
        node_id: replace(
            file,
            file=f"{SUBDNNS}/{file.file}",
            uses=tuple(f"{SUBDNNS}/{used}" for used in file.uses),
        )
        for node_id, file in compiled.files.items()
    }
    return replace(compiled, files=files)


def move_into_place(beside: Path, output: Path) -> None:
    """Give a directory its place; what was there goes, unless moving fails."""
    if not output.exists():
        os.rename(beside, output)
        return
    old = Path(tempfile.mkdtemp(dir=output.parent, prefix=f".{output.name}.old-"))
    os.rename(output, old / output.name)
    try:
        os.rename(beside, output)
    except BaseException:
        with suppress(OSError):
            os.rename(old / output.name, output)
        raise
    shutil.rmtree(old, ignore_errors=True)
