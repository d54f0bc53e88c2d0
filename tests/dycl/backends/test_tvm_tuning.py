"""Tuning: trials go where time goes, what was measured is kept, interruptions do no harm."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import dycl
from dycl.backends import create_backend
from dycl.backends.interface import TunableBackend, TuningRequest
from dycl.cache import Cache
from dycl.cli.main import INTERRUPTED, USAGE, main
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function
from tests.dycl.backends.small_models import Gated, pictures

pytestmark = pytest.mark.skipif(
    not create_backend("tvm").available().available, reason="TVM is not installed"
)

X = torch.randn(8, 16, generator=torch.Generator().manual_seed(0))

MODEL = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(32, 64)
        self.second = nn.Linear(64, 32)

    def forward(self, x):
        y = torch.relu(self.first(x))
        if y.mean() > 0.25:
            y = self.second(y)
        return y


def example_inputs():
    return (torch.ones(1, 32),)
"""


def _compile(output: Path, cache: Path, **given: Any) -> dycl.CompiledModel:
    return dycl.compile(
        Gated().eval(),
        (pictures()[0],),
        backend="tvm",
        output=output,
        options=dycl.CompileOptions(tune=given.pop("tune", 4), cache_directory=cache),
        **given,
    )


def _tune(cache: Path, trials: int) -> Any:
    backend = create_backend("tvm")
    assert isinstance(backend, TunableBackend)
    request = TuningRequest(
        trials=trials,
        runs={"subdnn": 2.0},
        cache=Cache(cache),
        progress=lambda _done, _total, _what: None,
    )
    subdnn = capture_function(lambda x: torch.softmax(x, 1) @ x.T, X, name="subdnn")
    backend.tune([subdnn], request)
    return backend, subdnn


def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    first, subdnn = _tune(tmp_path / "cache", 3)
    again, _ = _tune(tmp_path / "cache", 3)
    more, _ = _tune(tmp_path / "cache", 5)
    assert [backend.tuning()["measured"] for backend in (first, again, more)] == [3, 0, 2]
    assert again.tuning()["operators"] == first.tuning()["operators"]
    assert again.key_parts() == first.key_parts() != create_backend("tvm").key_parts()
    call = calls_of(again, [subdnn], tmp_path)["subdnn"]
    np.testing.assert_allclose(call(X.numpy()), (torch.softmax(X, 1) @ X.T).numpy(), rtol=1e-5)


@pytest.mark.slow
def test_tuned_package_equals_eager_and_says_what_was_measured(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    compiled = _compile(
        tmp_path / "first",
        tmp_path / "cache",
        sample_inputs=pictures(),
        progress=lambda *event: told.append(event),
    )
    model = Gated().eval()
    for picture in pictures():
        with torch.no_grad():
            expected = model(picture).numpy()
        np.testing.assert_allclose(compiled(picture), expected, rtol=1e-4, atol=1e-5)
    tuning = compiled.manifest["backends"]["tvm"]["tuning"]
    assert (tuning["trials"], tuning["measured"]) == (4, 4)
    runs = {one["operator"]: one["runs"] for one in tuning["operators"]}
    assert min(runs.values()) == 0.5  # half of the pictures are dark
    assert told[-1][:2] == (4, 4)
    assert compiled.report is not None and "4 trials" in str(compiled.report)

    again = _compile(tmp_path / "again", tmp_path / "cache", sample_inputs=pictures())
    reused = again.manifest["backends"]["tvm"]["tuning"]
    assert reused["measured"] == 0
    assert reused["operators"] == tuning["operators"]


@pytest.mark.slow
def test_without_samples_every_subdnn_counts_once(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(MODEL)
    command = [sys.executable, "-m", "dycl", "compile", str(tmp_path / "net.py")]
    command += [
        "--backend",
        "auto:onnxruntime,tvm",
        "--tune",
        "1",
        "--output",
        str(tmp_path / "out"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "tuned as if a call ran every sub-DNN once" in done.stdout


def test_backend_that_cannot_be_tuned_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.py").write_text(MODEL)
    command = ["compile", str(tmp_path / "net.py"), "--output", str(tmp_path / "out")]
    assert main([*command, "--backend", "onnxruntime", "--tune", "8"]) == USAGE
    assert "backend onnxruntime cannot be tuned" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_backends_say_whether_they_can_be_tuned() -> None:
    assert isinstance(create_backend("tvm"), TunableBackend)
    assert not isinstance(create_backend("onnxruntime"), TunableBackend)


def test_wrong_processor_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.py").write_text(MODEL)
    command = ["compile", str(tmp_path / "net.py"), "--output", str(tmp_path / "out")]
    command += ["--backend", "tvm", "--backend-option", "processor=z80", "--tune", "8"]
    assert main(command) == USAGE
    assert "no processor called 'z80'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_interrupted_tuning_keeps_the_database_and_leaves_the_package(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(MODEL)
    output = tmp_path / "out"
    output.mkdir()
    (output / "manifest.json").write_text('{"generator": "dycl"}')
    command = [sys.executable, "-m", "dycl", "compile", str(tmp_path / "net.py")]
    command += ["--backend", "tvm", "--tune", "100000", "--output", str(output)]
    environment = {**os.environ, "DYCL_CACHE_DIR": str(tmp_path / "cache")}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        wanted = time.monotonic() + 120
        while not list(tmp_path.glob("cache/tuning/*/*.entry")) and time.monotonic() < wanted:
            time.sleep(0.2)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == INTERRUPTED
    assert error.strip().endswith("interrupted")
    assert [path.name for path in output.iterdir()] == ["manifest.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "net.py", "out"]
    assert list(tmp_path.glob("cache/tuning/*/*.entry"))


def _operators(function: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    from dycl.backends.tvm import TvmBackend
    from dycl.backends.tvm.tuning import operators_of

    backend = TvmBackend()
    subdnn = capture_function(function, torch.randn(4, 8))
    lowered = backend._lower([subdnn])
    assert lowered.module is not None
    return operators_of(lowered.module, {"function_0": 1.0}, backend.processor.lanes)


def _operator(add: float = 0.0) -> Any:
    return _operators(lambda x: x * 2 + add)[0]


def test_operators_with_loops_of_their_own_are_left_alone() -> None:
    assert _operators(lambda x: x.sort(1)[0]) == ()
    assert _operators(lambda x: (x > 0).long()) == ()


def _database(directory: Path) -> Any:
    from dycl.backends.tvm.targets import processor
    from dycl.backends.tvm.tuning_database import Database

    return Database(Cache(directory), processor("native").target)


def test_damaged_record_is_as_good_as_none(tmp_path: Path) -> None:
    function, database = _operator().function, _database(tmp_path)
    database.put(function, replace(database.get(function), trials=7))
    assert database.get(function).trials == 7
    (entry,) = tmp_path.glob("tuning/*/*.entry")
    entry.write_bytes(entry.read_bytes()[:-3])
    assert database.get(function).trials == 0
    database.put(function, replace(database.get(function), trials=3))
    assert _database(tmp_path).get(function).trials == 3


def test_record_of_another_function_is_not_taken(tmp_path: Path) -> None:
    first, database = _operator().function, _database(tmp_path)
    database.put(first, replace(database.get(first), trials=7))
    (entry,) = tmp_path.glob("tuning/*/*.entry")
    data = Cache(tmp_path / "tuning").get(entry.stem)
    assert data is not None
    changed = data.replace(b"float32", b"float64")
    Cache(tmp_path / "tuning").put(entry.stem, changed)
    assert database.get(first).trials == 0


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    function = _operator().function

    def add(_number: int) -> None:
        database = _database(tmp_path)
        with database.locked(function):
            database.put(function, database.get(function).with_trials([], 1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(12)))
    assert _database(tmp_path).get(function).trials == 12


def test_trials_go_where_cost_is() -> None:
    from dycl.backends.tvm.tuning import shares

    assert shares([6.0, 3.0, 1.0], 10) == [6, 3, 1]
    assert shares([1.0, 0.0], 4) == [4, 0]
    assert shares([0.0], 4) == [0]
    assert shares([], 4) == []


def test_what_computes_something_else_is_not_measured() -> None:
    from dycl.backends.tvm.measuring import Measurer
    from dycl.backends.tvm.targets import processor

    first, other = _operator().untuned, _operator(add=1.0).untuned
    with Measurer(processor("native").description) as measurer:
        times = measurer.measure([first, other, first], 1)
    assert [taken is None for taken in times] == [False, True, False]


def test_a_crash_while_measuring_ends_no_more_than_that() -> None:
    from dycl.backends.tvm.measuring import Measurer
    from dycl.backends.tvm.targets import processor

    function = _operator().untuned
    with Measurer(processor("native").description) as measurer:
        (taken,) = measurer.measure([function], 1)
        assert taken is not None and taken > 0
        worker = measurer._worker
        assert worker is not None
        worker.kill()
        assert measurer.measure([function], 1) == [None]
        (taken,) = measurer.measure([function], 1)
        assert taken is not None
