"""The file of a package that holds the weights of all its sub-DNNs, each content once."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import torch

FILE = "weights.bin"
ALIGNMENT = 64
"""What vectors and TVM's code want; runtimes map the pages around a tensor."""


class WeightsFile:
    """A file of tensors, each content once, written as tensors come in.

    Where nothing was written there is no file in the end.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        self._file: IO[bytes] = open(self._path, "wb")  # noqa: SIM115 - closed by __exit__
        self._offsets: dict[bytes, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        empty = self._file.tell() == 0
        self._file.close()
        if empty:
            self._path.unlink(missing_ok=True)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was placed in it."""
        return not self._offsets

    def content(self) -> bytes:
        """Return all that was placed, once flushed."""
        return self._path.read_bytes()

    def offsets(self) -> dict[str, int]:
        """Return where each content stands, by its digest."""
        return {digest.hex(): offset for digest, offset in self._offsets.items()}

    def fill(self, content: bytes, offsets: Mapping[str, int]) -> None:
        """Become, while empty, what another such file was: its ``content()`` and ``offsets()``."""
        assert self.is_empty
        self._file.write(content)
        self._offsets = {bytes.fromhex(digest): offset for digest, offset in offsets.items()}

    def flush(self) -> None:
        """Make what was placed readable by others, while more may follow."""
        self._file.flush()

    def place(self, content: bytes) -> int:
        """Return the offset at which ``content`` stands in the file."""
        digest = hashlib.sha256(content).digest()
        if digest not in self._offsets:
            self._file.write(bytes(-self._file.tell() % ALIGNMENT))
            self._offsets[digest] = self._file.tell()
            self._file.write(content)
        return self._offsets[digest]


def content_of(tensor: torch.Tensor) -> bytes:
    """Return the bytes of a tensor, in row-major order."""
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes()
