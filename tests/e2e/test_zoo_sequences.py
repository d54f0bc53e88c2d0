"""The zoo's decoders and routing models: compiled, and compared where their paths differ."""

import importlib
from collections import Counter
from pathlib import Path

import pytest

import dycl

MODELS = [
    ("adaptive_computation", "forward"),
    ("captioner", "forward"),
    ("captioner", "beam_search"),
    ("experts", "forward"),
    ("patience", "forward"),
    ("patience", "by_entropy"),
    ("speculative", "forward"),
    ("speech_decoder", "forward"),
    ("transducer", "forward"),
]


@pytest.mark.parametrize(("name", "method"), MODELS, ids=[f"{n}.{m}" for n, m in MODELS])
def test_host_agrees_with_eager(name: str, method: str, tmp_path: Path) -> None:
    """Forty inputs, several decisions among them, none of them different on the host."""
    module = importlib.import_module(f"zoo.{name}")
    model = module.build_model()
    compiled = dycl.compile(
        model, module.example_inputs(), method=method, output=tmp_path / f"{name}_dycl"
    )
    inputs = module.sample_inputs(40, 0)
    report = dycl.verify(model, compiled, inputs, method=method, decide=module.decide)
    assert report.passed, [sample for sample in report.host.samples if not sample.passed][:3]
    decisions = Counter(str(module.decide(compiled(*each))) for each in inputs)
    assert len(decisions) > 3
