"""The frequencies of a discrete Fourier transform: constants, where it is known how many."""

from collections.abc import Callable

import torch
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, op


def fftfreq(n: int, d: float = 1.0, dtype: int = -1, **aside: object) -> Value:
    """Translate ``fft_fftfreq``."""
    return _frequencies(torch.fft.fftfreq, n, d, dtype)


def rfftfreq(n: int, d: float = 1.0, dtype: int = -1, **aside: object) -> Value:
    """Translate ``fft_rfftfreq``."""
    return _frequencies(torch.fft.rfftfreq, n, d, dtype)


def _frequencies(make: Callable[..., torch.Tensor], n: int, d: float, dtype: int) -> Value:
    if not isinstance(n, int):
        raise NotImplementedError("frequencies whose number is known only at run time")
    kind = ir.DataType.FLOAT if dtype in (None, -1) else ir.DataType(dtype)
    wide = torch.float64 if kind == ir.DataType.DOUBLE else torch.float32
    return op.Cast(op.Constant(value=ir.tensor(make(n, d, dtype=wide).numpy())), to=kind)
