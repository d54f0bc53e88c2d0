"""What the process of a cell finds, done in this one."""

from pathlib import Path

import pytest

from dycl.reproduce.cells import Failed, Measured
from dycl.reproduce.measuring import ablation
from dycl.reproduce.measuring.subject import options_of
from tests.dycl.reproduce.conftest import RunHere


def test_a_package_agrees_and_a_trace_does_not(run_here: RunHere) -> None:
    host = run_here(backend="onnxruntime")
    assert isinstance(host, Measured), host
    assert host.found["passed"]
    assert host.found["inputs"] == 8
    assert host.found["coverage"]["distinct_paths"] > 1
    assert host.found["coverage"]["outcomes_taken"] > 3
    trace = run_here()
    assert isinstance(trace, Measured)
    assert trace.found["inconsistent_rate"] > 0.3
    assert trace.found["first_failing"]
    # the number of steps is an integer: where it is wrong, no float makes up for it
    assert trace.found["error_distribution"]["1e2"] <= 1 - trace.found["inconsistent_rate"]
    assert host.found["error_distribution"]["1e-5"] == 1


def test_latency_is_beside_eager_and_by_unit(run_here: RunHere) -> None:
    found = run_here(measurement="latency", backend="trace", count=3)
    assert isinstance(found, Measured), found
    assert found.found["times_as_fast"] > 0
    assert len(found.found["eager"]["inputs"]) == 3
    assert found.found["units"] == {"row": [1, 1, 1]}


def test_who_has_no_package_is_beside_the_default_one(run_here: RunHere) -> None:
    found = run_here(measurement="latency", backend="trace", count=3)
    assert isinstance(found, Measured), found
    assert found.found["times_as_fast_as_package"] > 0


def test_where_that_is_refused_others_are_measured_all_the_same(run_here: RunHere) -> None:
    found = run_here(measurement="latency", backend="trace", count=3, model="Counting")
    assert isinstance(found, Measured), found
    assert found.found["times_as_fast"] > 0
    assert found.found["times_as_fast_as_package"] is None


def test_batches_are_run_by_who_can_and_outputs_compared(run_here: RunHere) -> None:
    for system in ("eager", "together"):
        found = run_here(measurement="batching", backend=system, count=4)
        assert isinstance(found, Measured), found
        assert list(found.found["milliseconds_per_input"]) == ["1", "4"]
        assert list(found.found["times_as_fast"]) == ["1", "4"]
        assert found.found["error"] == 0
    wrong = run_here(measurement="batching", backend="wrong", count=4)
    assert isinstance(wrong, Failed)
    assert wrong.reason == "its outputs differ from eager PyTorch's by 1.0e+00"


@pytest.mark.parametrize("system", ["fewer numbers", "not a number"])
def test_outputs_that_cannot_be_compared_are_no_results(run_here: RunHere, system: str) -> None:
    found = run_here(measurement="batching", backend=system, count=4)
    assert isinstance(found, Failed)
    assert found.reason == "its outputs differ from eager PyTorch's by inf"


def test_an_ablation_knows_packages_that_are_the_same(
    run_here: RunHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablation, "PASS_NAMES", ("masks-to-branches",))
    found = run_here(measurement="ablation", backend="onnxruntime", count=2)
    assert isinstance(found, Measured), found
    variants = found.found["variants"]
    assert list(variants) == ["all passes", "masks-to-branches", "link-subdnns", "no pass"]
    assert len({variant["package"] for variant in variants.values()}) == 1


def test_packages_are_the_same_by_what_their_files_hold(tmp_path: Path) -> None:
    for name, content in (("a", "x"), ("b", "x"), ("c", "y")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "host.py").write_text(content)
    (tmp_path / "b" / "host.pyc").write_text("compiled when it was imported")
    one, same, other = (ablation.digest_of(tmp_path / name) for name in "abc")
    assert one == same != other


def test_a_refused_model_says_where_and_why(run_here: RunHere) -> None:
    found = run_here(model="Counting", backend="onnxruntime")
    assert isinstance(found, Failed)
    assert found.reason.startswith("refused: catalog.py:")
    assert "DYCL" in found.reason
    assert "/" not in found.reason
    assert "Counting.calls" in found.detail


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("tvm", "tvm", ()),
        ("tvm:processor=portable", "tvm", (("processor", "portable"),)),
        ("auto:onnxruntime,inductor", "auto:onnxruntime,inductor", ()),
    ],
)
def test_a_backend_comes_with_its_options(
    spec: str, name: str, options: tuple[tuple[str, str], ...]
) -> None:
    found, compile_options = options_of(spec)
    assert (found, compile_options.backend_options) == (name, options)


def test_tuning_and_the_host_mode_are_options_of_the_compilation() -> None:
    _, options = options_of("onnxruntime:host_mode=ifs,tune=8")
    assert (options.host_mode, options.tune, options.backend_options) == ("ifs", 8, ())
