"""The rewriter's entry: a model and example inputs in, a rewritten program out."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from rewriter.diagnostics import CompileError
from rewriter.entry import rewritten
from rewriter.entry_points import EntryPoint, entry_point
from rewriter.evaluation.refusals import TooLong
from rewriter.joins import Joins, ManyStructures
from rewriter.options import (
    RewriteOptions,
    with_known_memory,
    with_known_numbers,
    with_known_texts,
)
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
    evaluation = _Evaluation(
        target, method, example_inputs, dynamic_shapes, entry_point(target, method), rolled
    )
    try:
        return evaluation.with_texts(options)
    except CompileError:
        if not rolled:
            raise
    return evaluation.with_texts(replace(options, roll_early=False))


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """Evaluates one entry point, with as much known as it needs."""

    target: object
    method: str
    example_inputs: tuple[object, ...] | Mapping[str, object]
    dynamic_shapes: object
    point: EntryPoint
    rolled: list[Origin]

    def with_texts(self, options: RewriteOptions) -> RewrittenProgram:
        """Evaluate with a path for each of few texts where that is needed, or makes less."""
        joins = Joins()
        try:
            program = self._with_paths(options, joins)
        except TooLong:
            raise
        except CompileError:
            if options.known_texts or not joins.texts:
                raise
            return self._with_paths(with_known_texts(options, options.most_statements), Joins())
        if joins.asked:
            most = len(program.entry.variables)
            with suppress(CompileError):
                apart = self._once(with_known_texts(options, most), Joins())
                return min(apart, program, key=_length)
        return program

    def _with_paths(self, options: RewriteOptions, joins: Joins) -> RewrittenProgram:
        """Evaluate; where that is refused, with paths kept apart that may matter."""
        try:
            return self._once(options, joins)
        except TooLong:
            raise
        except CompileError as error:
            if joins.texts and not options.known_texts:
                raise
            for apart in _with_paths_apart(options, joins, error):
                with suppress(CompileError):
                    program = self._once(apart, joins)
                    if program.state is None or not apart.known_memory:
                        return program
            raise error from None

    def _once(self, options: RewriteOptions, joins: Joins) -> RewrittenProgram:
        """Evaluate; what comes to much, with containers of few structures if that is taken."""
        with suppress(ManyStructures):
            return self._rewritten(options, joins)
        with suppress(CompileError):
            return self._rewritten(replace(options, few_structures=True), joins)
        return self._rewritten(replace(options, few_structures=False), joins)

    def _rewritten(self, options: RewriteOptions, joins: Joins) -> RewrittenProgram:
        shapes, rolled = self.dynamic_shapes, self.rolled
        return rewritten(
            self.target, self.point, self.example_inputs, options, shapes, joins, rolled
        )


def _length(program: RewrittenProgram) -> int:
    """Return the number of blocks and statements of a program."""
    blocks = [block for function in program.all_functions for block in function.blocks.values()]
    return sum(1 + len(block.statements) for block in blocks)


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
