"""The Tree-LSTMs of the zoo follow their trees, and so do their hosts."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import dycl
from zoo import tree_lstm, tree_lstm_binary, tree_lstm_nary


def test_the_order_of_children_does_not_matter_to_the_child_sum() -> None:
    model = tree_lstm.build_model()
    (tree,) = tree_lstm.sample_inputs(1, 3)[0]
    with torch.no_grad():
        before = model(tree)
        tree.children.reverse()
        torch.testing.assert_close(model(tree), before)


def test_samples_are_trees_of_many_sizes() -> None:
    sizes = [tree.size() for (tree,) in tree_lstm.sample_inputs(30, 0)]
    assert min(sizes) == 1
    assert max(sizes) > 15
    assert [tree.size() for (tree,) in tree_lstm.sample_inputs(30, 0)] == sizes


@pytest.mark.parametrize("module", [tree_lstm, tree_lstm_binary, tree_lstm_nary])
def test_the_host_agrees_on_varied_trees(module: Any, tmp_path: Path) -> None:
    model = module.build_model()
    host = dycl.compile(model, module.example_inputs(), output=tmp_path / "host")
    report = dycl.verify(model, host, module.sample_inputs(20, 0), decide=module.decide)
    assert report.passed, report.host.samples
    assert report.coverage.distinct_paths > 10


def test_the_order_of_children_matters_to_the_nary_form() -> None:
    model = tree_lstm_nary.build_model()
    samples = tree_lstm_nary.sample_inputs(20, 0)
    tree = next(tree for (tree,) in samples if len(tree.children) == 2)
    with torch.no_grad():
        before = model(tree)
        tree.children.reverse()
        assert not torch.allclose(model(tree), before)


def test_the_host_says_what_is_wrong_with_a_tree(tmp_path: Path) -> None:
    model = tree_lstm.build_model()
    host = dycl.compile(model, tree_lstm.example_inputs(), output=tmp_path / "host")
    leaf = SimpleNamespace(word=1, children=[])
    assert host(SimpleNamespace(word=4, children=[leaf, leaf])).dtype == np.float32
    wrong = SimpleNamespace(word=4, children=[leaf, SimpleNamespace(word=1.5, children=[])])
    with pytest.raises(ValueError, match=r"tree\.children\[1\]\.word: expected a Python int"):
        host(wrong)
