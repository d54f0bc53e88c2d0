"""``host_mode="ifs"`` where parts of a program need Python: regions among the other sub-DNNs."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

from codegen_host.manifest import CompiledFile, CompiledSubDnns
from dycl.backends.compiling import compile_checked
from dycl.backends.interface import Workplace
from dycl.backends.packaging import record_of
from dycl.backends.weights_file import FILE, WeightsFile
from dycl.building import Building
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn
from dycl.drawing_inputs import Inputs
from dycl.one_onnx.compiling import is_large, model_of
from dycl.one_onnx.linked_model import exported_of, linked_model
from dycl.one_onnx.mixed import Mixed
from dycl.one_onnx.region_checking import check_regions
from dycl.one_onnx.weights import Weights
from hcfg.graph import NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedPackage:
    """Compiles the artifacts of such a package."""

    mixed: Mixed
    building: Building
    source: str
    """The name of the original."""
    version: str
    """Of dycl."""
    samples: Sequence[Inputs]
    """Arguments that the regions are checked on."""

    def compile_into(self, directory: Path) -> CompiledSubDnns:
        """Compile the sub-DNNs that the host calls, and the regions; check both."""
        captured = {subdnn.name: subdnn for subdnn in self.building.capture()}
        with tempfile.TemporaryDirectory() as scratch, WeightsFile(directory) as weights:
            # with a cache, or those in several places would be exported more than once
            cache = self.building.exports or Cache(Path(scratch) / "cache")
            parts = Path(scratch) / "parts"
            parts.mkdir()
            inside = set().union(*map(self.mixed.subdnns, self.mixed.regions))
            with WeightsFile(parts) as unused:
                workplace = Workplace(directory=parts, weights=unused, cache=cache)
                self._compile([captured[name] for name in captured if name in inside], workplace)
            workplace = Workplace(directory=directory, weights=weights, cache=cache)
            called = [captured[name] for name in captured if name in self.mixed.graph.nodes]
            files = self._compile(called, workplace)
            for node_id in self.mixed.regions:
                files[node_id] = self._region(node_id, captured, workplace)
        paths = {node_id: directory / files[node_id].file for node_id in self.mixed.regions}
        check_regions(self.mixed, paths, self.samples)
        (backend,) = self.building.backends
        compiled = CompiledSubDnns(files=files, backends=(record_of(backend),))
        self.building.compiled = compiled
        return compiled

    def _compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> dict[NodeId, CompiledFile]:
        """Compile sub-DNNs, each compared with PyTorch by itself."""
        (backend,) = self.building.backends
        if not subdnns:
            return {}
        artifacts = compile_checked(backend, subdnns, workplace, self.building.options.jobs)
        return {
            artifact.subdnn: CompiledFile(
                file=artifact.file,
                uses=artifact.uses,
                backend=backend.name,
                settings=artifact.settings,
            )
            for artifact in artifacts
        }

    def _region(
        self, node_id: NodeId, captured: Mapping[NodeId, CapturedSubDnn], workplace: Workplace
    ) -> CompiledFile:
        """Write the file of a region."""
        inside = self.mixed.subdnns(node_id)
        own = [captured[name] for name in captured if name in inside]
        large = is_large(own)
        weights = Weights(workplace.weights if large else None)
        model = self._model(node_id, own, workplace.cache, weights)
        name = f"{node_id}.onnx"
        (workplace.directory / name).write_bytes(model.SerializeToString(deterministic=True))
        (backend,) = self.building.backends
        return CompiledFile(file=name, uses=(FILE,) if large else (), backend=backend.name)

    def _model(
        self,
        node_id: NodeId,
        inside: Sequence[CapturedSubDnn],
        cache: Cache | None,
        weights: Weights,
    ) -> onnx.ModelProto:
        source, plan = f"{node_id} of {self.source}", self.mixed.plans[node_id]
        link = self.mixed.links.get(node_id)
        if link is None:
            return model_of(plan, inside, cache, weights, source, self.version)
        exported = exported_of(inside, cache)
        found = linked_model(link, plan, exported, weights, source, self.version)
        assert found is not None, "it was written before, to look at"
        return found.model
