"""Sub-DNNs that only sizes keep apart, which are one artifact all the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import dycl
from dycl.backends.onnx_graphs import skeletons
from dycl.backends.onnx_graphs.exporting import export_group

ROWS = 6


class Kept(nn.Module):
    """Scores the rows of a table by a vector, and goes on with those above zero."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.score = nn.Linear(4, ROWS)
        self.table = nn.Parameter(torch.randn(ROWS, 4))
        self.out = nn.Linear(ROWS, 3)

    def places(self, x: Tensor) -> Tensor:
        """Return the rows that count, at least one."""
        (places,) = torch.nonzero(self.score(x) > 0, as_tuple=True)
        if len(places) == 0:
            raise ValueError("nothing counts")
        return places

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the rows give, and which they are."""
        places = self.places(x)
        kept = F.linear(x, self.table[places])
        return F.linear(torch.tanh(kept), self.out.weight[:, places], self.out.bias), places

    def or_the_largest(self, x: Tensor) -> Tensor:
        """Decide by what was computed."""
        y, _ = self.forward(x)
        return y if y[0] > 0 else y.max()

    def twice(self, x: Tensor) -> Tensor:
        """Choose again, by what was chosen."""
        y, _ = self.forward(x)
        return self.forward(torch.cat([y, y[:1]]) - 0.3)[0]

    def in_a_loop(self, x: Tensor, n: int) -> Tensor:
        """Choose n times."""
        for _ in range(n):
            y, _ = self.forward(x)
            x = torch.cat([y, y[:1]])
        return x

    def counted(self, x: Tensor) -> Tensor:
        """Say in the exception how many there were."""
        (places,) = torch.nonzero(self.score(x) > 0, as_tuple=True)
        if len(places) == 0:
            raise ValueError(f"{len(places)} of {ROWS}")
        return F.linear(x, self.table[places])

    def two_at_least(self, x: Tensor) -> Tensor:
        """Want another size than one."""
        (places,) = torch.nonzero(self.score(x) > 0, as_tuple=True)
        if len(places) < 2:
            raise ValueError("too few")
        return F.linear(x, self.table[places])

    def one_more(self, x: Tensor) -> Tensor:
        """Test a size that is not the number of rows that count."""
        (places,) = torch.nonzero(self.score(x) > 0, as_tuple=True)
        rest = places[1:]
        if len(rest) == 0:
            raise ValueError("one at most")
        return F.linear(x, self.table[rest])

    def looked_up(self, x: Tensor, word: Tensor) -> Tensor:
        """Look up what may not be there, where the test has passed."""
        places = self.places(x)
        return F.linear(x + self.table[word], self.table[places])

    def looked_up_before(self, x: Tensor, word: Tensor) -> Tensor:
        """Look up what may not be there before the test."""
        x = x + self.table[word]
        return F.linear(x, self.table[self.places(x)])

    def looked_up_by_what_counts(self, x: Tensor, word: Tensor) -> Tensor:
        """Look up, before the test, what is not there if a row counts, and nothing if none does."""
        (places,) = torch.nonzero(self.score(x) > 0, as_tuple=True)
        found = self.table[places + word].sum(0)
        if len(places) == 0:
            raise ValueError("nothing counts")
        return F.linear(x + found, self.table[places])

    def told(self, x: Tensor) -> Tensor:
        """Print between."""
        places = self.places(x)
        print(len(places))
        return F.linear(x, self.table[places])

    def in_rows(self, x: Tensor) -> Tensor:
        """Choose in a table of two dimensions."""
        scores = torch.outer(self.score(x), x)
        rows, columns = torch.nonzero(scores > 0.1, as_tuple=True)
        if rows.shape[0] == 0:
            raise ValueError("nothing counts")
        return F.linear(self.table[rows], self.table[:, :4]) * x[columns].unsqueeze(1)


def vectors() -> list[Tensor]:
    """Vectors of which some make nothing count."""
    generator = torch.Generator().manual_seed(5)
    score = Kept().requires_grad_(False).score
    bad = torch.linalg.lstsq(score.weight, torch.full((ROWS, 1), -9.0)).solution.flatten()
    drawn = [torch.randn(4, generator=generator) * 2 for _ in range(8)]
    return [*drawn, bad, bad * 4, torch.full((4,), torch.nan)]


def compiled(method: str, example: Any, output: Path, **options: Any) -> dycl.CompiledModel:
    """Compile an entry point of the model."""
    chosen = dycl.CompileOptions(cache_directory=output.parent / "cache", **options)
    return dycl.compile(Kept(), example, method=method, output=output, options=chosen)


def calls(output: Path) -> int:
    """Return how many calls of sub-DNNs a package has in its text."""
    text = (output / "__init__.py").read_text()
    return sum(" = subdnn_" in line or "return subdnn_" in line for line in text.splitlines())


def outcome(function: Any, *arguments: Any) -> Any:
    """Return the result of a call, or its exception as text."""
    try:
        with torch.no_grad():
            return function(*arguments)
    except (ValueError, IndexError, RuntimeError) as error:
        return type(error).__name__


def agree(expected: Any, found: Any) -> bool:
    """Return whether a package has done what the model does."""
    if isinstance(expected, str) or isinstance(found, str):
        return bool(type(expected) is type(found) and expected == found)
    if isinstance(expected, tuple):
        return all(map(agree, expected, found))
    return expected.shape == found.shape and np.allclose(
        expected.numpy(), found, rtol=1e-4, atol=1e-5, equal_nan=True
    )


@pytest.mark.parametrize(
    ("method", "count"), [("forward", 1), ("twice", 1), ("in_rows", 2), ("told", 2), ("counted", 2)]
)
def test_linked_sub_dnns_do_what_the_model_does(method: str, count: int, tmp_path: Path) -> None:
    output = tmp_path / "kept_dycl"
    host = compiled(method, (torch.ones(4),), output)
    assert calls(output) == count
    outcomes = [outcome(getattr(Kept(), method), x) for x in vectors()]
    assert "ValueError" in outcomes and any(not isinstance(each, str) for each in outcomes)
    for x, expected in zip(vectors(), outcomes, strict=True):
        assert agree(expected, outcome(host, x.numpy())), x


@pytest.mark.parametrize("method", ["two_at_least", "one_more"])
def test_other_tests_are_made_before_what_they_guard(method: str, tmp_path: Path) -> None:
    output = tmp_path / "kept_dycl"
    host = compiled(method, (torch.ones(4),), output)
    assert calls(output) == 2
    for x in vectors():
        assert agree(outcome(getattr(Kept(), method), x), outcome(host, x.numpy())), x


@pytest.mark.parametrize(
    ("method", "count"),
    [("looked_up", 2), ("looked_up_before", 1), ("looked_up_by_what_counts", 2)],
)
def test_what_may_raise_is_not_computed_before_its_test(
    method: str, count: int, tmp_path: Path
) -> None:
    """Where nothing counts, a place out of range behind the test is never looked up."""
    output = tmp_path / "kept_dycl"
    host = compiled(method, (torch.ones(4), torch.tensor(2)), output)
    assert calls(output) == count
    found = set()
    for x in vectors():
        for word in (torch.tensor(2), torch.tensor(ROWS)):
            expected = outcome(getattr(Kept(), method), x, word)
            assert agree(expected, outcome(host, x.numpy(), word.numpy())), (x, word)
            found.add(expected if isinstance(expected, str) else "a result")
    assert found == {"a result", "ValueError", "IndexError"}


def test_links_in_loops(tmp_path: Path) -> None:
    output = tmp_path / "kept_dycl"
    host = compiled("in_a_loop", (torch.ones(4), 3), output)
    assert calls(output) == 1
    for x in vectors():
        for n in (0, 1, 5):
            assert agree(outcome(Kept().in_a_loop, x, n), outcome(host, x.numpy(), n)), (x, n)


def test_linking_can_be_left_out(tmp_path: Path) -> None:
    output = tmp_path / "kept_dycl"
    host = compiled(
        "forward", (torch.ones(4),), output, disabled_passes=frozenset({"link-subdnns"})
    )
    assert calls(output) == 2
    for x in vectors():
        assert agree(outcome(Kept(), x), outcome(host, x.numpy()))


def test_what_cannot_be_exported_is_refused(tmp_path: Path) -> None:
    """Linking is tried before anybody asks whether ONNX has the operator."""

    def commonest(x: Tensor) -> Tensor:
        return x[x > 0].mode()[0]

    with pytest.raises(dycl.CompileError, match="DYCL411"):
        dycl.compile(commonest, (torch.ones(4),), output=tmp_path / "commonest_dycl")


def test_sub_dnns_are_exported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a cache that outlives the compilation, too."""
    exported: list[str] = []

    def counting(subdnns: Any, **options: Any) -> Any:
        exported.extend(each.structure for each in subdnns)
        return export_group(subdnns, **options)

    monkeypatch.setattr(skeletons, "export_group", counting)
    output = tmp_path / "kept_dycl"
    dycl.compile(Kept(), (torch.ones(4),), output=output, options=dycl.CompileOptions(cache=False))
    assert calls(output) == 1
    assert len(exported) == len(set(exported)) == 2


def test_the_report_names_what_was_linked(tmp_path: Path) -> None:
    host = compiled("forward", (torch.ones(4),), tmp_path / "kept_dycl")
    assert host.report is not None
    assert any("2 sub-DNNs inside" in note for note in host.report.notes)


def test_what_is_verified_of_linked_sub_dnns(tmp_path: Path) -> None:
    """Their tests have no margins, as no exit is close to another; those of others have theirs."""
    model = Kept()
    host = dycl.compile(
        model, (torch.ones(4),), method="or_the_largest", output=tmp_path / "kept_dycl"
    )
    for compiled in (host, dycl.load(tmp_path / "kept_dycl")):
        report = dycl.verify(model, compiled, vectors()[:6], method="or_the_largest")
        assert report.host.inconsistent == 0
        assert report.margins_inside
        first, second = report.coverage.branches
        assert first.smallest_margin is None
        assert second.smallest_margin is not None and second.smallest_margin > 0
