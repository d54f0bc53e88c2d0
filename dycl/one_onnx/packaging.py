"""``host_mode="ifs"``: a host package whose only artifact is the whole program."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codegen_host.manifest import CompiledFile, CompiledSubDnns
from dycl.backends import Backend
from dycl.backends.packaging import record_of
from dycl.backends.weights_file import FILE
from dycl.building import Building
from dycl.drawing_inputs import Inputs
from dycl.errors import UserError
from dycl.one_onnx.checking import check
from dycl.one_onnx.compiling import MODEL, Plan
from dycl.one_onnx.emitting import write_checked_parts
from dycl.one_onnx.whole_graph import WHOLE

BACKEND = "onnxruntime"


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePackage:
    """Compiles the artifact of such a package."""

    plan: Plan
    building: Building
    source: str
    """The name of the original."""
    samples: Sequence[Inputs]
    """Arguments that the file is checked on."""

    def compile_into(self, directory: Path) -> CompiledSubDnns:
        """Write the file into a directory, and check it."""
        write_checked_parts(self.plan, self.building, directory, self.source)
        check(self.plan, directory, self.samples)
        uses = (FILE,) if (directory / FILE).exists() else ()
        (backend,) = self.building.backends
        file = CompiledFile(file=MODEL, uses=uses, backend=backend.name)
        compiled = CompiledSubDnns(files={WHOLE: file}, backends=(record_of(backend),))
        self.building.compiled = compiled
        return compiled


def require_onnxruntime(backends: Sequence[Backend]) -> None:
    """Raise where anything but ONNX Runtime is to run the package."""
    if [backend.name for backend in backends] != [BACKEND]:
        raise UserError('host_mode="ifs" needs backend="onnxruntime", which has If and Loop')
