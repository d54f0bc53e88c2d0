"""The harness itself: it notices each kind of difference, refusal and crash."""

import collections
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import dycl
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.origin import Origin
from tests.language.arrays import to_numpy
from tests.language.calling import TookTooLong, time_limit
from tests.language.compare import difference
from tests.language.harness import Case
from tests.language.ways import complaint, complaint_about_host, judge_host

Pair = collections.namedtuple("Pair", ["a", "b"])


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ((1,), [1]),
        ([1], [1, 2]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (None, 0),
        ("1", 1),
        (Pair(1, 2), (1, 2)),
        (torch.ones(2), torch.ones(2).double()),
        (torch.ones(2), torch.ones(1, 2)),
        (torch.tensor(1.0), 1.0),
        ([{"a": (torch.ones(2),)}], [{"a": (torch.tensor([1.0, 1.0000001]),)}]),
        (np.int64(1), 1),
        ({1, 2}, frozenset({1, 2})),
    ],
)
def test_difference_is_found(expected: Any, actual: Any) -> None:
    """What eager PyTorch would tell apart is told apart."""
    assert difference(expected, actual, None) is not None
    assert difference(expected, expected, None) is None


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (torch.ones(2), np.ones(2, np.float32) + np.float32(1e-6)),
        (0.5, 0.500001),
        (torch.tensor(float("nan")), np.float32("nan")),
        (torch.ones(2, 3).shape, (2, 3)),
        ([torch.tensor([True])], [np.array([True])]),
    ],
)
def test_host_results_agree(expected: Any, actual: Any) -> None:
    """On the host numpy stands for torch, and floats have a tolerance."""
    assert difference(expected, actual, 1e-5) is None


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (torch.ones(2), np.ones(2, np.float32) + np.float32(1e-3)),
        (torch.ones(2), np.ones(2)),
        (torch.tensor(1), 1),
        (0.5, np.float64(0.5)),
        (torch.tensor(float("nan")), np.float32(0)),
    ],
)
def test_host_results_differ(expected: Any, actual: Any) -> None:
    """The tolerance is for floats' values only."""
    assert difference(expected, actual, 1e-5) is not None


def test_conversion_keeps_identity() -> None:
    """One tensor in two places becomes one array in two places."""
    tensor = torch.ones(2)
    first, (second, number) = to_numpy((tensor, [tensor, 3]), {})
    assert first is second
    assert isinstance(first, np.ndarray)
    assert number == 3


def _program(x: Any, log: list[int]) -> Any:
    """Change the list and look at the tensor."""
    log.append(1)
    if x.sum() > 0:
        raise ValueError("positive")
    print("negative")
    return x, 1


def _silent(x: Any, log: list[int]) -> Any:
    log.append(1)
    if x.sum() > 0:
        raise ValueError("positive")
    return x, 1


def _pure(x: Any, log: list[int]) -> Any:
    if x.sum() > 0:
        raise ValueError("positive")
    print("negative")
    return x, 1


def _other_text(x: Any, log: list[int]) -> Any:
    if x.sum() > 0:
        raise ValueError("other")
    return _program(x, log)


def _other_type(x: Any, log: list[int]) -> Any:
    return _program(x, log)[0], True


def _case(**changes: Any) -> Case:
    fields: dict[str, Any] = {
        "name": "topic.program",
        "rule": "",
        "declared": _program,
        "build": lambda: _program,
        "inputs": ((-torch.ones(2), [0]), (torch.ones(2), [0])),
        "method": "forward",
        "refused": False,
        "refused_on_host": False,
        "may_refuse": False,
        "messages": True,
        "host": True,
        "dynamic_shapes": None,
        "options": {},
    }
    return Case(**{**fields, **changes})


@pytest.mark.parametrize(
    ("compiled", "status"),
    [
        (_program, "agrees"),
        (_silent, "differs"),
        (_pure, "differs"),
        (_other_text, "differs"),
        (_other_type, "differs"),
        (lambda x, log: None, "differs"),
    ],
)
def test_status(
    compiled: Callable[..., Any], status: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Results, prints, exceptions and changed inputs all count."""
    monkeypatch.setitem(vars(dycl), "compile", lambda *_, **__: compiled)
    verdict = judge_host(_case(), tmp_path)
    assert verdict.status == status, verdict
    assert (complaint(_case(), verdict) is None) == (status == "agrees")


def test_refusals_and_crashes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A refusal is judged by what the case asks for; a crash is never fine."""
    origin = Origin(file="f.py", line=7, column=0, end_column=1, text="x", function="f")

    def refuse(*_: Any, **__: Any) -> Any:
        raise CompileError([Diagnostic(code="DYCL001", message="no", origin=origin)])

    monkeypatch.setitem(vars(dycl), "compile", refuse)
    refused = judge_host(_case(), tmp_path)
    assert refused.status == "refused"
    assert complaint(_case(), refused) is not None
    assert complaint_about_host(_case(refused_on_host="DYCL001"), refused) is None
    assert complaint_about_host(_case(refused="DYCL001"), refused) is not None
    assert complaint(_case(may_refuse=True), refused) is None
    assert complaint(_case(refused=True), refused) is None
    assert complaint(_case(refused="DYCL001"), refused) is None
    assert complaint(_case(refused="DYCL002"), refused) is not None

    def crash(*_: Any, **__: Any) -> Any:
        raise KeyError("bug")

    monkeypatch.setitem(vars(dycl), "compile", crash)
    crashed = judge_host(_case(), tmp_path)
    assert crashed.status == "crashed"
    assert complaint(_case(refused=True, may_refuse=True), crashed) is not None


def test_no_library_takes_the_time_limit_for_its_own_error() -> None:
    with pytest.raises(TookTooLong), time_limit(1):
        while True:
            with contextlib.suppress(Exception):
                sum(range(1000))
