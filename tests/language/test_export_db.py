"""torch.export's own example programs: each agrees with eager or is refused by name."""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._export.db.case import ExportCase, SupportLevel
from torch._export.db.examples import all_examples

import dycl
from rewriter.diagnostics import CompileError
from tests.language.arrays import to_numpy
from tests.language.compare import difference
from tests.language.ways import HOST_TOLERANCE

EXAMPLES: dict[str, ExportCase] = all_examples()  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def table() -> Iterator[dict[str, str]]:
    """Collect what became of each program, and print it at the end."""
    rows: dict[str, str] = {}
    yield rows
    width = max(map(len, rows), default=0)
    print()
    for name, row in sorted(rows.items()):
        print(f"{name:{width}}  {row}")
    taken = sum(row == "agrees" for row in rows.values())
    print(f"{taken} of {len(rows)} agree, the rest is refused")


def test_all_programs_are_there() -> None:
    """The installed torch ships 36 programs; a new number means this file should be read again."""
    assert len(EXAMPLES) == 36
    unsupported = [n for n, e in EXAMPLES.items() if e.support_level != SupportLevel.SUPPORTED]
    assert unsupported == ["dynamic_shape_round"]


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_agrees_or_is_refused(name: str, table: dict[str, str], tmp_path: Path) -> None:
    """The host returns what eager returns, or the compile is refused with a diagnostic."""
    example = EXAMPLES[name]
    target, arguments = _entry(example)
    try:
        compiled = dycl.compile(
            target,
            copy.deepcopy(arguments),
            output=str(tmp_path / name),
            dynamic_shapes=example.dynamic_shapes,
        )
    except CompileError as error:
        assert error.diagnostics, "a refusal says why"
        table[name] = f"refused: {error.diagnostics[0].render().splitlines()[0]}"
        return
    for given in _variants(arguments):
        assert _disagreement(target, compiled, given) is None
    table[name] = "agrees"


def _entry(example: ExportCase) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return what to compile, taking positional arguments only, and the arguments."""
    model = copy.deepcopy(example.model).eval()
    if not example.example_kwargs:
        return model, example.example_args
    assert example.model.__class__.__name__ == "FnWithKwargs"

    def with_keywords(
        pos0: Any, tuple0: Any, first: Any, second: Any, mykw0: Any, input0: Any, input1: Any
    ) -> Any:
        return model(pos0, tuple0, first, second, mykw0=mykw0, input0=input0, input1=input1)

    return with_keywords, (*example.example_args, *example.example_kwargs.values())


def _opposite(tensor: torch.Tensor) -> torch.Tensor:
    return ~tensor if tensor.dtype is torch.bool else -tensor


def _larger(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.dtype is torch.bool else tensor * 3 + 1


def _variants(arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the example and others like it, so that other branches are taken as well."""
    yield arguments
    for change in (_opposite, torch.zeros_like, _larger):
        yield torch.utils._pytree.tree_map_only(torch.Tensor, change, arguments)


def _disagreement(target: Any, compiled: Any, given: tuple[Any, ...]) -> str | None:
    ours, theirs = to_numpy(copy.deepcopy(given), {}), copy.deepcopy(given)
    expected, raised = _outcome(target, theirs)
    actual, host_raised = _outcome(compiled, ours)
    if raised is not None or host_raised is not None:
        both = raised is not None and host_raised is not None
        return None if both else f"eager raised {raised!r}, the host {host_raised!r}"
    return difference(expected, actual, HOST_TOLERANCE) or difference(
        theirs, ours, HOST_TOLERANCE, "inputs after the call"
    )


def _outcome(function: Any, given: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    with torch.no_grad():
        try:
            return function(*given), None
        except Exception as error:
            return None, error
