"""The shipped backends pass the kit."""

import shutil

import pytest

from dycl.backends import Backend, create_backend
from dycl.testing import BackendConformance


def _needs(name: str) -> pytest.MarkDecorator:
    found = create_backend(name).available()
    return pytest.mark.skipif(not found.available, reason=found.reason or "it is there")


class TestOnnxRuntime(BackendConformance):
    def backend(self) -> Backend:
        return create_backend("onnxruntime")


@_needs("openvino")
class TestOpenVino(BackendConformance):
    def backend(self) -> Backend:
        return create_backend("openvino")


@_needs("tvm")
class TestTvm(BackendConformance):
    def backend(self) -> Backend:
        return create_backend("tvm")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
class TestInductor(BackendConformance):
    def backend(self) -> Backend:
        return create_backend("inductor")
