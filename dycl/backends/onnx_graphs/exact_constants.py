"""Numbers of the program stay what they are in exported graphs.

Floats of Python keep their precision where they become double precision.

The exporter writes a float as a single-precision constant wherever the operator that takes it
leaves the type open, as Cast and CastLike do: ``x * 0.1`` in double precision would multiply
by 0.10000000149. And it writes equal numbers once: -0.0 and 0.0 are equal.

Small numbers stay: the exporter's optimizer takes ``x + 1e-9`` for ``x``, and ``x * 1.000001``
too, as it compares numbers with a tolerance.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
from onnxscript import ir, rewriter
from onnxscript.rewriter.rules.common import _no_op
from torch.onnx._internal.exporter import _building

_CASTING = ("Cast", "CastLike")
_COMPARING = ("LessOrEqual", "GreaterOrEqual", "Less", "Greater")
_INT64 = np.iinfo(np.int64)


@contextmanager
def exact_constants() -> Iterator[None]:
    """Have exports within this block write what is cast in double precision, and each -0.0."""
    original, constant = _building._process_python_constants, _building._get_or_create_constant

    def process(signature: Any, named_inputs: Mapping[str, Any], *rest: Any) -> Any:
        given = dict(named_inputs)
        if signature.name in _CASTING and type(given["input"]) is float:
            given["input"] = ir.tensor(np.array(given["input"], np.float64))
        if signature.name in _COMPARING:
            given = {name: _within_int64(value) for name, value in given.items()}
        return original(signature, given, *rest)

    def constant_of(known: Any, arg: Any, *rest: Any) -> Any:
        numbers = arg if isinstance(arg, list | tuple) else [arg]
        return constant({} if any(map(_is_negative_zero, numbers)) else known, arg, *rest)

    with (
        mock.patch.object(_building, "_process_python_constants", process),
        mock.patch.object(_building, "_get_or_create_constant", constant_of),
    ):
        yield


def _within_int64(value: Any) -> Any:
    """Return the nearest number of 64 bits: what a size is at most may be a product beyond them.

    PyTorch writes into graphs that sizes are within their bounds.
    """
    return min(max(value, _INT64.min), _INT64.max) if type(value) is int else value


def _is_negative_zero(number: object) -> bool:
    return isinstance(number, float) and number == 0 and math.copysign(1.0, number) < 0


@contextmanager
def small_numbers_kept() -> Iterator[None]:
    """Have the optimizer within this block keep additions of numbers near 0, and the like."""
    dropping = {id(rule) for rule in _no_op.rules}
    kept = tuple(rule for rule in rewriter._DEFAULT_REWRITE_RULES if id(rule) not in dropping)
    with mock.patch.object(rewriter, "_DEFAULT_REWRITE_RULES", kept):
        yield
