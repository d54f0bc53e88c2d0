"""Tiny results are copied: who keeps them keeps no memory that sub-DNNs write to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dycl
from dycl.backends.onnxruntime import runtime, runtime_memory
from dycl.backends.onnxruntime.runtime_arrays import OutputSet
from tests.dycl.backends.small_models import Gated, pictures
from tests.dycl.backends.test_onnxruntime_memory import COUNT, entries_of


@pytest.mark.parametrize("keep", [lambda result: result, memoryview], ids=["array", "buffer"])
def test_one_set_of_outputs_is_enough(
    keep: Callable[[Any], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make: Any = OutputSet
    made: list[object] = []

    def counted(*given: object) -> object:
        made.append(given)
        return make(*given)

    monkeypatch.setattr(runtime_memory, "OutputSet", counted)
    host = dycl.compile(Gated().eval(), (pictures()[0],), output=tmp_path / "gated_dycl")
    entry = entries_of(host)[-1]
    loaded = runtime.load_subdnns(host.path, {"device": "cpu", "threads": 1}, [entry])
    arguments = [np.ones(port["shape"], port["dtype"]) for port in entry["inputs"]]
    kept = [
        keep(loaded[entry["id"]](*(argument * step for argument in arguments)))
        for step in range(COUNT)
    ]
    assert len(made) == 1
    assert len({np.asarray(each).tobytes() for each in kept}) == COUNT
