"""``with numpy.errstate(...)``: what numpy is to say, or not, within a block."""

import inspect
import types
from collections.abc import Callable, Iterable
from typing import TypeVar

import libcst as cst
import numpy
from numpy._core import _ufunc_config

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.control.entered_once import held, made
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.state import State
from rewriter.values import Known, Value

_KINDS = ("divide", "over", "under", "invalid")
_Way = TypeVar("_Way")
_SETTINGS = "settings"


@special(numpy.errstate)
def errstate_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``numpy.errstate(divide="ignore")``: warnings are given or not; errors are refused."""
    if positional:
        frame.refuse("DYCL064", node, "numpy.errstate() takes names")
    known = {name: known_object(state, value) for name, value in keywords.items()}
    given = {name: each.value for name, each in known.items() if each is not None}
    every = given.pop("all", None)
    settings = {kind: given.pop(kind, None) or every for kind in _KINDS}
    settings = {kind: way for kind, way in settings.items() if way is not None}
    usual = all(way in ("ignore", "warn") for way in settings.values())
    if given or len(known) != len(keywords) or None in known.values() or not usual:
        frame.refuse("DYCL064", node, "numpy.errstate() of more than what to warn of")
    yield state, made(frame, state, numpy.errstate, _SETTINGS, settings)


def settings_of(state: State, manager: Value) -> dict[str, str] | None:
    """Return what a manager has numpy say, None for other managers."""
    settings = held(state, manager, numpy.errstate, _SETTINGS)
    return settings if isinstance(settings, dict) else None


def under_settings_around(
    run: Run, function: types.FunctionType, called: Callable[[], Iterable[_Way]]
) -> Iterable[_Way]:
    """Evaluate the call of a function: under what ``@numpy.errstate`` says, where it is around."""
    if function.__code__ not in _AROUND:
        return called()
    names = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    manager = {name: cell.cell_contents for name, cell in names}["self"]
    ways = {kind: getattr(manager, f"_{kind}") or manager._all for kind in _KINDS}
    before = len(run.numpy_errors)
    run.numpy_errors.append({kind: way for kind, way in ways.items() if way is not None})
    try:
        return list(called())
    finally:
        del run.numpy_errors[before:]


_AROUND = [each for each in numpy.errstate.__call__.__code__.co_consts if inspect.iscode(each)]
"""What numpy has such functions called by."""


def _decorating(setter: Callable[..., object]) -> None:
    """Have the settings that numpy makes within functions under ``@numpy.errstate`` looked at."""

    @special(setter)
    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        for value in [*positional, *keywords.values()]:
            known = known_object(state, value)
            if known is None or known.value in ("raise", "call", "print", "log"):
                frame.refuse("DYCL064", node, "numpy.errstate() of more than what to warn of")
        yield state, Known(None)


_decorating(vars(_ufunc_config)["_make_extobj"])
