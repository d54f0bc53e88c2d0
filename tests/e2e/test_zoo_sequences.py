"""The zoo's decoders and routing models: compiled, and compared where their paths differ."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import dycl
from zoo import tree_lstm, tree_lstm_binary, tree_lstm_nary
from zoo.catalog import SEQUENCES, Entry

# tests/zoo/test_tree_lstm.py compiles the small ones
TREES = (tree_lstm, tree_lstm_binary, tree_lstm_nary)
MODELS = [entry for entry in SEQUENCES if entry.heavy or entry.module not in TREES]


LONG = (
    "Speculative decoding",
    "Captioner, beam search",
    "RNN transducer",
    "BERT, small",
    "BERT with patience (PABEE)",
    "Speech decoder",
)
"""Those that take longest to compile."""


def _parameter(entry: Entry) -> Any:
    slow = entry.heavy or entry.name in LONG
    return pytest.param(entry, id=entry.name, marks=(pytest.mark.slow,) if slow else ())


@pytest.mark.parametrize("entry", [_parameter(each) for each in MODELS])
def test_host_agrees_with_eager(entry: Entry, tmp_path: Path) -> None:
    """Forty inputs, several decisions among them, none of them different on the host."""
    model = entry.build()
    compiled = dycl.compile(
        model,
        entry.example_inputs(),
        method=entry.method,
        dynamic_shapes=entry.dynamic_shapes(),
        output=tmp_path / "host_dycl",
    )
    inputs = entry.sample_inputs(40, 0)
    report = dycl.verify(model, compiled, inputs, method=entry.method, decide=entry.decide)
    assert report.passed, [sample for sample in report.host.samples if not sample.passed][:3]
    decisions = Counter(str(entry.decide(compiled(*each))) for each in inputs)
    assert len(decisions) > 3
