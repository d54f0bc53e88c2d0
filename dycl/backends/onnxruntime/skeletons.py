"""ONNX graphs of sub-DNN structures: from the cache, or exported together.

A skeleton has its weights as inputs, so that all sub-DNNs of a structure share it.
"""

from collections.abc import Mapping, Sequence

import onnx

from dycl.backends.blame import blame
from dycl.backends.onnxruntime.exporting import OPSET, export_group
from dycl.cache import Cache, cache_key
from dycl.capture import CapturedSubDnn
from rewriter.diagnostics import CompileError, Diagnostic

_VERSION = 1
"""Counted up when exporting or splitting changes what it makes."""


class Skeletons:
    """Finds skeletons and remembers which of them had to be made."""

    def __init__(self, cache: Cache | None, key_parts: Mapping[str, object]) -> None:
        """Look in ``cache`` under keys that depend on ``key_parts`` and the structure."""
        self.fresh: tuple[CapturedSubDnn, ...] = ()
        """One sub-DNN for each structure that was exported."""
        self._cache = cache
        self._key_parts = {**key_parts, "skeleton": _VERSION, "opset": OPSET}
        self._models: dict[str, onnx.ModelProto] = {}

    def find(self, subdnns: Sequence[CapturedSubDnn]) -> tuple[onnx.ModelProto, ...]:
        """Return the skeleton of each sub-DNN."""
        missing: dict[str, CapturedSubDnn] = {}
        for subdnn in subdnns:
            structure = _identity(subdnn)
            if structure not in self._models and structure not in missing:
                model = self._cached(subdnn)
                if model is None:
                    missing[structure] = subdnn
                else:
                    self._models[structure] = model
        self.fresh = tuple(missing.values())
        if missing:
            self._models.update(zip(missing, export_or_refuse(self.fresh), strict=True))
        return tuple(self._models[_identity(subdnn)] for subdnn in subdnns)

    def keep(self) -> None:
        """Put what was exported into the cache, once it is known to be right."""
        if self._cache is None or not self.fresh:
            return
        for subdnn in self.fresh:
            if subdnn.shareable:
                data = self._models[subdnn.structure].SerializeToString(deterministic=True)
                self._cache.put(self._key(subdnn), data)
        self._cache.make_room()

    def _cached(self, subdnn: CapturedSubDnn) -> onnx.ModelProto | None:
        if self._cache is None or not subdnn.shareable:
            return None
        data = self._cache.get(self._key(subdnn))
        if data is None:
            return None
        model = onnx.ModelProto()
        model.ParseFromString(data)  # the cache gives back what was put into it, or nothing
        return model

    def _key(self, subdnn: CapturedSubDnn) -> str:
        return cache_key({**self._key_parts, "structure": subdnn.structure})


def _identity(subdnn: CapturedSubDnn) -> str:
    """Return what sub-DNNs with one skeleton have in common."""
    return subdnn.structure if subdnn.shareable else subdnn.name


def export_or_refuse(subdnns: Sequence[CapturedSubDnn]) -> tuple[onnx.ModelProto, ...]:
    """Return the skeletons; raise CompileError with a diagnostic for each that has none."""
    try:
        return export_group(subdnns)
    except Exception as failure:
        problems = [problem for subdnn in subdnns for problem in _problems(subdnn)]
        if not problems:
            raise  # each can be exported, only not together: that is our fault
        raise CompileError(problems) from failure


def _problems(subdnn: CapturedSubDnn) -> list[Diagnostic]:
    failure = _failure(subdnn)
    if failure is None:
        return []
    return [
        Diagnostic(
            code="DYCL411",
            message=f"this cannot be expressed in ONNX: {_reason(failure)}",
            origin=blame(subdnn, lambda beginning: _failure(beginning) is not None),
            help="write it with other operators, or choose another backend",
        )
    ]


def _failure(subdnn: CapturedSubDnn) -> Exception | None:
    try:
        export_group([subdnn])
    except Exception as failure:
        return failure
    return None


def _reason(failure: BaseException) -> str:
    """Return the first line of the innermost cause: the exporter wraps it in advice."""
    while failure.__cause__ is not None:
        failure = failure.__cause__
    text = str(failure).strip()
    return text.splitlines()[0] if text else type(failure).__name__
