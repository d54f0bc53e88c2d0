"""Keeps what is dear to compute between runs, by the hash of what it was computed from.

Entries are files of a digest and the data it belongs to: an entry that does not fit its
digest is thrown away and computed again. Entries are moved into place whole, so readers and
writers in other processes need no lock. A cache that cannot be read or written is as good
as an empty one; it never makes a compilation fail.
"""

import functools
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import platformdirs

DEFAULT_LIMIT = 2 * 1024**3
OWN_CODE = tuple(Path(__file__).parents[1] / room for room in ("dycl", "hcfg", "rewriter"))
"""What has a part in an artifact: a sub-DNN runs functions of all of these as it is captured."""
_WRITING = ".writing-"
_ABANDONED_AFTER = 3600.0
_DIGEST_SIZE = hashlib.sha256().digest_size
_UNCHECKED_SHARE = 32
_unchecked: dict[Path, int] = {}
"""Bytes that this process stored since it last looked at the size of a cache, by directory."""


def default_directory() -> Path:
    """Return where entries are kept: ``$DYCL_CACHE_DIR``, else the user's cache directory."""
    named = os.environ.get("DYCL_CACHE_DIR")
    return Path(named) if named else Path(platformdirs.user_cache_dir("dycl", appauthor=False))


def cache_key(parts: Mapping[str, object]) -> str:
    """Return the key for a result that depends on ``parts`` (JSON values) and on our own code."""
    text = json.dumps({"code": code_digest(), **parts}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def code_digest(packages: tuple[Path, ...] = OWN_CODE) -> str:
    """Return a digest of the sources of packages.

    What another state of the code has made is never taken for ours: a version number
    would say so only between releases.
    """
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            content = path.read_bytes()
            name = f"{package.name}/{path.relative_to(package).as_posix()}"
            digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


class Cache:
    """A store of bytes under keys. Safe to share between threads and processes."""

    def __init__(self, directory: Path | None = None, limit: int = DEFAULT_LIMIT) -> None:
        """Use ``directory``, keeping at most ``limit`` bytes in it."""
        self.directory = directory if directory is not None else default_directory()
        self.limit = limit

    def get(self, key: str) -> bytes | None:
        """Return what was stored under ``key``, or None."""
        return self._read(self._path(key))

    def has(self, key: str) -> bool:
        """Return whether something whole is stored under ``key``."""
        return self.get(key) is not None

    def _read(self, path: Path) -> bytes | None:
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, data = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        if hashlib.sha256(data).digest() != digest:
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # the oldest go first when room is made
        return data

    def put(self, key: str, data: bytes) -> None:
        """Store ``data`` under ``key``."""
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, hashlib.sha256(data).digest() + data)
            if self.directory in _unchecked:
                _unchecked[self.directory] += len(data)

    def make_room_if_due(self) -> None:
        """Make room, unless this process has done so and stored little since.

        Looking at every entry takes longer than storing one. Each process may so exceed the
        limit by a small share.
        """
        if _unchecked.get(self.directory, self.limit) * _UNCHECKED_SHARE >= self.limit:
            self.make_room()

    def make_room(self) -> None:
        """Throw away the entries not used for longest until the rest fits the limit."""
        _unchecked[self.directory] = 0
        entries = []
        for path in self.directory.glob("*/*.entry"):
            with suppress(OSError):  # another process may be making room too
                status = path.stat()
                entries.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit:
                break
            with suppress(OSError):
                path.unlink()
            total -= size
        self._remove_abandoned()

    def _remove_abandoned(self) -> None:
        """Remove what killed writers left behind."""
        for path in self.directory.glob(f"*/{_WRITING}*"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED_AFTER:
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self.directory / key[:2] / f"{key}.entry"


def _write_whole(path: Path, content: bytes) -> None:
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=_WRITING)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
