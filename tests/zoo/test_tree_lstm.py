"""The Tree-LSTMs of the zoo follow their trees, and so do their hosts."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import dycl
from zoo import tree_lstm


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


@pytest.mark.parametrize(
    ("build", "example", "samples"),
    [
        (tree_lstm.build_model, tree_lstm.example_inputs, tree_lstm.sample_inputs),
        (tree_lstm.build_binary, tree_lstm.binary_example, tree_lstm.binary_samples),
    ],
)
def test_the_host_agrees_on_varied_trees(
    build: Any, example: Any, samples: Any, tmp_path: Path
) -> None:
    model = build()
    host = dycl.compile(model, example(), output=tmp_path / "host")
    report = dycl.verify(model, host, samples(20, 0), decide=tree_lstm.decide)
    assert report.passed, report.host.samples
    assert report.coverage.distinct_paths > 10


def test_the_host_says_what_is_wrong_with_a_tree(tmp_path: Path) -> None:
    model = tree_lstm.build_model()
    host = dycl.compile(model, tree_lstm.example_inputs(), output=tmp_path / "host")
    leaf = SimpleNamespace(word=1, children=[])
    assert host(SimpleNamespace(word=4, children=[leaf, leaf])).dtype == np.float32
    wrong = SimpleNamespace(word=4, children=[leaf, SimpleNamespace(word=1.5, children=[])])
    with pytest.raises(ValueError, match=r"tree\.children\[1\]\.word: expected a Python int"):
        host(wrong)
