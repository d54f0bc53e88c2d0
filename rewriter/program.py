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

from rewriter.origin import Origin
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
    """Python expression that reaches it in the user's file (``self.layers[3]``,
    ``F.relu``), None where only the object itself is at hand."""
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
    """For ``x[i] = v``: the target ``x[i]``; ``expression`` is then ``v`` and
    ``pattern`` is None."""
    updates: tuple[tuple[str, str], ...] = ()
    """``(new, old)``: running the statement writes into the storage of ``old`` in
    place; from here on the content is called ``new`` and ``old`` is not read again.
    Printed as ``new = old`` after the statement (nothing when both get one name)."""


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


# --- inputs ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableInput:
    """An argument, or a part of one, that is given at run time: a tensor or a number."""

    variable: str
    spec: VariableSpec
    written: bool = False
    """Whether the call writes it in place: the caller sees that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticInput:
    """An argument, or a part of one, fixed at compile time and checked at call time."""

    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceInput:
    """A list or tuple of known length."""

    kind: type[list[object]] | type[tuple[object, ...]]
    items: tuple["InputSpec", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingInput:
    """A dict with known keys."""

    items: tuple[tuple[object, "InputSpec"], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInput:
    """An object with known attributes, of whatever class."""

    name: str
    """The class of the example."""
    attributes: tuple[tuple[str, "InputSpec"], ...]
    absent: tuple[str, ...] = ()
    """Attributes that the program has asked for and not found."""
    whole: bool = False
    """Whether there must be no other attributes."""


InputSpec: TypeAlias = VariableInput | StaticInput | SequenceInput | MappingInput | ObjectInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of the entry point, named as in the original signature."""

    name: str
    spec: InputSpec
    keyword_only: bool = False
    default: StaticInput | None = None
    """The original's default where the example inputs left the parameter out; the host
    then takes the parameter as optional, and only with this value."""
    star: Literal["", "*", "**"] = ""
    """``*`` where it takes all further positional arguments (``spec`` is a tuple), ``**``
    where it takes all further keyword arguments (``spec`` is a mapping of their names)."""


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

    name: str
    """Short name of the model (``skipnet``), a valid Python identifier."""
    entry: Function
    knowns: Mapping[str, KnownReference]
    source_file: str
    """The user's file that holds the entry point."""
    functions: Mapping[str, Function] = field(default_factory=dict)
    """Specialised functions that the entry, or one of them, calls, by name. Their parameters
    are variables; no variable belongs to two functions."""
    notes: tuple[str, ...] = ()
    """Things the user should know that did not prevent compilation."""
    state: KeptState | None = None
    """What is kept from one call to the next; None where nothing is."""

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


def successors(terminator: Terminator) -> tuple[BlockId, ...]:
    """Return the blocks that may run next. Only this function knows the edges."""
    match terminator:
        case Jump():
            return (terminator.target,)
        case Branch():
            return (terminator.if_true, terminator.if_false)
        case Return() | Raise():
            return ()


def pattern_names(pattern: Pattern) -> tuple[str, ...]:
    """Return the variables that a pattern assigns, left to right."""
    match pattern:
        case None:
            return ()
        case str():
            return (pattern,)
        case tuple():
            return tuple(name for part in pattern for name in pattern_names(part))


def expression_names(expression: ast.expr) -> tuple[str, ...]:
    """Return every name an expression reads, in order, without repeats."""
    return tuple(dict.fromkeys(n.id for n in ast.walk(expression) if isinstance(n, ast.Name)))


def call_expression(statement: CallStatement) -> ast.Call:
    """Return the expression that a call of a specialised function evaluates."""
    function = ast.Name(id=statement.function, ctx=ast.Load())
    return ast.Call(func=function, args=list(statement.arguments), keywords=[])


def statement_targets(statement: Statement) -> tuple[str, ...]:
    """Return the variables that a statement assigns."""
    match statement:
        case TensorStatement():
            return (*pattern_names(statement.pattern), *(new for new, _ in statement.updates))
        case HostStatement():
            return () if statement.target is None else (statement.target,)
        case TensorFromHost():
            return (statement.target,)
        case Copy():
            return statement.targets
        case CallStatement():
            return pattern_names(statement.pattern)


def statement_expressions(statement: Statement) -> tuple[ast.expr, ...]:
    """Return the expressions that a statement evaluates."""
    match statement:
        case TensorStatement():
            stored = () if statement.stores_into is None else (statement.stores_into,)
            return (statement.expression, *stored)
        case HostStatement() | TensorFromHost():
            return (statement.expression,)
        case Copy():
            return statement.sources
        case CallStatement():
            return statement.arguments


def terminator_expressions(terminator: Terminator) -> tuple[ast.expr, ...]:
    """Return the expressions that a block's end evaluates."""
    match terminator:
        case Jump():
            return ()
        case Branch():
            return (terminator.condition,)
        case Return():
            return (terminator.value,)
        case Raise():
            return (terminator.exception,)
