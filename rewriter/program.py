"""The rewritten program: control-flow graphs of residual statements, before any text.

This is what the rewriter hands to the HCFG builder, and what ``rewritten.py`` is
printed from. Expressions are Python ``ast`` expressions whose names are of two kinds:

* run-time variables, listed in ``Function.variables``;
* known references (``known_3``), listed in ``RewrittenProgram.knowns``: objects that
  exist at compile time, such as ``self.layers[3]`` or ``torch.relu``.

Both kinds look like ``ast.Name``; the tables tell them apart. A name in neither table
is a Python builtin (``float('inf')``, ``slice``, ``len``). Expressions are never mutated
once they stand in a statement.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import torch

from rewriter.alike import CallLikeness
from rewriter.origin import Origin
from rewriter.parameters import Parameter
from rewriter.specs import (
    Dimension,
    HostSpec,
    ObjectSpec,
    ScalarSpec,
    SymbolRange,
    TensorSpec,
    VariableSpec,
)

# Kinds of variables are part of the program: whoever reads it finds them here as well.
__all__ = [
    "Dimension", "HostSpec", "ObjectSpec", "ScalarSpec", "SymbolRange", "TensorSpec",
    "VariableSpec",
]  # fmt: skip

BlockId: TypeAlias = int


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A run-time variable of a function."""

    name: str
    hint: str
    """The user's name for it where there is one (``x``), else a short word."""
    spec: VariableSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownReference:
    """An object known at compile time that residual code refers to.

    Two references to the same object by the same path share one name.
    """

    name: str
    path: str | None
    """What reaches it in the user's file (``self.layers[3]``), None where nothing does."""
    value: object = field(compare=False, repr=False)
    import_path: tuple[str, str] | None = None
    """``(module, attribute)`` for an importable library object (``("math", "sqrt")``;
    attribute "" for the module itself), None for objects of the user's model."""


# --- statements ----------------------------------------------------------------------------

Pattern: TypeAlias = "str | tuple[Pattern, ...] | None"
"""Where the results go: a variable, a tuple of patterns mirroring a tuple or list
result, or None for a part that is not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorStatement:
    """``pattern = expression`` over tensors; part of a sub-DNN.

    Reads run-time tensors, known references, and integers of the host (``ScalarSpec`` of
    int) as bounds of slices, indices, sizes and counts: ``seqs[:, :step]``. Other host
    numbers become tensors first (``TensorFromHost``). Every variable of ``pattern`` is a
    tensor.
    """

    pattern: Pattern
    expression: ast.expr
    origin: Origin
    stores_into: ast.expr | None = None
    """The target of ``x[i] = v``; ``expression`` is then ``v``, and ``pattern`` None."""
    updates: tuple[tuple[str, str], ...] = ()
    """``(new, old)``: running the statement writes into the storage of ``old`` in
    place; from here on the content is called ``new`` and ``old`` is not read again.
    Printed as ``new = old`` after the statement (nothing when both get one name)."""
    retakes: tuple[tuple[str, ast.expr], ...] = field(default=(), compare=False, repr=False)
    """``(old, expression)``: what the ``old`` of an update is of the ``old`` of another one, whose
    memory it shares."""
    may_raise: bool = False
    """Whether it raises for some contents of its operands: an index out of range. What the
    user's program did before on the host, it has done then."""
    draws: str | None = None
    """The operator that draws random numbers here, which nobody may read."""
    records: bool = field(default=False, compare=False, repr=False)
    """Whether PyTorch records gradients here."""
    does: CallLikeness | None = field(default=None, compare=False, repr=False)
    """For a call of a user's module: tells which other calls do the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStatement:
    """``target = expression`` on the host, over host values and tensors' elements.

    The expression means the same for torch tensors (in ``rewritten.py``) and numpy
    arrays (in the host): tensors are only read through ``.item()``, ``.tolist()``, named
    conversions, and in lists that numpy makes an array of.
    """

    target: str | None
    expression: ast.expr
    origin: Origin
    effect: bool = False
    """True where it must run even if ``target`` is never read: it prints, warns,
    changes a run-time container, or may raise."""


@dataclass(frozen=True, slots=True)
class Joined:
    """``torch.stack`` or ``torch.cat``, of tensors that are alike, along a dimension."""

    function: Literal["stack", "cat"]
    dim: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorFromHost:
    """``target = tensor of host numbers``: a number, or a nest of lists and tuples of them.

    ``torch.tensor(expression, dtype=dtype)`` under PyTorch, ``numpy.array(expression,
    dtype)`` on the host. ``target`` is a tensor like any other.
    """

    target: str
    expression: ast.expr
    dtype: torch.dtype
    origin: Origin
    joined: Joined | None = None
    """How it is made where ``expression`` is a list or tuple of tensors and not of numbers."""
    fits: bool = False
    """Whether a number beyond the elements raises, as where tensors are filled with it: other
    such numbers become infinite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """Parallel assignment ``targets = sources`` of variables, at a join or a loop head.

    A source is a variable or known reference (``ast.Name``) or a constant.
    """

    targets: tuple[str, ...]
    sources: tuple[ast.expr, ...]
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStatement:
    """``pattern = function(arguments)``: a call of a specialised function of the program.

    Stands on the host. The arguments are values of the parameters, in their order: variables
    (tensors and host values), constants and known references. It may raise, and runs even if
    its results are never read.
    """

    pattern: Pattern
    function: str
    """A key of ``RewrittenProgram.functions``."""
    arguments: tuple[ast.expr, ...]
    origin: Origin


Statement: TypeAlias = TensorStatement | HostStatement | TensorFromHost | Copy | CallStatement


# --- how a block ends ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Jump:
    """Go on at ``target``."""

    target: BlockId


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Go on at one of two blocks, by the truth of a host expression (Python's truth)."""

    condition: ast.expr
    if_true: BlockId
    if_false: BlockId
    origin: Origin
    sizes_if_true: Mapping[str, SymbolRange] = field(default_factory=dict)
    """What the test says of symbols of sizes where it is true."""
    sizes_if_false: Mapping[str, SymbolRange] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Leave the function with a value built from variables, constants and displays."""

    value: ast.expr
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Raise:
    """Leave the function with an exception, such as ``ValueError('empty')``."""

    exception: ast.expr
    origin: Origin


Terminator: TypeAlias = Jump | Branch | Return | Raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A straight line of statements and how it ends."""

    statements: tuple[Statement, ...]
    terminator: Terminator


# --- what is kept ---------------------------------------------------------------------------


class KeptState(dict[str, object]):
    """What the model keeps from one call to the next, by name: as it is at compile time.

    Residual code reads it by ``_state["hidden"]`` and writes it by ``_state.update(...)``; the
    known reference to it has this object as its value.
    """


STATE = "_state"
"""What the kept state is called in generated code."""


# --- the whole ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One residual function: a control-flow graph over its own variables.

    Every block is reachable from ``entry``; the graph is reducible; a variable that is
    read was assigned on every path to the read.
    """

    name: str
    parameters: tuple[Parameter, ...]
    variables: Mapping[str, Variable]
    blocks: Mapping[BlockId, Block]
    entry: BlockId
    symbols: Mapping[str, SymbolRange] = field(default_factory=dict)
    """The symbols that sizes of ``variables`` are made of. Those of arguments bear the
    names of their ``Dim``; the others are numbered in the order of the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewrittenProgram:
    """A partially evaluated program: what is left to do at run time."""

    name: str  # short name of the model (``skipnet``), a valid Python identifier
    entry: Function
    knowns: Mapping[str, KnownReference]
    source_file: str  # the user's file that holds the entry point
    functions: Mapping[str, Function] = field(default_factory=dict)
    """Specialised functions that the entry, or one of them, calls, by name. Their parameters
    are variables; no variable belongs to two functions."""
    notes: tuple[str, ...] = ()  # what the user should know that did not prevent compilation
    state: KeptState | None = None  # what is kept from one call to the next
    joins_texts: bool = False  # a variable is one of several known texts
    joins_numbers: bool = False  # a variable is one of several known numbers, by the path
    rolls_early: bool = False  # a loop that may be unrolled, if something refuses the program so
    few_structures: bool = False  # lists exist at run time only whose lengths may be known

    @property
    def all_functions(self) -> tuple[Function, ...]:
        """Return the entry and then every specialised function."""
        return (self.entry, *self.functions.values())

    @property
    def source(self) -> str:
        """Return the program as the text of ``rewritten.py``: runnable PyTorch."""
        # Printing reads these classes: a real cycle.
        from rewriter.printing.program_text import print_program

        return print_program(self)
