"""Functions of torch that no leaf can be for sizes known only at run time: as the prelude has them.

They are tried as leaves first: what they ask about sizes can often be told.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.control.autocasting import casting
from rewriter.evaluation.marks import Mark
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.strided_views import strided_view
from rewriter.prelude import counting, parting, resizing, shaping, windows
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import Known, ScalarValue, Value

_METHODS: dict[str, Callable[..., object]] = {
    "split": parting.split_evenly,
    "chunk": parting.chunk,
    "tensor_split": parting.tensor_split,
    "unfold": shaping.unfold,
    "unflatten": shaping.unflatten,
    "repeat_interleave": shaping.repeat_interleave,
    **{
        name: getattr(shaping, name)
        for name in ("diff", "take_along_dim", "kron", "cov", "corrcoef")
    },
}
_FUNCTIONS: dict[int, Callable[..., object]] = {
    **{id(getattr(torch, name)): own for name, own in _METHODS.items() if name != "unfold"},
    **{
        id(getattr(torch, name)): getattr(counting, name)
        for name in ("logspace", "tril_indices", "triu_indices", "vander")
    },
    id(torch.rot90): resizing.rot90,
    **{
        id(getattr(torch.nn.functional, name)): getattr(where, name)
        for where, names in (
            (shaping, ("pad",)),
            (resizing, ("interpolate", "pixel_shuffle", "pixel_unshuffle")),
            (windows, ("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d",
                       "adaptive_max_pool2d", "avg_pool1d", "avg_pool2d", "max_pool1d",
                       "max_pool2d", "unfold")),
        )
        for name in names
    },
}  # fmt: skip
_ASIDE = ("device", "layout", "requires_grad", "pin_memory")
"""Parameters that change no element."""
_ONLY: dict[str, tuple[object, ...]] = {
    "mode": ("constant", "reflect", "replicate", "circular", "nearest", "linear", "bilinear",
             "trilinear"),
    **dict.fromkeys(("antialias", "return_indices"), (False,)),
    "ceil_mode": (False, True),
    "divisor_override": (None,),
    "dtype": (None, torch.int32, torch.int64),
}  # fmt: skip
"""What settings may be for which the prelude has the code."""
_AT_ONCE = (parting.tensor_split, shaping.unflatten, shaping.repeat_interleave)
"""What a leaf can be here, and no sub-DNN."""
_POOLING = (
    windows.adaptive_avg_pool1d,
    windows.adaptive_avg_pool2d,
    windows.adaptive_max_pool1d,
    windows.adaptive_max_pool2d,
)
_STEPPING = (windows.avg_pool1d, windows.avg_pool2d, windows.max_pool1d, windows.max_pool2d)
_STRIDED_OPERATORS = (torch.ops.aten.as_strided, torch.ops.aten.as_strided.default)
_STRIDED = ("as_strided", torch.as_strided, *_STRIDED_OPERATORS)
_ALIASES = (torch.ops.aten._reshape_alias, torch.ops.aten._reshape_alias.default)
"""What lies by the strides it is given in PyTorch, and like a view on fake tensors."""
_INTEGERS = ("sections", "split_size")
_OF_IMAGES = (resizing.__name__, windows.__name__)
_SIZES = ("DYCL075", "DYCL030")
"""Codes of refusals that are about sizes and numbers of run time."""
_CONTENT = "DYCL031"
_TELLING = (shaping.cov, shaping.corrcoef)
"""What reads its content in PyTorch, and not in the prelude, or in tests."""


def or_spelled_out(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: object,
    given: list[Value],
    keywords: dict[str, Value],
    leaf: Callable[[State], Outcomes],
) -> Outcomes:
    """Yield the outcomes of a leaf, or those of the code that stands for it where it is refused.

    ``function`` is a function of torch, or the name of a method.
    """
    if function in _ALIASES:
        frame.refuse("DYCL404", node, "this lays a tensor out in memory by strides of its own")
    misnamed = "input" in keywords and function in _STRIDED_OPERATORS  # there it is ``self``
    if function in _STRIDED and not misnamed:
        viewed = strided_view(frame, node, state, given, keywords)
        yield from leaf(state) if viewed is None else viewed
        return
    own = _METHODS.get(function) if isinstance(function, str) else _FUNCTIONS.get(id(function))
    named = {key: value for key, value in keywords.items() if key not in _ASIDE}
    if own is None or not _is_spelled(own, given, named) or casting(frame.run) is not None:
        yield from leaf(state)
        return
    if _is_at_once(state, own, given, named):
        yield from call_value(frame, node, state, Known(own), given, named)
        return
    saved, mark = state.fork(state.block), Mark(frame.run, state)
    try:
        outcomes = list(leaf(state))
    except Refused as refusal:
        code = refusal.diagnostic.code
        if code not in _SIZES and not (code == _CONTENT and own in _TELLING):
            raise
        mark.restore()
        outcomes = list(call_value(frame, node, saved, Known(own), given, named))
        if own is shaping.unfold:
            _relate(frame, given[0], outcomes)
    yield from outcomes


def _is_at_once(
    state: State,
    own: Callable[..., object],
    given: Sequence[Value],
    keywords: Mapping[str, Value],
) -> bool:
    """Return whether no leaf is tried: its result could be in no sub-DNN, or would differ there."""
    if own is resizing.pixel_unshuffle:
        return any(map(_may_be_empty, given[:1] or [keywords["input"]]))
    if not _is_open(state, [*given, *keywords.values()]):
        return False
    if own is shaping.pad or own in _POOLING:
        sizes = inspect.signature(own).bind(*given, **keywords).arguments
        named = [value for name, value in sizes.items() if name != "input"]
        constant = sizes.get("mode", Known("constant"))
        repeats = isinstance(constant, Known) and constant.value != "constant"
        return (own in _POOLING or repeats) and _is_open(state, named)
    if own in _STEPPING:
        arguments = inspect.signature(own).bind(*given, **keywords).arguments
        return _is_rounded_up(arguments, 2 if own.__name__.endswith("2d") else 1)
    if own is resizing.interpolate:
        return _is_resized_unevenly(
            state, inspect.signature(own).bind(*given, **keywords).arguments
        )
    return own in _AT_ONCE


def _may_be_empty(value: Value) -> bool:
    """Return whether it may have no elements: fake tensors have another shape then."""
    tensor = tensor_of(value)
    return tensor is not None and not all(isinstance(n, int) and n for n in tensor.shape)


def _is_rounded_up(arguments: Mapping[str, Value], rank: int) -> bool:
    """Return whether windows of an image of open sizes may go beyond it: where, sizes decide."""
    image = tensor_of(arguments["input"])
    mode = arguments.get("ceil_mode", Known(False))
    is_open = image is not None and not all(isinstance(n, int) for n in image.shape[-rank:])
    return isinstance(mode, Known) and bool(mode.value) and is_open


def _is_resized_unevenly(state: State, arguments: Mapping[str, Value]) -> bool:
    """Return whether an image is resized by what is no known whole number."""
    factor = arguments.get("scale_factor", Known(None))
    if isinstance(factor, Known) and factor.value is None:
        corners = arguments.get("align_corners", Known(None))
        return isinstance(corners, Known) and bool(corners.value)
    factors = sequence_items(state, factor) or (factor,)
    return not all(isinstance(f, Known) and float(f.value).is_integer() for f in factors)


def _is_spelled(
    own: Callable[..., object], given: Sequence[Value], keywords: Mapping[str, Value]
) -> bool:
    """Return whether the prelude has the code for a call: for its kinds of arguments."""
    try:
        arguments: dict[str, Value] = inspect.signature(own).bind(*given, **keywords).arguments
    except TypeError:
        return False
    tensors = [tensor_of(value) for value in arguments.values()]
    if own is shaping.repeat_interleave and not _is_counted(arguments):
        return False
    integers = [arguments[name] for name in _INTEGERS if name in arguments]
    settings: list[tuple[str, Any]] = [(n, arguments[n]) for n in _ONLY if n in arguments]
    return (
        not any(tensor is not None and tensor.is_complex() for tensor in tensors)
        and (own.__module__ not in _OF_IMAGES or _is_image(tensors))
        and all(map(_is_integer, integers))
        and all(isinstance(v, Known) and v.value in _ONLY[name] for name, v in settings)
    )


def _is_image(tensors: Sequence[torch.Tensor | None]) -> bool:
    kinds = (torch.float32, torch.float64)
    return all(tensor is None or tensor.dtype in kinds for tensor in tensors)


def _is_counted(arguments: Mapping[str, Value]) -> bool:
    """Return whether elements are repeated by a number of run time, or their sum is given."""
    total = arguments.get("output_size", Known(None))
    left_open = isinstance(total, Known) and total.value is None
    return isinstance(arguments["repeats"], ScalarValue) or not left_open


def _is_integer(value: Value) -> bool:
    kind = value.type if isinstance(value, ScalarValue) else None
    return kind is int or (isinstance(value, Known) and type(value.value) is int)


def _is_open(state: State, values: Sequence[Value]) -> bool:
    """Return whether sizes or numbers of run time are among values and what tuples hold."""
    tensors = [tensor for value in values if (tensor := tensor_of(value)) is not None]
    parts = [part for value in values for part in sequence_items(state, value) or (value,)]
    return any(isinstance(part, ScalarValue) for part in parts) or not all(map(is_fixed, tensors))


def _relate(frame: Frame, operand: Value, outcomes: list[tuple[State, Value]]) -> None:
    """Record that results are views in eager, and copies here: neither is written."""
    source = tensor_of(operand)
    for _, result in outcomes:
        made = tensor_of(result)
        if source is not None and made is not None:
            frame.run.storages.relate(made, source)


@special(shaping.is_number)
def is_number(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Tell whether a number is known, and the one that is wanted."""
    del frame, node, keywords
    number, wanted = positional
    assert isinstance(wanted, Known)
    yield state, Known(isinstance(number, Known) and number.value == wanted.value)
