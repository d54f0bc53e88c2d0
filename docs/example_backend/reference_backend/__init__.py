"""A backend of dycl that runs ONNX graphs with numpy, by ONNX's reference implementation."""

from pathlib import Path

from dycl.backends import Availability, BackendOptions
from dycl.backends.onnx_graphs.skeletons import Skeletons
from dycl.backends.onnx_graphs.writing import write_models
from dycl.backends.options import require_known
from dycl.backends.requirements import Requirement, availability, versions_of

REQUIREMENTS = (Requirement(package="onnx", minimum="1.18", tested="1.23"),)


class ReferenceBackend:
    """Slow, and runs wherever numpy does."""

    name = "reference"
    title = "ONNX's reference"
    runtime_packages = ("onnx",)

    def __init__(self, options=None):
        """Take no options of its own."""
        options = options or BackendOptions()
        require_known(options, self.name)
        self.device = options.device

    def available(self):
        """Return whether onnx is installed, and whether this version was tested."""
        if self.device != "cpu":
            reason = f"it runs on the CPU, not on {self.device!r}"
            return Availability(available=False, devices=("cpu",), reason=reason)
        return availability(REQUIREMENTS, help="pip install onnx", devices=("cpu",))

    def key_parts(self):
        """Return the versions that results depend on."""
        return {"versions": dict(versions_of(["torch", "onnx", "onnxscript"]))}

    def compile(self, subdnns, workplace):
        """Write an ONNX file for each sub-DNN; all are exported in one call."""
        graphs = Skeletons(workplace.cache).find(subdnns)
        return write_models(subdnns, graphs, workplace)

    def runtime_source(self):
        """Return the text of the loader."""
        return (Path(__file__).parent / "runtime.py").read_text(encoding="utf-8")

    def runtime_settings(self):
        """Return what the loader gets as ``settings``: nothing is needed."""
        return {}

    def machine(self):
        """ONNX files run on any machine; machine code would return ``this_machine()``."""
        return None
