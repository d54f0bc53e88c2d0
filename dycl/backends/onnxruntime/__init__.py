"""The ONNX Runtime backend: loads the graphs that ``dycl.backends.onnx_graphs`` writes.

``runtime.py`` is not imported: its text becomes ``_runtime_onnxruntime.py`` of the host
package.
"""

from dycl.backends.onnxruntime.backend import OnnxRuntimeBackend

__all__ = ["OnnxRuntimeBackend"]
