"""The ONNX Runtime backend.

``exporting.py`` and ``splitting.py`` make ONNX graphs without weights, ``weights.py`` puts
each sub-DNN's own weights in, ``checking.py`` compares the result with PyTorch,
``backend.py`` holds these together. ``runtime.py`` is not imported: its text becomes
``_runtime.py`` of the host package.
"""

from dycl.backends.onnxruntime.backend import OnnxRuntimeBackend

__all__ = ["OnnxRuntimeBackend"]
