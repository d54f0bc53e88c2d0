"""Compiles sub-DNNs to ONNX files that OpenVINO loads."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dycl.backends.interface import Artifact, Availability, BackendOptions, Workplace
from dycl.backends.onnx_graphs.packages import PACKAGES, SKELETONS
from dycl.backends.options import require_known
from dycl.backends.requirements import Requirement, availability, versions_of
from dycl.capture import CapturedSubDnn

REQUIREMENTS = (
    Requirement(package="openvino", minimum="2026.0", tested="2026.4"),
    Requirement(package="onnx", minimum="1.18"),
    Requirement(package="onnxscript", minimum="0.5"),
)

_VERSION = 8
"""Counted up when graphs are vetted or guarded otherwise."""


class OpenVinoBackend:
    """Runs sub-DNNs with OpenVINO on the CPU, in the precision they were written in."""

    name = "openvino"
    title = "OpenVINO"
    runtime_packages: tuple[str, ...] = ("openvino",)

    def __init__(self, options: BackendOptions | None = None) -> None:
        """Compile for the CPU."""
        options = options or BackendOptions()
        require_known(options, self.name)
        self.device = options.device
        self.threads = options.threads

    def available(self) -> Availability:
        """Return whether openvino is installed, and whether this version was tested."""
        if self.device != "cpu":
            reason = f"it runs on the CPU here, not on {self.device!r}"
            return Availability(available=False, devices=("cpu",), reason=reason)
        return availability(REQUIREMENTS, help="pip install 'dycl[openvino]'", devices=("cpu",))

    def key_parts(self) -> Mapping[str, object]:
        """Return versions."""
        versions = dict(versions_of([*PACKAGES, "openvino"]))
        made = [SKELETONS, _VERSION]
        return {"backend": self.name, "versions": versions, "graphs": made}

    def compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> tuple[Artifact, ...]:
        """Compile many: one export for all structures that are not in the cache."""
        # Only here: these need the ONNX packages, which asking for availability must not.
        from dycl.backends.onnx_graphs.skeletons import Skeletons
        from dycl.backends.onnx_graphs.writing import write_models
        from dycl.backends.openvino.exact_integers import require_small
        from dycl.backends.openvino.graphs import Prepared, prepare
        from dycl.backends.openvino.infinities import require_finite

        ready: dict[int, Prepared] = {}
        skeletons = Skeletons(workplace.cache, finite=True).find(subdnns)
        for subdnn, skeleton in zip(subdnns, skeletons, strict=True):
            if id(skeleton) not in ready:
                ready[id(skeleton)] = prepare(skeleton)
            weights = [weight.tensor.detach().cpu().numpy() for weight in subdnn.weights]
            require_finite(weights)
            require_small(weights, ready[id(skeleton)].limit)
        found = [ready[id(skeleton)] for skeleton in skeletons]
        artifacts = write_models(subdnns, [one.model for one in found], workplace)
        return tuple(
            replace(artifact, settings={"guards": one.guards, "limit": one.limit})
            for artifact, one in zip(artifacts, found, strict=True)
        )

    def runtime_source(self) -> str:
        """Return the text of ``runtime.py``."""
        return (Path(__file__).parent / "runtime.py").read_text(encoding="utf-8")

    def runtime_settings(self) -> Mapping[str, object]:
        """Return the number of threads."""
        return {"threads": self.threads}

    def machine(self) -> None:
        """ONNX files run on any machine that OpenVINO runs on."""
        return None
