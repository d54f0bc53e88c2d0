"""Collects residual blocks, variables and known references while the evaluator runs."""

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy
import torch

from rewriter.diagnostics import DyclBug
from rewriter.joins import Joins
from rewriter.known_paths import import_path
from rewriter.origin import Origin
from rewriter.parameters import Parameter
from rewriter.program import (
    Block,
    BlockId,
    Branch,
    CallStatement,
    Copy,
    Function,
    HostStatement,
    Jump,
    KnownReference,
    Statement,
    SymbolRange,
    TensorSpec,
    TensorStatement,
    Terminator,
    Variable,
    VariableSpec,
)
from rewriter.program_names import expression_names, successors
from rewriter.sizes import dimension_of
from rewriter.storages import storage_key


@dataclass(slots=True)
class _OpenBlock:
    statements: list[Statement] = field(default_factory=list)
    terminator: Terminator | None = None


class Builder:
    """Makes the control-flow graph of one residual function."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.knowns: dict[str, KnownReference] = {}
        self.notes: list[str] = []
        self.joins = Joins()
        self.rolled_early: list[Origin] = []
        """Loops that were rolled though their turns are known."""
        self.outputs: list[Origin] = []
        """What prints."""
        self.grad_modes: list[bool] = []
        """Whether PyTorch records gradients, as open managers say, innermost last."""
        self.effects = 0
        """How many statements were emitted that may change objects of the host."""
        self._blocks: dict[BlockId, _OpenBlock] = {}
        self._reference_names: dict[tuple[int | str, str | None], str] = {}

    def for_function(self) -> "Builder":
        """Return a builder of another function of the program: its blocks are its own."""
        other = Builder()
        other.variables, other.knowns, other.notes = self.variables, self.knowns, self.notes
        other.joins = self.joins
        other.rolled_early, other.outputs = self.rolled_early, self.outputs
        other._reference_names = self._reference_names
        other.grad_modes = self.grad_modes
        return other

    def new_block(self) -> BlockId:
        """Open a block and return its id."""
        block = len(self._blocks)
        self._blocks[block] = _OpenBlock()
        return block

    def checkpoint(self, block: BlockId) -> tuple[BlockId, int, int]:
        """Return what ``rollback`` needs to forget all that is emitted from here on.

        ``block`` is the open block that emission goes on in.
        """
        return block, len(self._blocks[block].statements), len(self._blocks)

    def rollback(self, checkpoint: tuple[BlockId, int, int]) -> None:
        """Forget all that was emitted since a checkpoint."""
        block, length, blocks = checkpoint
        for later in range(blocks, len(self._blocks)):
            del self._blocks[later]
        del self._blocks[block].statements[length:]
        self._blocks[block].terminator = None

    def go_on_at(self, checkpoint: tuple[BlockId, int, int], other: BlockId) -> None:
        """Forget what was emitted between a checkpoint and a block, which goes on from there."""
        block, length, blocks = checkpoint
        for later in range(blocks, other):
            self._blocks[later] = _OpenBlock()
        del self._blocks[block].statements[length:]
        self._blocks[block].terminator = Jump(target=other)

    @staticmethod
    def age(name: str) -> int:
        """Return how many variables were declared before this one."""
        return int(name.rpartition("__")[2])

    def emit(self, block: BlockId, statement: Statement) -> None:
        """Append a statement to an open block."""
        if self._blocks[block].terminator is not None:
            raise DyclBug(f"block {block} is closed")
        if isinstance(statement, TensorStatement) and any(self.grad_modes[-1:]):
            statement = replace(statement, records=True)
        self._blocks[block].statements.append(statement)
        if self.joins.texts:
            self._follow_texts(statement)
        if isinstance(statement, CallStatement) or (
            isinstance(statement, HostStatement) and (statement.effect or statement.target is None)
        ):
            self.effects += 1

    def close(self, block: BlockId, terminator: Terminator) -> None:
        """End an open block."""
        if self._blocks[block].terminator is not None:
            raise DyclBug(f"block {block} is closed twice")
        self._blocks[block].terminator = terminator
        if self.joins.texts and isinstance(terminator, Branch):
            self.joins.asked.update(self._texts_in([terminator.condition]))

    def _follow_texts(self, statement: Statement) -> None:
        """Note what a statement computes of texts that stand for several known ones."""
        match statement:
            case Copy():
                for target, source in zip(statement.targets, statement.sources, strict=True):
                    self.joins.texts.update([target] if self._texts_in([source]) else [])
            case CallStatement():
                self.joins.asked.update(self._texts_in(statement.arguments))
            case HostStatement(target=str() as target) if self._texts_in([statement.expression]):
                self.joins.texts.add(target)

    def _texts_in(self, expressions: Iterable[ast.expr]) -> set[str]:
        names = {name for expression in expressions for name in expression_names(expression)}
        return self.joins.texts & names

    def say_sizes(self, block: BlockId, truth: bool, sizes: Mapping[str, SymbolRange]) -> None:
        """Say of the test that ends a block what its outcome tells of symbols of sizes."""
        branch = self._blocks[block].terminator
        assert isinstance(branch, Branch)
        self._blocks[block].terminator = (
            replace(branch, sizes_if_true=sizes) if truth else replace(branch, sizes_if_false=sizes)
        )

    def tested_before(self, block: BlockId) -> BlockId | None:
        """Return the block whose test alone leads to a block, None where there is none."""
        before = [
            (each, content.terminator)
            for each, content in self._blocks.items()
            if content.terminator is not None and block in successors(content.terminator)
        ]
        if len(before) != 1 or not isinstance(before[0][1], Branch):
            return None
        return before[0][0]

    def length(self, block: BlockId) -> int:
        """Return the number of statements in a block so far."""
        return len(self._blocks[block].statements)

    def tail(self, block: BlockId, start: int) -> list[Statement]:
        """Return the statements of a block from position ``start``."""
        return self._blocks[block].statements[start:]

    def replace_tail(self, block: BlockId, start: int, statements: Iterable[Statement]) -> None:
        """Put other statements in place of those from position ``start`` on."""
        self._blocks[block].statements[start:] = statements

    def variable(self, hint: str, spec: VariableSpec) -> str:
        """Declare a new variable; hints with a leading underscore mark temporaries."""
        name = f"{hint}__{len(self.variables)}"
        self.variables[name] = Variable(name=name, hint=hint, spec=spec)
        return name

    def respecify(self, name: str, spec: VariableSpec) -> None:
        """Say more about a variable than was known when it was declared."""
        self.variables[name] = replace(self.variables[name], spec=spec)

    def suggest(self, name: str, hint: str) -> None:
        """Name a temporary after the user's variable that it was assigned to."""
        variable = self.variables[name]
        if variable.hint.startswith("_"):
            self.variables[name] = replace(variable, hint=hint)

    def reference(self, value: object, path: str | None) -> ast.expr:
        """Return the residual expression for a known object."""
        literal = literal_expression(value)
        if literal is not None:
            return literal
        if isinstance(value, numpy.generic) and isinstance(value.item(), _OF_PYTHON):
            kind = self.reference(type(value), f"numpy.{type(value).__name__}")
            return ast.Call(func=kind, args=[ast.Constant(value=value.item())], keywords=[])
        # each tensor that is asked gives a device of its own, and all of them are one
        key = (str(value) if isinstance(value, torch.device) else id(value), path)
        if key not in self._reference_names:
            name = f"known_{len(self.knowns)}"
            self._reference_names[key] = name
            self.knowns[name] = KnownReference(
                name=name, path=path, value=value, import_path=import_path(value)
            )
        return ast.Name(id=self._reference_names[key], ctx=ast.Load())

    def finish(self, name: str, parameters: tuple[Parameter, ...], entry: BlockId) -> Function:
        """Return the function; every block that can be reached must be closed."""
        blocks: dict[BlockId, Block] = {}
        for block, content in self._blocks.items():
            if content.terminator is not None:
                blocks[block] = Block(
                    statements=tuple(content.statements), terminator=content.terminator
                )
        return Function(
            name=name,
            parameters=parameters,
            variables=dict(self.variables),
            blocks=blocks,
            entry=entry,
        )


_OF_PYTHON = (bool, int, float, complex, str, bytes)
"""What numbers of numpy's are written by: none of them is as precise as ``numpy.longdouble``."""


def literal_expression(value: Any) -> ast.expr | None:
    """Return the literal for a known constant, None for objects that need a reference."""
    if type(value) is float and not math.isfinite(value):
        return _call("float", [ast.Constant(value=str(value))])
    if value is None or value is Ellipsis or type(value) in (bool, int, float, str, bytes, complex):
        return ast.Constant(value=value)
    if isinstance(value, torch.Size):
        return ast.Tuple(elts=[ast.Constant(value=int(size)) for size in value], ctx=ast.Load())
    parts = _parts(value)
    elements = None if parts is None else _literals(parts)
    if elements is None:
        return None
    if type(value) in (slice, range):
        return _call(type(value).__name__, elements)
    if type(value) is set:
        return ast.Set(elts=elements) if elements else _call("set", [])
    display = ast.Tuple if type(value) is tuple else ast.List
    return display(elts=elements, ctx=ast.Load())


def _parts(value: Any) -> list[object] | None:
    """Return what a literal display, slice or range is made of, None for other objects."""
    if type(value) in (slice, range):
        return [value.start, value.stop, value.step]
    if type(value) is set:
        # Sorted by text: the order of a set must not show in generated code.
        return sorted(value, key=repr)
    return list(value) if type(value) in (tuple, list) else None


def _literals(values: list[object]) -> list[ast.expr] | None:
    made = [literal_expression(value) for value in values]
    literals = [literal for literal in made if literal is not None]
    return literals if len(literals) == len(made) else None


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=arguments, keywords=[])


def tensor_spec(tensor: torch.Tensor) -> TensorSpec:
    """Return dtype and shape of a tensor; sizes known only at run time as text."""
    shape = tuple(map(dimension_of, tensor.shape))
    strided = tensor.layout == torch.strided
    known = strided and all(isinstance(size, int) for size in shape)
    return TensorSpec(
        dtype=tensor.dtype,
        shape=shape,
        strides=tensor.stride() if known else None,
        storage=storage_key(tensor) if strided else None,
    )
