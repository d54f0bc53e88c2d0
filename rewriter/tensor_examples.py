"""Which tensors may be inputs: dense ones, whose operations are those of PyTorch."""

import torch

from rewriter.diagnostics import CompileError, Diagnostic


def refuse_other_tensors(place: str, example: torch.Tensor) -> None:
    """Refuse an example for whose elements no plain array can stand."""
    kind = type(example)
    if example.layout is not torch.strided or example.is_quantized:
        reason = f"only dense tensors can be inputs, not {example.layout}"
        _refuse(f"argument {place!r}: {reason}")
    if _has_own_operations(kind):
        reason = f"a tensor of class {kind.__name__} may compute otherwise than the host's arrays"
        _refuse(f"argument {place!r}: {reason}", "pass `.as_subclass(torch.Tensor)`")


def _refuse(message: str, advice: str = "") -> None:
    raise CompileError([Diagnostic(code="DYCL071", message=message, origin=None, help=advice)])


def _has_own_operations(kind: type[torch.Tensor]) -> bool:
    """Return whether a class says itself what operations on its tensors do."""
    function = _function_of(kind)
    is_plain = any(function is _function_of(each) for each in (torch.Tensor, torch.nn.Parameter))
    dispatch: object = torch.Tensor.__torch_dispatch__
    return not is_plain or kind.__torch_dispatch__ is not dispatch


def _function_of(kind: type[torch.Tensor]) -> object:
    function: object = kind.__torch_function__
    return getattr(function, "__func__", function)
