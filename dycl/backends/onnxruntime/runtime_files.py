"""Files of graphs: sub-DNNs share them whose weights alone differ."""

import gzip
import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import onnxruntime

_DESCRIPTIONS, _WEIGHTS = "graphs.json", "weights.bin"

_TOGETHER = "fast_graphs.gz"
"""Graphs without files of their own."""

_DIGITS = 12
"""Of an offset that stands in a graph."""


class GraphFiles:
    """The folder where all graphs of a package are, and what belongs to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.weights = folder / _WEIGHTS
        descriptions = folder / _DESCRIPTIONS
        self._about: dict[str, Mapping[str, Any]] = {}
        if descriptions.exists():
            self._about = json.loads(descriptions.read_text(encoding="utf-8"))

    def about(self, file: str) -> Mapping[str, Any]:
        """Return what is known about a file, whichever sub-DNN it is loaded for."""
        return self._about.get(file, {})

    def session(
        self, file: str, weights: Sequence[int], options: Any, providers: Sequence[str]
    ) -> Any:
        """Return a session of a graph with its weights at offsets; none where they are its own.

        ``options`` say in which folder the weights are.
        """
        about = self.about(file)
        places, part = about.get("places", ()), about.get("bytes")
        if not places and not weights and part is None:
            return onnxruntime.InferenceSession(self.folder / file, options, providers)
        if part is None:
            content = bytearray((self.folder / file).read_bytes())
        else:
            content = bytearray(self._together[slice(*part)])
        for place, offset in zip(places, weights, strict=True):
            content[place : place + _DIGITS] = f"{offset:0{_DIGITS}}".encode()
        return onnxruntime.InferenceSession(bytes(content), options, providers)

    @cached_property
    def _together(self) -> bytes:
        return gzip.decompress((self.folder / _TOGETHER).read_bytes())

    def states(self, file: str) -> list[tuple[int, ...]]:
        """Return what changes when a graph, or the weights, are written or replaced."""
        paths = [self.folder / file, *([self.weights] if self.weights.exists() else [])]
        found = [os.stat(path) for path in paths]
        return [(each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for each in found]
