"""The kit tells wrong backends: each of these is ONNX Runtime with one thing done wrong."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dycl.backends import Artifact, Backend, Workplace
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn
from dycl.testing import BackendConformance
from dycl.testing.batch import compile_trials
from dycl.testing.operators import COMMON

WRAPPING = """

_load_rightly = load_subdnns

def load_subdnns(directory, settings, entries):
    calls = _load_rightly(directory, settings, entries)
    return {name: _wrong(call) for name, call in calls.items()}

def _on_each(change, results):
    several = isinstance(results, list)
    return [change(result) for result in results] if several else change(results)

import threading, time
import numpy as np

"""


class Lying(OnnxRuntimeBackend):
    """Has a loader in which ``_wrong`` stands around each sub-DNN."""

    def __init__(self, wrong: str) -> None:
        super().__init__()
        self._wrong = wrong

    def key_parts(self) -> Mapping[str, object]:
        """Tell the cache: what was checked is the right loader."""
        return {**super().key_parts(), "wrong": self._wrong}

    def runtime_source(self) -> str:
        return super().runtime_source() + WRAPPING + textwrap.dedent(self._wrong)


class Refusing(OnnxRuntimeBackend):
    """Takes nothing, which is never wrong."""

    def compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> tuple[Artifact, ...]:
        raise NotImplementedError("this is work for tomorrow")


class Forgetful(OnnxRuntimeBackend):
    """Gives all sub-DNNs of a structure the first one's weights."""

    def compile(
        self, subdnns: Sequence[CapturedSubDnn], workplace: Workplace
    ) -> tuple[Artifact, ...]:
        found: dict[str, Artifact] = {}
        for subdnn, artifact in zip(subdnns, super().compile(subdnns, workplace), strict=True):
            found.setdefault(subdnn.structure, artifact)
        return tuple(replace(found[s.structure], subdnn=s.name) for s in subdnns)


class Unwritable(OnnxRuntimeBackend):
    """Has settings that are not JSON, and a loader that needs dycl."""

    def runtime_settings(self) -> Mapping[str, object]:
        return {**super().runtime_settings(), "where": Path("/tmp")}

    def runtime_source(self) -> str:
        return "import dycl.cache\n" + super().runtime_source()


DROPS_NAN = """
    def _wrong(call):
        return lambda *arrays: _on_each(np.nan_to_num, call(*arrays))
"""
OTHER_TYPE = """
    def _wrong(call):
        return lambda *arrays: _on_each(lambda y: y.astype("float64"), call(*arrays))
"""
NO_RANK_0 = """
    def _wrong(call):
        return lambda *arrays: _on_each(np.atleast_1d, call(*arrays))
"""
ALWAYS_A_LIST = """
    def _wrong(call):
        return lambda *arrays: _on_each(lambda y: [y], call(*arrays))
"""
KEEPS_RESULTS = """
    def _wrong(call):
        kept = []
        def again(*arrays):
            results = call(*arrays)
            several = results if isinstance(results, list) else [results]
            if [y.shape for y in kept] == [y.shape for y in several]:
                for old, new in zip(kept, several):
                    old[...] = new
            else:
                kept[:] = several
            return list(kept) if isinstance(results, list) else kept[0]
        return again
"""
GIVES_INPUTS_BACK = """
    def _wrong(call):
        def shared(*arrays):
            def change(y):
                same = [x.reshape(y.shape) for x in arrays
                        if x.size == y.size and np.array_equal(x.ravel(), y.ravel())]
                return same[0] if same else y
            return _on_each(change, call(*arrays))
        return shared
"""
WRITES_INPUTS = """
    def _wrong(call):
        def writing(*arrays):
            results = call(*arrays)
            for x in arrays:
                if x.flags.writeable and x.dtype == np.float32:
                    x += 1
            return results
        return writing
"""
ONE_BUFFER = """
    def _wrong(call):
        buffers = {}
        def shared(*arrays):
            own = [buffers.setdefault((i, x.shape, x.dtype), np.empty(x.shape, x.dtype))
                   for i, x in enumerate(arrays)]
            for buffer, x in zip(own, arrays):
                buffer[...] = x
            time.sleep(0.001)
            return call(*own)
        return shared
"""
TAKES_ANY_ORDER = """
    def _wrong(call):
        def raw(*arrays):
            whole = [x if x.flags.c_contiguous or not x.flags.f_contiguous
                     else x.ravel("K").reshape(x.shape) for x in arrays]
            return call(*whole)
        return raw
"""
CLIPS_INDICES = """
    def _wrong(call):
        return lambda *arrays: call(
            *(x if i == 0 or x.dtype != np.int64 else x.clip(-2, 1) for i, x in enumerate(arrays)))
"""

Test = Callable[[BackendConformance, Backend, Path, Cache], object]


def with_trials(test: str, *names: str, **arguments: Any) -> Test:
    """Return a test of the kit as a function, which compiles only what it needs."""

    def run(kit: BackendConformance, backend: Backend, directory: Path, cache: Cache) -> object:
        compiled = compile_trials(backend, directory, names, cache)
        return getattr(kit, test)(compiled=compiled, **arguments)

    return run


def operator(name: str) -> Test:
    return with_trials("test_operator_is_equal_or_refused", name, name=name)


def simple(test: str) -> Test:
    return lambda kit, backend, directory, cache: getattr(kit, test)()


WRONG: Mapping[str, tuple[Callable[[], Backend], Test]] = {
    "drops NaN": (lambda: Lying(DROPS_NAN), operator("special: arithmetic")),
    "another element type": (lambda: Lying(OTHER_TYPE), operator("add")),
    "no tensors of rank 0": (lambda: Lying(NO_RANK_0), operator("rank 0")),
    "a list of one": (lambda: Lying(ALWAYS_A_LIST), operator("add")),
    "writes over earlier results": (
        lambda: Lying(KEEPS_RESULTS),
        with_trials("test_results_belong_to_the_caller", "view and sum"),
    ),
    "results that are inputs": (
        lambda: Lying(GIVES_INPUTS_BACK),
        with_trials("test_results_belong_to_the_caller", "view and sum"),
    ),
    "changes inputs": (lambda: Lying(WRITES_INPUTS), operator("add")),
    "one buffer for all threads": (
        lambda: Lying(ONE_BUFFER),
        with_trials("test_threads_may_call_at_the_same_time", "layer 2"),
    ),
    "ignores strides": (
        lambda: Lying(TAKES_ANY_ORDER),
        with_trials("test_arrays_may_lie_in_memory_in_any_way", "twice"),
    ),
    "clips indices": (
        lambda: Lying(CLIPS_INDICES),
        with_trials("test_index_out_of_range_raises", "chosen", bad=2),
    ),
    "takes nothing": (Refusing, operator(COMMON[0])),
    "mixes up weights": (
        Forgetful,
        with_trials(
            "test_sub_dnns_of_one_structure_keep_their_own_weights",
            "layer 0",
            "layer 1",
            name="layer 1",
        ),
    ),
    "settings that are not JSON": (
        Unwritable,
        simple("test_what_goes_into_a_manifest_is_json"),
    ),
    "a loader that needs dycl": (
        Unwritable,
        simple("test_loader_imports_only_what_a_package_may_need"),
    ),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """Return a cache for exported graphs, which are right in all of these."""
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("name", WRONG)
def test_kit_tells(name: str, tmp_path: Path, cache: Cache) -> None:
    create, test = WRONG[name]

    class Kit(BackendConformance):
        def backend(self) -> Backend:
            return create()

    (tmp_path / "right").mkdir()
    (tmp_path / "wrong").mkdir()
    test(Right(), Right().backend(), tmp_path / "right", cache)
    with pytest.raises((AssertionError, TypeError, pytest.fail.Exception)):
        test(Kit(), create(), tmp_path / "wrong", cache)


class Right(BackendConformance):
    """Not called Test...: pytest is not to find it."""

    def backend(self) -> Backend:
        return OnnxRuntimeBackend()
