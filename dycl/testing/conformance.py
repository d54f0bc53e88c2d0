"""A class of pytest tests that every backend must pass."""

import ast
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.backends import Backend
from dycl.cache import Cache
from dycl.testing.calls import calls_of, compile_alone
from dycl.testing.operators import INDEX, TRIALS, Trial, X
from dycl.testing.subdnns import capture_function
from dycl.verification.comparison import compare
from rewriter.diagnostics import CompileError

DECLINED = (FloatingPointError, OverflowError, NotImplementedError)
"""What a loader may raise for values that its runtime does not compute with as PyTorch does."""


class Branching(nn.Module):
    """A model with a branch, and two layers of one structure."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second, self.head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return three logits."""
        y = torch.relu(self.first(x))
        if x.sum() > 0:
            y = torch.relu(self.second(y)) + y
        logits: torch.Tensor = self.head(y)
        return logits


@pytest.mark.filterwarnings("ignore::UserWarning")
class BackendConformance:
    """Subclass it and define ``backend``; pytest finds the tests."""

    def backend(self) -> Backend:
        """Return the backend to test, a new one for each test."""
        raise NotImplementedError

    def test_it_is_available_and_says_what_it_is(self) -> None:
        backend = self.backend()
        found = backend.available()
        assert found.available, found.reason
        assert found.versions and found.devices
        assert backend.name.isidentifier() and backend.name == backend.name.lower()
        assert backend.title

    def test_what_goes_into_a_manifest_is_json(self) -> None:
        backend = self.backend()
        for value in (backend.runtime_settings(), backend.machine(), backend.key_parts()):
            assert json.loads(json.dumps(value)) == value

    def test_loader_imports_only_what_a_package_may_need(self) -> None:
        """A host package runs where dycl is not installed."""
        backend = self.backend()
        imported = set(_imports(backend.runtime_source()))
        assert not imported & {"dycl", "codegen_host", "hcfg", "rewriter"}
        assert "torch" not in imported or "torch" in backend.runtime_packages

    @pytest.mark.parametrize("name", TRIALS)
    def test_operator_is_equal_or_refused(self, name: str, tmp_path: Path) -> None:
        trial = TRIALS[name]
        subdnn = capture_function(trial.function, *trial.inputs)
        try:
            call = calls_of(self.backend(), [subdnn], tmp_path)[subdnn.name]
        except CompileError as refusal:
            assert all(diagnostic.origin is not None for diagnostic in refusal.diagnostics)
            return
        arrays = [x.numpy().copy() for x in trial.inputs]
        try:
            results = call(*arrays)
        except DECLINED:
            return
        assert difference(trial, results) == ""
        for array, x in zip(arrays, trial.inputs, strict=True):
            np.testing.assert_array_equal(array, x.numpy(), "an input was changed")

    @pytest.mark.parametrize("bad", [2, -3])
    def test_index_out_of_range_raises(self, bad: int, tmp_path: Path) -> None:
        call = self._call(lambda x, i: x[i], X, INDEX, directory=tmp_path)
        np.testing.assert_array_equal(call(X.numpy(), INDEX.numpy()), X[INDEX].numpy())
        with pytest.raises((IndexError, RuntimeError)):
            call(X.numpy(), np.array([0, bad, 0]))

    def test_sub_dnns_of_one_structure_keep_their_own_weights(self, tmp_path: Path) -> None:
        layers = [nn.Linear(4, 3), nn.Linear(4, 3), nn.Linear(4, 300), nn.Linear(4, 300)]
        subdnns = [
            capture_function(layer, X, name=f"subdnn_{number}")
            for number, layer in enumerate(layers)
        ]
        calls = calls_of(self.backend(), subdnns, tmp_path)
        for layer, subdnn in zip(layers, subdnns, strict=True):
            with torch.no_grad():
                expected = layer(X).numpy()
            np.testing.assert_allclose(calls[subdnn.name](X.numpy()), expected, 1e-4, 1e-5)

    def test_arrays_may_lie_in_memory_in_any_way(self, tmp_path: Path) -> None:
        call = self._call(lambda x: x * 2, X, directory=tmp_path)
        expected = X.numpy() * 2
        read_only = X.numpy().copy()
        read_only.flags.writeable = False
        strided = np.repeat(X.numpy(), 2, axis=2)[:, :, ::2]
        for array in (np.asfortranarray(X.numpy()), strided, read_only):
            np.testing.assert_allclose(call(array), expected, 1e-6)

    def test_results_belong_to_the_caller(self, tmp_path: Path) -> None:
        """Neither inputs nor later calls share their memory."""
        call = self._call(lambda x: (x.view(-1), x + 1), X, directory=tmp_path)
        given = X.numpy().copy()
        first = call(given)
        kept = [np.array(result) for result in first]
        for result in call(given + 1):
            result[...] = 7
        for result, before in zip(first, kept, strict=True):
            np.testing.assert_array_equal(result, before)
        np.testing.assert_array_equal(given, X.numpy())

    def test_threads_may_call_at_the_same_time(self, tmp_path: Path) -> None:
        layer = nn.Linear(4, 64)
        call = self._call(layer, X, directory=tmp_path)
        inputs = [X.numpy() + number for number in range(32)]
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(call, inputs))
        for array, result in zip(inputs, results, strict=True):
            np.testing.assert_allclose(result, call(array), 1e-5)

    def test_what_comes_from_the_cache_is_the_same(self, tmp_path: Path) -> None:
        layer = nn.Linear(4, 3)
        found = []
        for run in ("cold", "warm"):
            (tmp_path / run).mkdir()
            subdnns = [capture_function(layer, X)]
            cache = Cache(tmp_path / "cache")
            [artifact] = compile_alone(self.backend(), subdnns, tmp_path / run, cache)
            found.append(artifact)
        assert found[0] == found[1]

    def test_package_does_what_the_model_does(self, tmp_path: Path) -> None:
        model = Branching().eval()
        x = torch.randn(2, 8, generator=torch.Generator().manual_seed(0))
        compiled = dycl.compile(model, (x,), backend=self.backend(), output=tmp_path / "package")
        report = dycl.verify(model, compiled, [x + shift for shift in (-1.0, 0.0, 1.0)])
        assert report.passed and report.coverage is not None
        assert self.backend().name in compiled.manifest["backends"]

    def _call(self, function: Any, *inputs: torch.Tensor, directory: Path) -> Any:
        subdnn = capture_function(function, *inputs)
        return calls_of(self.backend(), [subdnn], directory)[subdnn.name]


def difference(trial: Trial, results: object) -> str:
    """Return how results differ from PyTorch's, "" if they do not."""
    with torch.no_grad():
        expected = trial.function(*(x.clone() for x in trial.inputs))
    wanted = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    found = [results] if isinstance(results, np.ndarray) else list(results)  # type: ignore[call-overload]
    comparison = compare(wanted, found)
    beyond = "" if comparison.within_tolerance else "beyond the tolerance"
    return "; ".join([*comparison.mismatches, *([beyond] if beyond else [])])


def _imports(source: str) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                found += [alias.name.partition(".")[0] for alias in node.names]
            case ast.ImportFrom(module=str(module), level=0):
                found.append(module.partition(".")[0])
            case _:
                pass
    return found
