"""DyNet's trees compute what the zoo's do; comparisons count what an input has."""

import subprocess
import sys

import pytest

from zoo.catalog import BATCHED, CATALOG, COMPARISONS

CHECK = """
import numpy, torch
from zoo.catalog import BATCHED, CATALOG
(other,) = [each for each in BATCHED if (each.model, each.system) == {name!r}]
(entry,) = [each for each in CATALOG if each.name == other.model]
model = entry.build()
run = other.prepare(model)
inputs = entry.sample_inputs(12, 0)
with torch.no_grad():
    wanted = [model(*arguments).numpy() for arguments in inputs]
for batch in (1, 5, 12):
    for expected, found in zip(wanted, run(inputs[:batch])):
        numpy.testing.assert_allclose(found, expected, atol=1e-5)
"""


@pytest.mark.slow
@pytest.mark.parametrize("system", ["DyNet, one by one", "DyNet, auto-batching"])
def test_dynet_computes_the_same(system: str) -> None:
    pytest.importorskip("dynet_config", exc_type=ImportError)
    # DyNet decides once per process whether it batches
    code = CHECK.format(name=("Tree-LSTM, child-sum", system))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_comparison_has_its_paper_with_a_year() -> None:
    for comparison in COMPARISONS:
        assert comparison.paper[-4:].isdigit()
        assert comparison.figure > 1
    assert len({(each.model, each.system) for each in BATCHED}) == len(BATCHED)


def test_comparisons_are_about_models_of_the_catalog() -> None:
    entries = {entry.name: entry for entry in CATALOG}
    assert {each.model for each in COMPARISONS} <= entries.keys()
    assert {each.model for each in BATCHED} <= entries.keys()
    for comparison in COMPARISONS:
        inputs = entries[comparison.model].sample_inputs(3, 0)
        assert all(comparison.units(*arguments) >= 1 for arguments in inputs)
