"""The rewriter's entry: a model and example inputs in, a rewritten program out."""

from collections.abc import Mapping
from dataclasses import replace

from rewriter.diagnostics import CompileError
from rewriter.entry import rewritten
from rewriter.entry_points import entry_point
from rewriter.evaluation.refusals import TooLong
from rewriter.options import RewriteOptions, with_known_numbers
from rewriter.origin import Origin
from rewriter.program import RewrittenProgram


def rewrite(
    target: object,
    example_inputs: tuple[object, ...] | Mapping[str, object],
    method: str = "forward",
    options: RewriteOptions | None = None,
    dynamic_shapes: object = None,
) -> RewrittenProgram:
    """Partially evaluate the entry point of a model.

    Args:
        target: an ``nn.Module``, any object with a method, a bound method, a function, or a
            ``functools.partial`` of one.
        example_inputs: positional arguments, or a dict of keyword arguments; tensors give
            dtype and shape, numbers are inputs, other objects are fixed.
        method: the entry point on an object; ignored for functions.
        options: limits, and which number arguments are fixed.
        dynamic_shapes: the dimensions of arguments that vary, as for ``torch.export``:
            ``{"tokens": {1: Dim("seq", max=64)}}``.

    Returns:
        The program with variables named uniquely; see ``rewriter.printing`` for text.

    Raises:
        CompileError: with every diagnostic, where the program cannot be compiled soundly.
    """
    options, rolled = options or RewriteOptions(), list[Origin]()
    try:
        return _with_numbers(target, method, example_inputs, options, dynamic_shapes, rolled)
    except CompileError:
        if not rolled:
            raise
    unrolled = replace(options, roll_early=False)
    return _with_numbers(target, method, example_inputs, unrolled, dynamic_shapes, rolled)


def _with_numbers(
    target: object,
    method: str,
    example_inputs: tuple[object, ...] | Mapping[str, object],
    options: RewriteOptions,
    dynamic_shapes: object,
    rolled: list[Origin],
) -> RewrittenProgram:
    """Evaluate the entry point; where that is refused, with paths of other numbers kept apart."""
    joined, point = set[str](), entry_point(target, method)
    try:
        return rewritten(target, point, example_inputs, options, dynamic_shapes, joined, rolled)
    except TooLong:
        raise
    except CompileError as error:
        if options.known_numbers or not joined:
            raise
        apart = with_known_numbers(options)
        try:
            return rewritten(target, point, example_inputs, apart, dynamic_shapes, joined, rolled)
        except CompileError:
            raise error from None
