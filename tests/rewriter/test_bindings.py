"""A call that is tried leaves variables of files, classes and functions as they were."""

import cProfile
import functools
import gc
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from rewriter import rewrite
from rewriter.keeping.bindings import Bindings
from rewriter.keeping.names_run import NamesRun

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


def _run(*functions: Callable[[], None]) -> NamesRun:
    with (ran := NamesRun()):
        for each in functions:
            each()
    return ran


def test_what_is_bound_anew_is_found_and_undone() -> None:
    """Variables of files and functions, attributes of classes, those that were not there."""
    bind, number = _around()
    before = Bindings.taken([bind])
    assert not before.restored(_run())
    assert before.restored(_run(bind))
    assert (number(), _calls, Counted.calls, hasattr(Counted, "added")) == (0, 0, 0, False)
    assert not before.restored(_run())


def _binds_by_text() -> None:
    setattr(Counted, "".join(["add", "ed"]), 1)


def _binds_in_inner_code() -> None:
    def inner() -> None:
        Counted.calls = 7

    list(map(lambda _: inner(), [0]))


def _binds_and_fails() -> None:
    Counted.calls = 8
    raise ValueError


_bump = functools.partial(setattr, Counted, "calls", 5)


def _binds_by_what_was_made_before() -> None:
    _bump()


@pytest.mark.parametrize(
    "bind", [_binds_by_text, _binds_in_inner_code, _binds_by_what_was_made_before]
)
def test_what_computed_names_and_inner_functions_bind_is_undone(bind: Callable[[], None]) -> None:
    """Also where nothing that was entered has the name itself."""
    before = Bindings.taken([])
    assert before.restored(_run(bind))
    assert (Counted.calls, hasattr(Counted, "added")) == (0, False)


def test_what_a_call_has_bound_before_it_fails_is_undone() -> None:
    """The profiler that was there is put back as well."""
    before, profiler, ran = Bindings.taken([]), sys.getprofile(), NamesRun()
    with pytest.raises(ValueError), ran:
        _binds_and_fails()
    assert sys.getprofile() is profiler
    assert before.restored(ran)
    assert Counted.calls == 0


def test_what_others_bind_is_left_alone() -> None:
    """Modules that make their content when asked, and what other threads of the process count."""
    before = Bindings.taken([])
    Counted.calls = 3  # not by what runs in the call
    assert not before.restored(_run())
    assert Counted.calls == 3
    Counted.calls = 0


def test_where_a_profiler_is_at_work_any_name_may_be_bound() -> None:
    """It is not replaced, so nothing is known of what the call runs."""
    bind, _ = _around()
    before, ran = Bindings.taken([bind]), NamesRun()
    with cProfile.Profile():
        profiler = sys.getprofile()
        with ran:
            bind()
        assert sys.getprofile() is profiler
    assert ran.names() is None
    assert before.restored(ran)


_collections = 0


def _note_collection(phase: str, _: object) -> None:
    global _collections
    _collections += phase == "stop"


def _doubles(x: torch.Tensor) -> torch.Tensor:
    return x * _FACTORS.setdefault("double", 2.0)


def test_what_is_told_of_collections_binds_nothing_while_a_call_is_tried() -> None:
    """As hypothesis does, which measures how long they take."""
    _FACTORS.clear()
    before = gc.get_threshold()
    gc.callbacks.append(_note_collection)
    gc.set_threshold(1)
    try:
        program = rewrite(_doubles, (torch.ones(2),))
    finally:
        gc.callbacks.remove(_note_collection)
        gc.set_threshold(*before)
    assert _collections > 0
    assert not program.state
    assert gc.isenabled()
