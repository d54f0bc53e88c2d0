"""Hosts on ONNX Runtime write results to memory that is bound once; nobody may notice."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import dycl
from dycl.backends.onnxruntime import runtime, runtime_memory
from dycl.backends.onnxruntime.runtime_arrays import TINY
from tests.dycl.backends.small_models import Gated, pictures

COUNT = 72
"""More than the sets of output arrays that a sub-DNN has in a thread."""


WIDE = 2 * TINY // 4
"""So many floats are no tiny result, which would be copied."""


class Scored(Gated):
    """Has results that a caller keeps the memory of."""

    def __init__(self) -> None:
        super().__init__()
        self.head = torch.nn.Linear(8, WIDE)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> dycl.CompiledModel:
    output = tmp_path_factory.mktemp("memory") / "scored_dycl"
    return dycl.compile(Scored().eval(), (pictures()[0],), output=output)


def inputs() -> list[np.ndarray[Any, Any]]:
    return [(picture + step / 10).numpy() for step in range(COUNT // 4) for picture in pictures()]


def fresh_results(host: dycl.CompiledModel) -> list[np.ndarray[Any, Any]]:
    return [host(picture).copy() for picture in inputs()]


@pytest.mark.parametrize(
    "keep",
    [
        lambda result: result,
        lambda result: result[0, 1:],
        lambda result: result.T.reshape(-1)[::2],
        torch.from_numpy,
        memoryview,
        torch.utils.dlpack.from_dlpack,
    ],
    ids=["array", "view", "view of a view", "tensor", "buffer", "DLPack"],
)
def test_what_a_caller_keeps_is_never_written_again(
    host: dycl.CompiledModel, keep: Callable[[Any], Any]
) -> None:
    expected = [np.asarray(keep(result)) for result in fresh_results(host)]
    kept = [keep(host(picture)) for picture in inputs()]
    for result, wanted in zip(kept, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), wanted)


def test_results_do_not_depend_on_what_a_caller_keeps(tmp_path: Path) -> None:
    """Not even in the last bit: images in blocks add up in another order than the plain graph."""
    torch.manual_seed(0)
    model = Blocks().eval()
    given = [torch.randn(1, 16, 24, 24) for _ in range(4)]
    host = dycl.compile(model, (given[0],), output=tmp_path / "blocks_dycl")
    for picture in given:
        kept = [host(picture.numpy()) for _ in range(COUNT)]
        assert len({result.tobytes() for result in kept}) == 1


def test_what_a_caller_writes_to_a_result_does_not_come_back(host: dycl.CompiledModel) -> None:
    expected = fresh_results(host)
    for picture, wanted in zip(inputs(), expected, strict=True):
        result = host(picture)
        np.testing.assert_array_equal(result, wanted)
        result[:] = np.nan


def test_inputs_may_lie_in_memory_in_any_way(host: dycl.CompiledModel) -> None:
    for picture, wanted in zip(inputs(), fresh_results(host), strict=True):
        turned = np.asfortranarray(picture)
        assert not turned.flags.c_contiguous
        np.testing.assert_array_equal(host(turned), wanted)


def test_large_inputs_may_lie_in_memory_in_any_way(tmp_path: Path) -> None:
    model = Gated().eval()
    pictures = [torch.randn(1, 3, 160, 160) + shift for shift in (-0.5, 0.5)]
    host = dycl.compile(model, (pictures[0],), output=tmp_path / "large_dycl")
    for picture in pictures:
        with torch.no_grad():
            wanted = model(picture).numpy()
        np.testing.assert_allclose(host(picture.numpy()), wanted, rtol=1e-4, atol=1e-5)
        turned = np.asfortranarray(picture.numpy())
        np.testing.assert_allclose(host(turned), wanted, rtol=1e-4, atol=1e-5)


class Blocks(torch.nn.Module):
    """Images that pass between convolutions, and their means."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(16, 32, 3, padding=1)
        self.second = torch.nn.Conv2d(32, 32, 3, padding=1)
        self.last = torch.nn.Linear(32, WIDE)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return numbers."""
        x = torch.relu(self.first(x))
        if x.mean() > 0.3:
            x = torch.relu(self.second(x))
        if x.mean() > 0.2:
            x = x + torch.relu(self.second(x))
        y: torch.Tensor = self.last(torch.nn.functional.avg_pool2d(x, 24).flatten(1))
        return y


class Collecting(torch.nn.Module):
    """Keeps each step's result in a list, longer than there are sets of output arrays."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.step = torch.nn.Linear(WIDE, WIDE)

    def forward(self, x: torch.Tensor, steps: int) -> torch.Tensor:
        """Return all steps, stacked."""
        found = []
        for _ in range(steps):
            x = torch.tanh(self.step(x))
            found.append(x)
        return torch.stack(found)


def test_steps_of_a_loop_keep_their_results(tmp_path: Path) -> None:
    model = Collecting().eval()
    start = torch.randn(1, WIDE)
    host = dycl.compile(model, (start, 3), output=tmp_path / "collecting_dycl")
    for steps in (1, 2, COUNT, 3):
        with torch.no_grad():
            wanted = model(start, steps).numpy()
        np.testing.assert_allclose(host(start, steps), wanted, rtol=1e-5, atol=1e-6)


class Nested(torch.nn.Module):
    """Needs the results of all levels below until the last one is there."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.leaf = torch.nn.Linear(WIDE, WIDE)
        self.pair = torch.nn.Linear(2 * WIDE, WIDE)

    def forward(self, x: torch.Tensor, depth: int) -> torch.Tensor:
        """Return what is left of a full binary tree."""
        return self.node(x, depth)

    def node(self, x: torch.Tensor, depth: int) -> torch.Tensor:
        if depth == 0:
            return torch.tanh(self.leaf(x))
        left, right = self.node(x * 0.5, depth - 1), self.node(x + 1, depth - 1)
        return torch.tanh(self.pair(torch.cat([left, right], 1)))


def test_results_that_wait_for_others_are_kept(tmp_path: Path) -> None:
    model = Nested().eval()
    start = torch.randn(1, WIDE)
    host = dycl.compile(model, (start, 2), output=tmp_path / "nested_dycl")
    for depth in (0, 6, 1, 6):
        with torch.no_grad():
            wanted = model(start, depth).numpy()
        np.testing.assert_allclose(host(start, depth), wanted, rtol=1e-5, atol=1e-6)
        assert host(start, depth).tobytes() == host(start, depth).tobytes()


@pytest.mark.parametrize("is_bindable", [True, False])
def test_sessions_that_show_no_inner_one_run_as_well(
    is_bindable: bool, host: dycl.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def results() -> list[Any]:
        loaded = runtime.load_subdnns(host.path, settings, entries)
        found = loaded[entries[0]["id"]](pictures()[0].numpy())
        return [np.array(each) for each in found]

    settings = {"device": "cpu", "threads": 1}
    entries = entries_of(host)
    monkeypatch.setattr(runtime, "is_bindable", lambda session: is_bindable)
    expected = results()
    monkeypatch.setattr(runtime_memory, "_direct", lambda session: session)
    for found, wanted in zip(results(), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_threads_do_not_share_memory(host: dycl.CompiledModel) -> None:
    expected = fresh_results(host)
    wrong: list[int] = []

    def run(offset: int) -> None:
        for step in range(4 * COUNT):
            index = (offset + step) % COUNT
            if not np.array_equal(host(inputs_of_all[index]), expected[index]):
                wrong.append(index)

    inputs_of_all = inputs()
    threads = [threading.Thread(target=run, args=(offset,)) for offset in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_of_a_thread_outlive_it(host: dycl.CompiledModel) -> None:
    expected = fresh_results(host)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(map(host, inputs())))
    thread.start()
    thread.join()
    fresh_results(host)
    for result, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_plans_that_are_forgotten_are_made_again(
    host: dycl.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = fresh_results(host)
    monkeypatch.setattr(runtime_memory, "_MOST_PLANS", 1)
    monkeypatch.setattr(runtime_memory, "_MOST_BINDINGS", 1)
    loaded = runtime.load_subdnns(host.path, {"device": "cpu", "threads": 1}, entries_of(host))
    call = loaded[entries_of(host)[0]["id"]]
    once = [[np.copy(each) for each in call(picture)] for picture in inputs()]
    kept = [call(np.array(picture)) for picture in inputs()]
    for results, wanted in zip(kept, once, strict=True):
        for found, each in zip(results, wanted, strict=True):
            np.testing.assert_array_equal(found, each)
    for found, wanted_result in zip(fresh_results(host), expected, strict=True):
        np.testing.assert_array_equal(found, wanted_result)


def test_packages_that_are_loaded_later_leave_one_its_memory(host: dycl.CompiledModel) -> None:
    def load() -> Callable[..., Any]:
        loaded = runtime.load_subdnns(host.path, {"device": "cpu", "threads": 1}, entries)
        return loaded[entries[0]["id"]]

    def results(call: Callable[..., Any]) -> list[np.ndarray[Any, Any]]:
        return [np.copy(each) for picture in inputs() for each in call(picture)]

    entries = entries_of(host)
    call = load()
    expected = results(call)
    for _ in range(4):
        later = load()
        for found in (results(later), results(call)):
            for result, wanted in zip(found, expected, strict=True):
                np.testing.assert_array_equal(result, wanted)
        del later
    for result, wanted in zip(results(call), expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def entries_of(host: dycl.CompiledModel) -> list[dict[str, Any]]:
    """Return the manifest's entries, without fast graphs."""
    entries = [(entry, dict(entry["runtime"])) for entry in host.manifest["subdnns"]]
    for _, own in entries:
        own.pop("fast", None)
    return [{**entry, "runtime": own} for entry, own in entries]


class Two(torch.nn.Module):
    """Takes a large and a small array, and returns two that the next call may be given."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return arrays of the same sizes."""
        return x * 2 + y.sum(), y - x.mean()


def test_results_may_come_back_as_arguments(tmp_path: Path) -> None:
    x, y = torch.randn(40, 40), torch.randn(5)
    host = dycl.compile(Two(), (x, y), output=tmp_path / "two_dycl")
    model = Two()
    found: list[Any] = [(x.numpy(), y.numpy())]
    wanted = [(x, y)]
    for _ in range(6):
        found.append(host(*found[-1]))
        wanted.append(model(*wanted[-1]))
    for arrays, tensors in zip(found, wanted, strict=True):
        for array, tensor in zip(arrays, tensors, strict=True):
            np.testing.assert_allclose(array, tensor.numpy(), rtol=1e-4, atol=1e-5)
    for wrong in ((x.numpy(), np.ones(4, np.float32)), (np.ones((40, 41), np.float32), y.numpy())):
        with pytest.raises(ValueError, match="expected an array"):
            host(*wrong)
