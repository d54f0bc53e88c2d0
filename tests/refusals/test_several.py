"""All independent errors of a program are reported together, each with its inlining stack."""

from pathlib import Path

from tests.refusals.harness import X, refusal
from tests.refusals.programs.several import outer


def test_three_errors_in_one_function(tmp_path: Path) -> None:
    """Three errors give three diagnostics; what only depends on one of them gives none."""
    error = refusal(outer, (X,), tmp_path, {})
    assert [diagnostic.code for diagnostic in error.diagnostics] == [
        "DYCL054",
        "DYCL031",
        "DYCL053",
    ]


def test_each_shows_the_calls_that_lead_to_it(tmp_path: Path) -> None:
    """The inlining stack is two deep, innermost call first, and is shown."""
    for diagnostic in refusal(outer, (X,), tmp_path, {}).diagnostics:
        assert diagnostic.origin is not None
        assert diagnostic.origin.function == "innermost"
        sites = [site.text.strip() for site in diagnostic.origin.inlined_at]
        assert sites == [
            "return innermost(x * 2) if is_tensor(x) else None",
            "return inner(x)",
        ]
        shown = [line for line in diagnostic.render().splitlines() if "inlined at" in line]
        assert [text in line for text, line in zip(sites, shown, strict=True)] == [True, True]


def test_nothing_is_written(tmp_path: Path) -> None:
    """A refused program leaves no package behind."""
    refusal(outer, (X,), tmp_path, {})
    assert list(tmp_path.iterdir()) == []
