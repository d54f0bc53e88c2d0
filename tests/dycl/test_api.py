"""``dycl.compile`` and what it returns."""

import sys
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
import torch

import dycl
from dycl.errors import UserError
from rewriter.diagnostics import CompileError
from tests.dycl.gated_model import gated_model

MODEL = gated_model()
X = torch.rand(3, 4, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> dycl.CompileOptions:
    return dycl.CompileOptions(cache_directory=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def compiled(
    tmp_path_factory: pytest.TempPathFactory, options: dycl.CompileOptions
) -> dycl.CompiledModel:
    output = tmp_path_factory.mktemp("out") / "gated_dycl"
    return dycl.compile(MODEL, (X, 0.5), output=output, options=options)


@pytest.mark.parametrize("limit", [-1.0, 0.1, 0.3, 5.0])
def test_compiled_model_does_what_the_original_does(
    compiled: dycl.CompiledModel, limit: float
) -> None:
    with torch.no_grad():
        expected = MODEL(X, limit)
    found = compiled(X.numpy(), limit)
    assert list(found) == list(expected)
    np.testing.assert_allclose(found["h"], expected["h"].numpy(), rtol=1e-5, atol=1e-6)
    assert found["taken"] is expected["taken"]
    np.testing.assert_array_equal(found["constant"], np.zeros(2, np.float32))


def test_what_raises_in_the_original_raises_in_the_host(compiled: dycl.CompiledModel) -> None:
    with pytest.raises(ValueError, match="too dark"):
        MODEL(-X, 0.5)
    with pytest.raises(ValueError, match="too dark"):
        compiled(-X, 0.5)


def test_constants_belong_to_the_caller(compiled: dycl.CompiledModel) -> None:
    compiled(X, 0.5)["constant"] += 1
    np.testing.assert_array_equal(compiled(X, 0.5)["constant"], np.zeros(2, np.float32))


def test_left_out_argument_may_be_given_its_default(compiled: dycl.CompiledModel) -> None:
    assert compiled(X, 0.5, mode="sum")["h"].shape == (3,)
    with pytest.raises(ValueError, match=r"mode: expected 'sum', which was fixed"):
        compiled(X, 0.5, mode="mean")
    with pytest.raises(ValueError, match=r"limit: expected a Python float, got str '0\.5'"):
        compiled(X, "0.5")


def test_compiled_model_shows_its_sources(compiled: dycl.CompiledModel) -> None:
    assert "def forward(x, limit, mode='sum'):" in compiled.host_source
    assert "self.block" in compiled.rewritten_source
    assert compiled.manifest["entry_point"] == "GatedModel.forward"
    assert compiled.hcfg is not None
    report = compiled.report
    assert report is not None and report.branches == 2
    text = str(report)
    assert text.startswith(f"compiled gated_model into {compiled.path}")
    assert "2 branches" in text


def test_bytecode_that_python_leaves_is_no_part_of_the_package(
    tmp_path: Path, options: dycl.CompileOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = []
    for bytecode in (False, True):
        monkeypatch.setattr(sys, "dont_write_bytecode", not bytecode)
        output = tmp_path / f"bytecode_{bytecode}"
        reports.append(dycl.compile(MODEL, (X, 0.5), output=output, options=options).report)
        assert (output / "__pycache__").exists() is bytecode
    assert reports[0] is not None and reports[1] is not None
    assert reports[0].bytes == reports[1].bytes


def test_rewritten_program_shows_its_source(compiled: dycl.CompiledModel) -> None:
    assert dycl.rewrite(MODEL, (X, 0.5)).source == compiled.rewritten_source


def test_loaded_model_is_the_same(compiled: dycl.CompiledModel) -> None:
    loaded = dycl.load(compiled.path)
    assert loaded.report is None and loaded.hcfg is None
    assert repr(loaded) == f"<CompiledModel GatedModel.forward at {compiled.path}>"
    np.testing.assert_array_equal(loaded(X, 0.5)["h"], compiled(X, 0.5)["h"])


def test_arguments_can_be_given_by_name(
    compiled: dycl.CompiledModel, tmp_path: Path, options: dycl.CompileOptions
) -> None:
    by_name = dycl.compile(
        MODEL.forward,
        MappingProxyType({"x": X, "mode": "none"}),
        output=tmp_path / "by_name",
        options=options,
    )
    assert by_name(x=X, mode="none")["h"].shape == (3, 4)
    assert by_name.manifest["entry_point"] == "GatedModel.forward"


def test_package_is_named_after_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dycl.CompileOptions
) -> None:
    monkeypatch.chdir(tmp_path)
    dycl.compile(MODEL, (X, 0.5), options=options)
    assert [path.name for path in tmp_path.iterdir()] == ["gated_model_dycl"]


def test_taken_output_is_refused_before_anything_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="was not made by dycl"):
        dycl.compile(object(), (), output=tmp_path)


def test_backend_that_is_not_available_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"device 'abacus' is unknown"):
        dycl.compile(
            MODEL, (X,), output=tmp_path / "x", options=dycl.CompileOptions(device="abacus")
        )


def test_unknown_pass_is_refused(tmp_path: Path) -> None:
    options = dycl.CompileOptions(disabled_passes=frozenset({"make-it-fast"}))
    with pytest.raises(UserError, match="no pass is called 'make-it-fast'"):
        dycl.compile(MODEL, (X, 0.5), output=tmp_path / "x", options=options)


def test_dynamic_shapes_must_fit(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="names 'y', which is no argument"):
        dycl.compile(MODEL, (X, 0.5), output=tmp_path / "x", dynamic_shapes={"y": {0: "batch"}})


def test_refusal_leaves_nothing_behind(tmp_path: Path) -> None:
    def bessel(x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = torch.special.bessel_j0(x)
        return y

    with pytest.raises(CompileError) as caught:
        dycl.compile(bessel, (X,), output=tmp_path / "x")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["DYCL411"]
    assert list(tmp_path.iterdir()) == []


def _added(*terms: torch.Tensor) -> torch.Tensor:
    return torch.stack(terms).sum(0)


@pytest.mark.parametrize("shapes", [({1: torch.export.Dim("rows")},), ([None, None, {0: "n"}],)])
def test_dynamic_shapes_of_what_a_container_has_not_are_refused(shapes: object) -> None:
    with pytest.raises(CompileError, match=r"DYCL401: dynamic_shapes for 'terms' name \d, which"):
        dycl.rewrite(_added, (X,), dynamic_shapes=shapes)


def test_directory_that_is_no_package_is_not_loaded(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a host package"):
        dycl.load(tmp_path)


def test_switched_off_passes_change_the_package_and_not_its_results(
    compiled: dycl.CompiledModel, tmp_path: Path, options: dycl.CompileOptions
) -> None:
    from dataclasses import replace

    from hcfg.passes import PASS_NAMES

    plain = dycl.compile(
        MODEL,
        (X, 0.5),
        output=tmp_path / "plain",
        options=replace(options, disabled_passes=frozenset(PASS_NAMES)),
    )
    for limit in (-1.0, 5.0):
        found, expected = plain(X, limit), compiled(X, limit)
        np.testing.assert_allclose(found["h"], expected["h"], rtol=1e-6)
        assert found["taken"] is expected["taken"]


def test_dynamic_shapes_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    shapes = {"x": {7: torch.export.Dim("batch", max=8)}}
    with pytest.raises(CompileError, match="DYCL401: dynamic_shapes for 'x' name dimension 7"):
        dycl.compile(MODEL, (X, 0.5), output=tmp_path / "gated_dycl", dynamic_shapes=shapes)
    with pytest.raises(CompileError, match=r"DYCL401: dynamic_shapes: 'n\+1' for .* is no name"):
        dycl.compile(MODEL, (X, 0.5), output=tmp_path / "gated", dynamic_shapes={"x": {0: "n+1"}})
    assert list(tmp_path.iterdir()) == []


def looked_up(x: torch.Tensor, places: torch.Tensor, divisors: torch.Tensor) -> torch.Tensor:
    """Index and divide by what the inputs say."""
    if x.sum() > 0:
        return x[places]
    return places // divisors


def test_operators_that_fail_raise_what_pytorch_raises(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    zero, one = torch.tensor([0, 1]), torch.tensor([1, 1])
    compiled = dycl.compile(looked_up, (X, zero, one), output=tmp_path / "looked_up_dycl")
    for x, places, divisors, kind in (
        (X, zero + 2, one, IndexError),
        (-X, one, zero, RuntimeError),
    ):
        with pytest.raises(kind):
            looked_up(x, places, divisors)
        with pytest.raises(kind, match=r"^subdnn_\d: "):
            compiled(x, places, divisors)
    assert capfd.readouterr().err == ""
