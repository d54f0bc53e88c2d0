"""ONNX Runtime passes the kit, and the kit tells a wrong backend."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from dycl.backends import Artifact, Backend, Workplace, create_backend
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.capture import CapturedSubDnn
from dycl.testing import BackendConformance


class TestOnnxRuntime(BackendConformance):
    def backend(self) -> Backend:
        return create_backend("onnxruntime")


class ForgetfulBackend(OnnxRuntimeBackend):
    """Gives all sub-DNNs of a structure the first one's weights, and a path to its loader."""

    def compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> tuple[Artifact, ...]:
        found: dict[str, Artifact] = {}
        for subdnn, artifact in zip(subdnns, super().compile(subdnns, workplace), strict=True):
            found.setdefault(subdnn.structure, artifact)
        return tuple(
            Artifact(subdnn=s.name, file=found[s.structure].file, uses=found[s.structure].uses)
            for s in subdnns
        )

    def runtime_settings(self) -> Mapping[str, object]:
        return {**super().runtime_settings(), "where": Path("/tmp")}


class Forgetful(BackendConformance):
    """Not called Test...: pytest is not to find it."""

    def backend(self) -> Backend:
        return ForgetfulBackend()


def test_kit_finds_settings_that_are_not_json() -> None:
    with pytest.raises(TypeError):
        Forgetful().test_what_goes_into_a_manifest_is_json()


def test_kit_finds_weights_that_are_mixed_up(tmp_path: Path) -> None:
    class Mixing(ForgetfulBackend):
        def runtime_settings(self) -> Mapping[str, object]:
            return OnnxRuntimeBackend.runtime_settings(self)

    class Tested(BackendConformance):
        def backend(self) -> Backend:
            return Mixing()

    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        Tested().test_sub_dnns_of_one_structure_keep_their_own_weights(tmp_path)
