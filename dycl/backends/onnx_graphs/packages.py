"""What ONNX graphs of sub-DNNs depend on. Imports none of it."""

PACKAGES = ("torch", "onnx", "onnxscript")
