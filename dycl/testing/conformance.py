"""A class of pytest tests that every backend must pass."""

import ast
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.backends import Backend
from dycl.backends.checking import Failure
from dycl.cache import Cache
from dycl.testing.batch import LAYERS, Compiled, compile_trials, difference
from dycl.testing.calls import compile_alone
from dycl.testing.operators import COMMON, INDEX, TRIALS, X
from dycl.testing.subdnns import capture_function

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

    @pytest.fixture(scope="class")
    def compiled(self, tmp_path_factory: pytest.TempPathFactory) -> Compiled:
        """Return all trials, compiled together."""
        return compile_trials(self.backend(), tmp_path_factory.mktemp("trials"))

    @pytest.mark.parametrize("name", TRIALS)
    def test_operator_is_equal_or_refused(self, name: str, compiled: Compiled) -> None:
        trial, call = TRIALS[name], compiled.found[name]
        if isinstance(call, Failure):
            assert name not in COMMON, f"{call.code}: {call.message}"
            assert call.message
            return
        arrays = [x.numpy().copy() for x in trial.inputs]
        try:
            results = call(*arrays)
        except DECLINED:
            assert name not in COMMON
            return
        assert difference(trial, results) == ""
        for array, x in zip(arrays, trial.inputs, strict=True):
            np.testing.assert_array_equal(array, x.numpy(), "an input was changed")

    @pytest.mark.parametrize("bad", [2, -3])
    def test_index_out_of_range_raises(self, bad: int, compiled: Compiled) -> None:
        call = compiled.of("chosen")
        np.testing.assert_array_equal(call(X.numpy(), INDEX.numpy()), X[INDEX].numpy())
        with pytest.raises((IndexError, RuntimeError)):
            call(X.numpy(), np.array([0, bad, 0]))

    @pytest.mark.parametrize("name", LAYERS)
    def test_sub_dnns_of_one_structure_keep_their_own_weights(
        self, name: str, compiled: Compiled
    ) -> None:
        assert difference(LAYERS[name], compiled.of(name)(X.numpy())) == ""

    def test_arrays_may_lie_in_memory_in_any_way(self, compiled: Compiled) -> None:
        call = compiled.of("twice")
        expected = X.numpy() * 2
        read_only = X.numpy().copy()
        read_only.flags.writeable = False
        strided = np.repeat(X.numpy(), 2, axis=2)[:, :, ::2]
        for array in (np.asfortranarray(X.numpy()), strided, read_only):
            np.testing.assert_allclose(call(array), expected, 1e-6)

    def test_results_belong_to_the_caller(self, compiled: Compiled) -> None:
        """Neither inputs nor later calls share their memory."""
        call = compiled.of("view and sum")
        given = X.numpy().copy()
        first = call(given)
        kept = [np.array(result) for result in first]
        for result in call(given + 1):
            result[...] = 7
        for result, before in zip(first, kept, strict=True):
            np.testing.assert_array_equal(result, before)
            result[...] = 7
        np.testing.assert_array_equal(given, X.numpy())

    def test_threads_may_call_at_the_same_time(self, compiled: Compiled) -> None:
        call = compiled.of("layer 2")
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
