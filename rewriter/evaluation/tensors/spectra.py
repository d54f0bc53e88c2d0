"""``torch.stft`` and ``torch.istft``: their kernels read memory by its layout, or ask about it."""

import inspect
from collections.abc import Callable, Mapping

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.calls.torch_calls import call_torch
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import spectra
from rewriter.state import State
from rewriter.values import Known, Value


def _spelled_out(library: Callable[..., object], own: Callable[..., object], given: str) -> None:
    """Let a function of torch be what the prelude has where that takes the arguments."""
    signature = inspect.signature(own)

    @special(library)
    def rule(
        frame: Frame,
        node: cst.CSTNode,
        state: State,
        positional: list[Value],
        keywords: dict[str, Value],
    ) -> Outcomes:
        try:
            arguments = signature.bind(*positional, **keywords).arguments
        except TypeError:
            arguments = {}
        if _is_plain(arguments, complex_input=library is torch.istft):
            return call_value(frame, node, state, Known(own), positional, keywords)
        return call_torch(frame, node, state, Known(library, given), positional, keywords)


def _is_plain(arguments: Mapping[str, Value], *, complex_input: bool) -> bool:
    """Return whether a signal is of numbers that are not complex, and settings are known."""
    if "input" not in arguments:
        return False
    signal, window = tensor_of(arguments["input"]), arguments.get("window", Known(None))
    shape = tensor_of(window)
    if signal is None or signal.dtype.is_complex is not complex_input:
        return False
    if shape is None and not (isinstance(window, Known) and window.value is None):
        return False
    if shape is not None and not shape.dtype.is_floating_point:
        return False
    flags = ("center", "pad_mode", "normalized", "onesided", "return_complex")
    settings = {name: arguments[name] for name in flags if name in arguments}
    if not all(isinstance(value, Known) for value in settings.values()):
        return False
    return not complex_input or _is_usual(settings)


def _is_usual(settings: Mapping[str, Value]) -> bool:
    """Return whether the inverse is that of half a spectrum, to numbers that are not complex."""
    wanted: dict[str, tuple[object, ...]] = {"onesided": (None, True), "return_complex": (False,)}
    return all(
        getattr(settings[name], "value", None) in values
        for name, values in wanted.items()
        if name in settings
    )


_spelled_out(torch.stft, spectra.stft, "torch.stft")
_spelled_out(torch.istft, spectra.istft, "torch.istft")
