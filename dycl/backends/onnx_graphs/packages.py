"""What ONNX graphs of sub-DNNs depend on. Imports none of it."""

PACKAGES = ("torch", "onnx", "onnxscript")

SKELETONS = 47
"""Counted up when exporting, translating or splitting changes what graphs are made."""
