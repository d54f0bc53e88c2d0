"""``host_mode="ifs"`` of models that need Python here and there: regions, and a host between."""

import ast
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import dycl
from dycl.cli.main import main
from dycl.one_onnx import expressions
from rewriter.diagnostics import CompileError

IFS = dycl.CompileOptions(host_mode="ifs")


class Halving(nn.Module):
    """Notes how many steps each row takes; a row that grows beyond all bounds is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(3, 3)
        self.down = nn.Linear(3, 3)

    def forward(self, x: Tensor, n: int, bound: float) -> tuple[Tensor, list[int]]:
        """Halve x until it is small, n times."""
        found: list[int] = []
        for _ in range(n):
            x = torch.tanh(self.up(x)) * 5 if x.sum() > 0 else self.down(x) * 3 + 1
            steps = 0
            while x.abs().max() > bound:
                x = x / 2
                steps += 1
                if steps > 6:
                    raise ValueError(f"too large after {steps} steps")
            found.append(steps)
        return x, found


HALVING = """\
@_package.entry
def forward(x, n, bound):
    items = []
    value = 0
    while value < n:  # test_mixed_package.py:32
        value = value + 1
        bound_1 = make_tensor(bound, 'float64')  # test_mixed_package.py:33
        steps, x, where = subdnn_5(x, bound_1)
        where = where.item()
        if where == 0:  # test_mixed_package.py:38
            steps = steps.item()  # test_mixed_package.py:39
            raise ValueError('too large after ' + format(steps, '') + ' steps')
        steps = steps.item()  # test_mixed_package.py:40
        items.append(steps)
    return x, items  # test_mixed_package.py:41
"""


def build() -> Halving:
    """Return the model."""
    torch.manual_seed(0)
    return Halving().eval()


@pytest.fixture(scope="module")
def halving(tmp_path_factory: pytest.TempPathFactory) -> dycl.CompiledModel:
    """Return the mixed package."""
    output = tmp_path_factory.mktemp("mixed") / "halving"
    return dycl.compile(build(), (torch.ones(1, 3), 2, 0.5), output=output, options=IFS)


def outcome(model: Any, *arguments: Any) -> Any:
    """Return what a call gives: its result, or the type and the text of its error."""
    try:
        with torch.no_grad():
            x, found = model(*arguments)
    except (ValueError, IndexError) as error:
        return type(error), str(error) if isinstance(error, ValueError) else ""
    return np.asarray(x).round(4).tolist(), found


def test_the_host_reads_like_the_original(halving: dycl.CompiledModel) -> None:
    """One call for the arms and the loop behind them; the list and the error are Python's."""
    text = (halving.path / "__init__.py").read_text()
    assert text[text.index("@_package") :] == HALVING
    assert "Branches and loops of the model are inside of ``subdnn_5``." in text


def test_it_does_what_the_original_does(halving: dycl.CompiledModel) -> None:
    """Zero trips of either loop, many, and too many."""
    seen: dict[Any, None] = {}
    for n, bound in itertools.product((0, 1, 4), (0.5, 1e-2, 100.0)):
        for sign in (1.0, -1.0):
            x = torch.tensor([[0.4, 0.9, -0.3]]) * sign
            expected = outcome(build(), x, n, bound)
            assert outcome(halving, x, n, bound) == expected
            seen.setdefault(str(expected[1]))
    assert {"[]", "[0]", "too large after 7 steps"} <= seen.keys()


def test_wrong_arguments_are_refused_as_ever(halving: dycl.CompiledModel) -> None:
    with pytest.raises(Exception, match="x: expected an array float32"):
        halving(torch.ones(1, 3, dtype=torch.int64), 1, 0.5)
    with pytest.raises(Exception, match="bound: is missing; expected a Python float"):
        halving(torch.ones(1, 3), 1)


def test_the_report_says_what_was_lowered_and_what_was_not(halving: dycl.CompiledModel) -> None:
    assert halving.report is not None
    lowered, rest = halving.report.notes
    assert lowered.startswith("subdnn_5 (test_mixed_package.py:33, 35, 38) has 3 branches, 1 loop")
    assert rest.startswith(
        "the rest of the decisions is made by the host: test_mixed_package.py:32:"
    )
    (entry,) = halving.manifest["subdnns"]
    assert (entry["id"], entry["decisions"]) == ("subdnn_5", 3)


def test_one_file_is_refused_still(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="DYCL430"):
        dycl.emit_onnx(build(), (torch.ones(1, 3), 2, 0.5), output=tmp_path / "one")


class Talking(nn.Module):
    """Says what it does, keeps what it found, and writes into its argument."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("last", torch.zeros(4))

    def forward(self, x: Tensor, places: Tensor) -> Tensor:
        """Look up some places of what was found last."""
        print("begin")
        y = x.cumsum(0) + self.last if x.sum() > self.last.sum() else x - self.last
        self.last = y * 1.0
        found = y[places] if y.max() > 2 else y[places] * 2
        x += 1
        print("end")
        return found.relu()


def test_what_host_code_does_is_done_once_a_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing at compile time: not on the console, not to the arguments, not to what is kept."""
    model, example = Talking(), (torch.ones(4), torch.tensor([1, 3]))
    compiled = dycl.compile(model, example, output=tmp_path / "talking", options=IFS)
    assert len([e for e in compiled.manifest["subdnns"] if "decisions" in e]) >= 1
    assert capsys.readouterr().out == ""
    assert example[0].tolist() == [1.0] * 4
    for seed in range(6):
        x = torch.randn(4, generator=torch.Generator().manual_seed(seed))
        places = torch.tensor([seed % 4, 2])
        given, expected = x.numpy().copy(), model(x, places).numpy()
        said = capsys.readouterr().out
        assert np.allclose(compiled(given, places.numpy()), expected, atol=1e-6)
        assert np.allclose(given, x.numpy())
        assert capsys.readouterr().out == said == "begin\nend\n"


def test_an_operator_that_fails_raises_what_pytorch_raises(tmp_path: Path) -> None:
    """Inside of an If as outside."""
    compiled = dycl.compile(
        Talking(), (torch.ones(4), torch.tensor([1, 3])), output=tmp_path / "talking", options=IFS
    )
    for model in (Talking(), compiled):
        with pytest.raises(IndexError):
            model(torch.ones(4), torch.tensor([1, 9]))


class Counting(nn.Module):
    """Python's integers have no bounds; those of a file have 64 bits."""

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int, int]:
        """Compute with a number that may be large, with its rest, and with a length."""
        large = n * n
        rest = large % 7
        found: list[int] = []
        while len(found) < rest:
            found.append(n)
        count = len(found) + 1
        while x.sum() < rest:
            x = x + 1 if x.max() < count else x + 2
            rest -= 1
        return x, large, rest


def test_integers_of_any_size_stay_in_python(tmp_path: Path) -> None:
    """What is computed from them goes into a region only where it certainly fits."""
    model, x = Counting(), torch.full((2,), -1.5)
    compiled = dycl.compile(model, (x, 3), output=tmp_path / "counting", options=IFS)
    (region,) = (entry for entry in compiled.manifest["subdnns"] if "decisions" in entry)
    assert {port["name"] for port in region["inputs"]} == {"x", "rest", "_tensor"}
    for n in (3, 2, 2**40, 2**62 - 1, -(2**61)):
        expected, *numbers = model(x, n)
        actual, *found = compiled(x, n)
        assert found == numbers
        assert np.array_equal(actual, expected.numpy())


class Plain(nn.Module):
    """Nothing to lower: no way runs tensor code twice."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        """Say what the answer is."""
        x = self.linear(x)
        print("large" if x.sum() > 0 else "small")
        return x


def test_without_regions_it_is_a_package_as_ever(tmp_path: Path) -> None:
    """Byte for byte; the report says why."""
    torch.manual_seed(0)
    model, x = Plain(), torch.ones(1, 2)
    mixed = dycl.compile(model, (x,), output=tmp_path / "a" / "plain", options=IFS)
    usual = dycl.compile(model, (x,), output=tmp_path / "b" / "plain")
    assert mixed.report is not None
    assert "no branch or loop could be lowered to ONNX: test_mixed_package.py:" in str(mixed.report)
    for path in usual.path.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.read_bytes() == (mixed.path / path.relative_to(usual.path)).read_bytes()


class Large(nn.Module):
    """A large layer before a printed line and in both arms behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(600, 600)

    def forward(self, x: Tensor) -> Tensor:
        """Apply it twice."""
        x = self.layer(x)
        print("between")
        x = self.layer(x).relu() if x.sum() > 0 else self.layer(x).tanh()
        if x.max() > 1:
            x = x / x.max()
        return x


def test_weights_are_stored_once(tmp_path: Path) -> None:
    """Those of sub-DNNs and of regions stand in one file."""
    output = tmp_path / "large"
    dycl.compile(Large(), (torch.ones(1, 600),), output=output, options=IFS)
    sizes = {path.name: path.stat().st_size for path in (output / "subdnns").iterdir()}
    assert 600 * 600 * 4 <= sizes.pop("weights.bin") < 600 * 600 * 4 + 20_000
    assert len(sizes) == 2
    assert max(sizes.values()) < 20_000


def test_a_region_that_does_something_else_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written around checked sub-DNNs is checked, too."""
    monkeypatch.setitem(expressions._COMPARISONS, ast.Gt, "Less")  # type: ignore[index]
    with pytest.raises(CompileError, match=r"DYCL41[23].*subdnn_5"):
        dycl.compile(build(), (torch.ones(1, 3), 2, 0.5), output=tmp_path / "halving", options=IFS)
    assert list(tmp_path.iterdir()) == []


MODEL = """
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() < -20:
            raise ValueError("too small")
        x = self.layer(x)
        for _ in range(3):
            x = self.layer(x).relu() if x.mean() > 0 else self.layer(x) - 1
        return x


def example_inputs():
    return (torch.ones(1, 4),)


def sample_inputs(count, seed):
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(1, 4, generator=generator),) for _ in range(count)]
"""


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Such a package is compiled, verified and run like any other."""
    file = tmp_path / "gate.py"
    file.write_text(MODEL)
    output = tmp_path / "gate_dycl"
    arguments = ["compile", str(file), "--host-mode", "ifs", "--output", str(output)]
    assert main(arguments) == 0
    assert "inside" in capsys.readouterr().out
    assert main(["verify", str(file), str(output), "--count", "20"]) == 0
    np.save(tmp_path / "x.npy", np.ones((1, 4), np.float32))
    assert main(["run", str(output), "--input", str(tmp_path / "x.npy")]) == 0
    assert main([*arguments, "--backend", "tvm"]) == 2
    assert main([*arguments, "--tune", "3"]) == 2
