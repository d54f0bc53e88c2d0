"""Recursive models whose tensor code runs in batches: every stage, and what callers can see."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import dycl
from codegen_host.forward_text import forward_text
from dycl.building import Building
from hcfg.build import build_hcfg
from hcfg.dump import dump
from hcfg.passes import run_passes
from rewriter import rewrite
from rewriter.diagnostics import CompileError
from tests.golden import check_golden
from tests.language.programs import recursion_in_batches
from tests.language.programs.recursion_in_batches import (
    BAD_BOTH,
    FULL,
    LEAF,
    LEANING,
    Binary,
    Folded,
    full,
)

GOLDEN = Path(__file__).parent / "golden" / "batches"
ONE_BY_ONE = frozenset({"batch-recursion"})
Model = type[torch.nn.Module]


def made(kind: object) -> torch.nn.Module:
    torch.manual_seed(0)
    assert isinstance(kind, type)
    model = kind()
    assert isinstance(model, torch.nn.Module)
    return model.eval()


def compiled(kind: object, output: Path, off: frozenset[str] = frozenset()) -> Any:
    options = dycl.CompileOptions(disabled_passes=off)
    return dycl.compile(made(kind), (FULL,), output=output, options=options)


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return compiled(Binary, tmp_path_factory.mktemp("batches") / "binary_dycl")


@pytest.mark.parametrize("name", ["rewritten.txt", "graph.txt", "host.txt"])
def test_stage(name: str, update_golden: bool) -> None:
    program = rewrite(made(Folded), (FULL,))
    graph = run_passes(build_hcfg(program)).graph
    stages = {
        "rewritten.txt": program.source,
        "graph.txt": dump(graph),
        "host.txt": forward_text(graph, "Folded.forward", "0").text,
    }
    check_golden(GOLDEN / name, stages[name], update_golden)


def test_a_level_of_the_tree_is_one_call(binary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    batching = binary.module.in_batches
    calls: list[int] = []
    for put_off in batching.subdnns:
        cells = dict(zip(put_off.__code__.co_freevars, put_off.__closure__, strict=True))
        many = cells["many"].cell_contents

        def counted(*arrays: Any, many: Any = many) -> Any:
            calls.append(len(arrays[0]))
            return many(*arrays)

        monkeypatch.setattr(cells["many"], "cell_contents", counted)
    with torch.no_grad():
        expected, _ = made(Binary)(FULL)
    found, _ = binary(FULL)
    assert calls == [8, 4, 2]  # the root is alone
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_observed_calls_tell_of_each_call_and_compute_in_batches(binary: Any) -> None:
    events: list[tuple[Any, ...]] = []
    plain = binary(LEANING)
    with binary.module.observe(events.append):
        observed = binary(LEANING)
    for first, second in zip(plain, observed, strict=True):
        np.testing.assert_array_equal(first, second)
    inside = {name for kind, name, *_ in events if kind == "subdnn"}
    assert len([event for event in events if event[0] == "subdnn"]) == 9 + 1
    assert inside == {"subdnn_0", "subdnn_1", "subdnn_2"}


def test_more_calls_than_are_put_off(binary: Any, tmp_path: Path) -> None:
    alone = compiled(Binary, tmp_path / "alone_dycl", ONE_BY_ONE)
    assert "in_batches" not in alone.module.__dict__
    tree = full(12, word=-25)
    for node in _nodes(tree):
        node.word %= 12
    for first, second in zip(binary(tree), alone(tree), strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-3, atol=1e-4)


def test_after_a_call_that_fails_all_is_as_before(binary: Any) -> None:
    before = [np.copy(array) for array in binary(FULL)]
    with pytest.raises(IndexError):
        binary(BAD_BOTH)
    for first, second in zip(before, binary(FULL), strict=True):
        np.testing.assert_array_equal(first, second)


def test_results_outlive_later_calls(binary: Any) -> None:
    _, state = binary(FULL)
    kept = np.copy(state)
    for tree in (LEAF, LEANING, FULL):
        binary(tree)
    np.testing.assert_array_equal(state, kept)


def test_threads_do_not_meet(binary: Any) -> None:
    trees = [FULL, LEAF, LEANING, full(5, -8)]
    for node in _nodes(trees[3]):
        node.word %= 12
    alone = [binary(tree)[1].tobytes() for tree in trees]

    def calls(first: int) -> list[tuple[int, bytes]]:
        places = [(first + step) % len(trees) for step in range(40)]
        return [(place, binary(trees[place])[1].tobytes()) for place in places]

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(calls, range(4)):
            assert all(content == alone[place] for place, content in found)


def test_where_a_backend_has_no_batches_calls_are_made_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Building.compile_into

    def without_batches(self: Building, directory: Path) -> Any:
        if self.optimised.graph.batches:
            raise CompileError(())
        return original(self, directory)

    monkeypatch.setattr(Building, "compile_into", without_batches)
    package = compiled(Binary, tmp_path / "alone_dycl")
    with torch.no_grad():
        expected = made(Binary)(LEANING)
    for first, second in zip(package(LEANING), expected, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-4, atol=1e-5)
    assert "in_batches" not in package.module.__dict__


def _nodes(tree: Any) -> list[Any]:
    return [tree, *(node for child in tree.children for node in _nodes(child))]


def test_small_layers_are_called_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recursion_in_batches, "WIDTH", 64)
    graph = run_passes(build_hcfg(rewrite(made(Binary), (FULL,)))).graph
    assert (graph.batched, dict(graph.batches)) == ((), {})
