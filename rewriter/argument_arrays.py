"""Arguments of numpy's classes: arrays, and numbers."""

import ast
from typing import Any

import numpy
import torch

from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.rendering import name_expression
from rewriter.evaluation.run import Frame, Run
from rewriter.parameters import VariableInput
from rewriter.program import HostSpec, TensorSpec
from rewriter.state import State
from rewriter.values import FOREIGN, HostValue, ScalarValue

NUMBERS = (numpy.bool_, numpy.integer, numpy.floating)


def array_argument(
    run: Run, place: str, example: numpy.ndarray[Any, Any]
) -> tuple[VariableInput, HostValue]:
    """Return the spec and value of an array."""
    try:
        kind = torch.from_numpy(numpy.empty(0, example.dtype)).dtype
    except TypeError as error:
        message = f"argument {place!r}: {error}"
        problem = Diagnostic(code="DYCL071", message=message, origin=None)
        raise CompileError([problem]) from error
    spec = HostSpec(description="array", array=TensorSpec(dtype=kind, shape=example.shape))
    name = run.builder.variable(word_of(place), spec)
    value = HostValue(name, numpy.zeros_like(example), FOREIGN, True, True, True)
    return VariableInput(variable=name, spec=spec), value


def number_argument(
    frame: Frame, state: State, place: str, example: numpy.generic
) -> tuple[VariableInput, ScalarValue]:
    """Return the spec and value of a number of numpy's: the host has an array of that one."""
    spec, given = array_argument(frame.run, place, numpy.asarray(example))
    nowhere = ast.Tuple(elts=[], ctx=ast.Load())
    number = ast.Subscript(value=name_expression(given.name), slice=nowhere, ctx=ast.Load())
    origin, kind = frame.origin(frame.source.node), type(example)
    return spec, host_scalar(frame.run, state, number, kind, origin, may_raise=False)


def word_of(place: str) -> str:
    """Return the name of the variable that stands for what is at a place."""
    return "".join(c if c.isalnum() or c == "_" else "_" for c in place)
