"""A call that is tried leaves variables of files, classes and functions as they were."""

import sys
import types
from typing import Any

import pytest
import torch

from rewriter import rewrite
from rewriter.keeping.bindings import Bindings

_FACTORS: dict[str, float] = {}
_calls = 0


class Counted:
    """Counts in its class."""

    calls = 0


def counts(x: torch.Tensor) -> torch.Tensor:
    """Fill a table, and count the calls, which decides later."""
    global _calls
    if "factor" not in _FACTORS:
        _FACTORS["factor"] = 2.0
    _calls += 1
    return x * _FACTORS["factor"] if _calls < 4 else -x


def test_a_counter_beside_a_table_begins_where_it_stands() -> None:
    """The call that was tried, to see what fills the table, does not count."""
    _FACTORS.clear()
    program = rewrite(counts, (torch.ones(2),))
    assert program.state is not None
    assert program.state["_calls"] == _calls == 0
    assert not _FACTORS


def _around() -> Any:
    number = 0

    def bind() -> None:
        nonlocal number
        global _calls
        number += 1
        _calls += 1
        Counted.calls += 1
        Counted.added = number  # type: ignore[attr-defined]

    return bind, lambda: number


def test_what_is_bound_anew_is_found_and_undone() -> None:
    """Variables of files and functions, attributes of classes, those that were not there."""
    bind, number = _around()
    before = Bindings.taken([bind])
    assert not before.restored()
    bind()
    assert before.restored()
    assert (number(), _calls, Counted.calls, hasattr(Counted, "added")) == (0, 0, 0, False)
    assert not before.restored()


class _Restless(types.ModuleType):
    """A module that binds a name anew whenever it is looked at."""

    @property
    def __dict__(self) -> dict[str, object]:  # type: ignore[override]
        return {"told": object()}


def test_what_changes_by_itself_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that make their content when asked, and what other threads of the process count."""
    monkeypatch.setitem(sys.modules, "restless", _Restless("restless"))
    bind, _ = _around()
    before = Bindings.taken([bind])
    assert not before.restored()
    bind()
    assert before.restored()
    assert not before.restored()
