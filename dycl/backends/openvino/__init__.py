"""The OpenVINO backend."""

from dycl.backends.openvino.backend import OpenVinoBackend

__all__ = ["OpenVinoBackend"]
