"""ONNX graphs of sub-DNN structures: from the cache, or exported together.

A skeleton has its weights as inputs, so that all sub-DNNs of a structure share it.
"""

from collections.abc import Sequence

import onnx

from dycl.backends.onnx_graphs.exporting import export_group
from dycl.backends.onnx_graphs.packages import PACKAGES, SKELETONS
from dycl.backends.onnx_graphs.slopes import inexact_slopes, with_exact_slopes
from dycl.backends.requirements import versions_of
from dycl.cache import Cache, cache_key
from dycl.capture import CapturedSubDnn


class Skeletons:
    """Finds skeletons, and keeps in the cache those that had to be made."""

    def __init__(self, cache: Cache | None, *, finite: bool = False) -> None:
        """Look in ``cache``; backends that read ONNX find each other's skeletons there.

        ``finite`` leaves out what is there for NaN, infinities and ONNX Runtime alone.
        """
        self._cache = cache
        self._finite = finite
        self._key_parts = {
            "skeleton": SKELETONS,
            "finite": finite,
            "versions": dict(versions_of(PACKAGES)),
        }
        self._models: dict[str, onnx.ModelProto] = {}
        self._exact: dict[tuple[str, tuple[int, ...]], onnx.ModelProto] = {}
        """Graphs that are right for slopes that are not finite, by structure and their places."""

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
        if missing:
            fresh = tuple(missing.values())
            self._models.update(zip(missing, export_group(fresh, finite=self._finite), strict=True))
            self._keep(fresh)
        return tuple(map(self._fitted, subdnns))

    def _fitted(self, subdnn: CapturedSubDnn) -> onnx.ModelProto:
        """Return the skeleton of a sub-DNN: another one where the weights make a difference."""
        structure = _identity(subdnn)
        skeleton = self._models[structure]
        places = () if self._finite else inexact_slopes(skeleton, subdnn)
        if not places:
            return skeleton
        if (structure, places) not in self._exact:
            self._exact[structure, places] = with_exact_slopes(skeleton, places)
        return self._exact[structure, places]

    def _keep(self, exported: Sequence[CapturedSubDnn]) -> None:
        if self._cache is None:
            return
        for subdnn in exported:
            if subdnn.shareable:
                data = self._models[subdnn.structure].SerializeToString(deterministic=True)
                self._cache.put(self._key(subdnn), data)

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
