"""``F.one_hot``, ``torch.arange`` and ``torch.unbind`` whose size no leaf can tell."""

import inspect
from collections.abc import Collection

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.integer_arguments import with_integers
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.calls.torch_calls import call_torch
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.tensor_rows import unknown_rows
from rewriter.prelude import counting, making_tensors
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value


@special(torch.nn.functional.one_hot)
def one_hot(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """A leaf where the number of classes is known."""
    positional, keywords = with_integers(frame, node, state, "one_hot", positional, keywords)
    classes = [*positional[1:], *keywords.values()]
    counted = bool(classes) and isinstance(classes[-1], Known) and classes[-1].value != -1
    if not counted and positional and isinstance(positional[0], TensorValue):
        function = Known(making_tensors.one_hot)
        return call_value(frame, node, state, function, positional, keywords)
    function = Known(torch.nn.functional.one_hot, "torch.nn.functional.one_hot")
    return call_torch(frame, node, state, function, positional, keywords)


@special(torch.arange)
def arange(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """A leaf but for steps of run time, and for floats where each element is an integer."""
    positional, keywords = with_integers(frame, node, state, "arange", positional, keywords)
    named = {key: value for key, value in keywords.items() if key not in _ASIDE}
    if _goes_by_steps(positional, named):
        return call_value(frame, node, state, Known(making_tensors.stepped), positional, named)
    ends = [Known(0), *positional] if len(positional) == 1 else positional
    if not keywords and len(ends) == 2 and _counts(*ends):
        return call_value(frame, node, state, Known(making_tensors.arange), ends, {})
    if _goes_by_floats(ends, named):
        return call_value(frame, node, state, Known(making_tensors.stepped_by_floats), ends, named)
    function = Known(torch.arange, "torch.arange")
    return call_torch(frame, node, state, function, positional, keywords)


@special(torch.unbind)
def unbind(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """A leaf where it is known how many rows there are, else what the method gives."""
    named = {key: value for key, value in keywords.items() if key in ("input", "dim")}
    ordered = [*positional, *(named[key] for key in ("input", "dim") if key in named)]
    rows = None
    if ordered and len(named) == len(keywords) and len(ordered) <= 2:
        rows = unknown_rows(frame, node, state, ordered[0], ordered[1:])
    if rows is not None:
        return rows
    function = Known(torch.unbind, "torch.unbind")
    return call_torch(frame, node, state, function, positional, keywords)


@special(torch.range)
def spanned(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Made of other operations where numbers alone are given, for two at least."""
    positional, keywords = with_integers(frame, node, state, "range", positional, keywords)
    named = {key: value for key, value in keywords.items() if key not in _ASIDE}
    given = [*positional, *named.values()]
    numbers = all(_kind_of(value) in (int, float) for value in given)
    if numbers and {*named} <= {"end", "step"} and torch.get_default_dtype() in _FLOATS:
        function = Known(making_tensors.spanned)
        return call_value(frame, node, state, function, positional, named)
    function = Known(torch.range, "torch.range")
    return call_torch(frame, node, state, function, positional, keywords)


def _kind_of(value: Value) -> type | None:
    return value.type if isinstance(value, ScalarValue) else type(getattr(value, "value", None))


_STEPPED = inspect.signature(making_tensors.stepped)
_EXACT = (None, torch.int32, torch.int64, torch.float32, torch.float64)
"""Element types for which arange computes the same as with integers."""


def _goes_by_steps(positional: list[Value], keywords: dict[str, Value]) -> bool:
    """Return whether a range of integers has a step of run time."""
    try:
        given = _STEPPED.bind(*positional, **keywords).arguments
    except TypeError:
        return False
    dtype = given.get("dtype", Known(None))
    integers = all(
        _is_count(end) or (isinstance(end, Known) and type(end.value) is int)
        for end in (given["start"], given["end"])
    )
    exact = isinstance(dtype, Known) and dtype.value in _EXACT
    return exact and integers and _is_count(given["step"])


_BY_FLOATS = inspect.signature(making_tensors.stepped_by_floats)


def _goes_by_floats(ends: list[Value], keywords: dict[str, Value]) -> bool:
    """Return whether a range of floats is known only at run time."""
    try:
        given = _BY_FLOATS.bind(*ends, **keywords).arguments
    except TypeError:
        return False
    dtype = given.pop("dtype", Known(None))
    made = dtype.value or torch.get_default_dtype() if isinstance(dtype, Known) else None
    kinds = [_kind_of(end) for end in given.values()]
    run_time = any(isinstance(end, ScalarValue) for end in given.values())
    return run_time and made in _FLOATS and float in kinds and {*kinds} <= {int, float}


_ASIDE = ("device", "layout", "requires_grad", "pin_memory")
"""Parameters that change no element."""
_FLOATS = (torch.float32, torch.float64)
_UNLIKE = ("hamming_window",)
"""What compilers have functions for that compute something else."""


def _counted(name: str, counts: tuple[str, ...], dtypes: Collection[torch.dtype]) -> None:
    """Let a function be a leaf unless it makes as many elements as a number of run time says."""
    library, own = getattr(torch, name), getattr(counting, name)
    signature = inspect.signature(own)

    @special(library)
    def rule(
        frame: Frame,
        node: cst.CSTNode,
        state: State,
        positional: list[Value],
        keywords: dict[str, Value],
    ) -> Outcomes:
        positional, keywords = with_integers(frame, node, state, name, positional, keywords)
        named = {key: value for key, value in keywords.items() if key not in _ASIDE}
        try:
            given = signature.bind(*positional, **named).arguments
        except TypeError:
            given = {}
        dtype = given.get("dtype", Known(None))
        made = dtype.value or torch.get_default_dtype() if isinstance(dtype, Known) else None
        counted = name in _UNLIKE or any(_is_count(given.get(count)) for count in counts)
        if made in dtypes and counted:
            return call_value(frame, node, state, Known(own), positional, named)
        return call_torch(frame, node, state, Known(library, f"torch.{name}"), positional, keywords)


for _name in ("hann_window", "hamming_window", "blackman_window", "bartlett_window"):
    _counted(_name, ("window_length",), _FLOATS)
_counted("linspace", ("steps",), (torch.float32,))
_counted("eye", ("n", "m"), _FLOATS)


def _is_count(value: Value | None) -> bool:
    return isinstance(value, ScalarValue) and value.type is int


def _counts(start: Value, end: Value) -> bool:
    """Return whether a range goes by ones from a known integer to a float of run time."""
    known = isinstance(start, Known) and type(start.value) is int
    return known and isinstance(end, ScalarValue) and end.type is float
