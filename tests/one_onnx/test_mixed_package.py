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


def test_a_region_that_does_something_else_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written around checked sub-DNNs is checked, too."""
    monkeypatch.setitem(expressions._COMPARISONS, ast.Gt, "Less")
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
