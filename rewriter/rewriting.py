"""The rewriter's entry: a model and example inputs in, a rewritten program out."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from rewriter.diagnostics import CompileError
from rewriter.entry import rewritten
from rewriter.entry_points import entry_point
from rewriter.evaluation.refusals import TooLong
from rewriter.joins import Joins
from rewriter.options import RewriteOptions, with_known_memory, with_known_numbers
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
        return _once_more(target, method, example_inputs, options, dynamic_shapes, rolled)
    except CompileError:
        if not rolled:
            raise
    unrolled = replace(options, roll_early=False)
    return _once_more(target, method, example_inputs, unrolled, dynamic_shapes, rolled)


def _once_more(
    target: object,
    method: str,
    example_inputs: tuple[object, ...] | Mapping[str, object],
    options: RewriteOptions,
    dynamic_shapes: object,
    rolled: list[Origin],
) -> RewrittenProgram:
    """Evaluate the entry point; where that is refused, with paths kept apart that may matter."""
    joins, point = Joins(), entry_point(target, method)
    try:
        return rewritten(target, point, example_inputs, options, dynamic_shapes, joins, rolled)
    except TooLong:
        raise
    except CompileError as error:
        for apart in _with_paths_apart(options, joins, error):
            with suppress(CompileError):
                program = rewritten(
                    target, point, example_inputs, apart, dynamic_shapes, joins, rolled
                )
                if program.state is None or not apart.known_memory:
                    return program
        raise error from None


def _with_paths_apart(
    options: RewriteOptions, joins: Joins, error: CompileError
) -> Iterator[RewriteOptions]:
    """Yield the options that a refused program is tried again with.

    Which memory a tensor has is of use within a call only: what is kept may have been given to
    the caller on one path, and be written by another one in a later call.
    """
    if joins.numbers and not options.known_numbers:
        yield with_known_numbers(options)
    writes = any(diagnostic.code in _OF_WRITES for diagnostic in error.diagnostics)
    if joins.memory and writes and not options.known_memory:
        yield with_known_memory(options)


_OF_WRITES = frozenset({"DYCL034", "DYCL035"})
"""What writes in place are refused for."""
