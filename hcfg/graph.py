"""The HCFG as frozen data: nodes, the graph, and the only function that knows the edges.

A graph is a control-flow graph over the program's variables. Two kinds of node do work:
a ``SubDnn`` is straight-line tensor code that a static compiler compiles, a ``HostBlock``
is straight-line Python. Passes make new graphs from old ones; nothing is changed in place,
and what an analysis finds out is a table beside the graph.

What a node means as data flow: a sub-DNN is a *function* of the values of its inputs. It
never changes the storage of an input; where its statements work in place
(``TensorStatement.updates``) the changed content leaves it under the new name only.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from hcfg.names import names_in
from rewriter.origin import Origin
from rewriter.parameters import Parameter, input_variables
from rewriter.program import (
    CallStatement,
    Copy,
    HostStatement,
    KeptState,
    KnownReference,
    SymbolRange,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
    Variable,
)

NodeId: TypeAlias = str
"""``subdnn_3``, ``branch_1``: the kind of node and a number within the kind."""

DnnStatement: TypeAlias = TensorStatement | Copy
HostCode: TypeAlias = HostStatement | TensorFromHost | Copy | CallStatement


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Where a call starts: the variables of the parameters are defined here."""

    then: NodeId
    function: str | None = None
    """The specialised function that starts here, None for the program itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubDnn:
    """A straight line of tensor statements, compiled as one unit."""

    statements: tuple[DnnStatement, ...]
    inputs: tuple[str, ...]
    """Run-time variables read before they are assigned, in order of first use: tensors, and
    integers of the host that are bounds, indices, sizes or counts."""
    outputs: tuple[str, ...]
    """Variables assigned here and read later, in order of first assignment."""
    then: NodeId
    decisions: tuple[Origin, ...] = ()
    """The branches and loops inside, where it stands for a part of a program that was lowered to
    one artifact; a straight line has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostBlock:
    """A straight line of statements on the host."""

    statements: tuple[HostCode, ...]
    then: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A choice made on the host, by the truth of an expression over host values."""

    condition: ast.expr
    if_true: NodeId
    if_false: NodeId
    origin: Origin
    sizes_if_true: Mapping[str, SymbolRange] = field(default_factory=dict)
    """What the test says of symbols of sizes where it is true."""
    sizes_if_false: Mapping[str, SymbolRange] = field(default_factory=dict)
    asks_the_way: bool = False
    """Whether it asks which way an artifact went that has decisions inside: by a number that is
    never close to another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopHead:
    """Where a loop's iterations begin: entered from before the loop and from its back-edges.

    It does nothing. The loop's test is a ``Branch`` further on, which need not be the next
    node: the test may need a sub-DNN first.
    """

    then: NodeId
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Leave with a value built from variables, constants and displays."""

    value: ast.expr
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Raise:
    """Leave with an exception."""

    exception: ast.expr
    origin: Origin


Exit: TypeAlias = Return | Raise
Node: TypeAlias = Entry | SubDnn | HostBlock | Branch | LoopHead | Exit


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFunction:
    """A specialised function: a part of the graph with an entry of its own."""

    entry: NodeId
    parameters: tuple[str, ...]
    """The variables that the arguments of a call are given to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hcfg:
    """A whole program. ``hcfg.verify.verify`` states what a valid one is.

    Specialised functions are parts without edges to each other: a ``CallStatement`` in a host
    block runs one of them from its entry to a ``Return`` or ``Raise`` of its own.
    """

    name: str
    nodes: Mapping[NodeId, Node]
    entry: NodeId
    variables: Mapping[str, Variable]
    parameters: tuple[Parameter, ...]
    knowns: Mapping[str, KnownReference]
    """Objects of compile time that statements refer to by name. Tensors computed by
    constant-output elimination are here too, under ``constant_0``, ``constant_1``, ..."""
    source_file: str
    functions: Mapping[str, HostFunction] = field(default_factory=dict)
    """Specialised functions by name."""
    notes: tuple[str, ...] = ()
    state: KeptState | None = None
    """What is kept from one call to the next; None where nothing is."""
    symbols: Mapping[str, SymbolRange] = field(default_factory=dict)
    """The symbols that sizes of variables are made of."""
    batched: tuple[str, ...] = ()
    """Functions of which many calls are computed at once (``hcfg.batching``)."""
    batched_together: tuple[str, ...] = ()
    """Others of which they are where many inputs run together."""
    many_inputs: bool = False
    """Whether many inputs may run together (``hcfg.many_inputs``)."""
    batches: Mapping[NodeId, NodeId] = field(default_factory=dict)
    """For sub-DNNs of these functions, where many inputs may run together for all that can, the
    sub-DNN that computes a batch of their calls. Each is a function of its own, which nothing in
    the graph calls."""

    @property
    def put_off(self) -> tuple[str, ...]:
        """Return the functions whose sub-DNNs may be computed later than they are called."""
        return (*self.batched, *self.batched_together)

    @property
    def entries(self) -> tuple[NodeId, ...]:
        """Return where the program starts, and then where each specialised function does."""
        return (self.entry, *(function.entry for function in self.functions.values()))


def kind_of(node: Node) -> str:
    """Return the word that node ids of this kind start with."""
    match node:
        case Entry():
            return "entry"
        case SubDnn():
            return "subdnn"
        case HostBlock():
            return "host"
        case Branch():
            return "branch"
        case LoopHead():
            return "loop"
        case Return():
            return "return"
        case Raise():
            return "raise"


def successors(node: Node) -> tuple[NodeId, ...]:
    """Return the nodes that may run next. Only this function knows the edges."""
    match node:
        case Entry() | SubDnn() | HostBlock() | LoopHead():
            return (node.then,)
        case Branch():
            return (node.if_true, node.if_false)
        case Return() | Raise():
            return ()


def expressions(node: Node) -> tuple[ast.expr, ...]:
    """Return the expressions a node evaluates itself, apart from those of its statements."""
    match node:
        case Entry() | SubDnn() | HostBlock() | LoopHead():
            return ()
        case Branch():
            return (node.condition,)
        case Return():
            return (node.value,)
        case Raise():
            return (node.exception,)


def origins(node: Node) -> tuple[Origin, ...]:
    """Return where a node comes from in the user's source, in order, without repeats."""
    match node:
        case Entry():
            return ()
        case SubDnn():
            lines = (statement.origin for statement in node.statements)
            return tuple(dict.fromkeys((*lines, *node.decisions)))
        case HostBlock():
            return tuple(dict.fromkeys(statement.origin for statement in node.statements))
        case Branch() | Return() | Raise():
            return (node.origin,)
        case LoopHead():
            return () if node.origin is None else (node.origin,)


def parameter_variables(graph: Hcfg) -> tuple[str, ...]:
    """Return the run-time variables that a call's arguments define, in order."""
    return tuple(n for parameter in graph.parameters for n in input_variables(parameter.spec))


def entry_variables(graph: Hcfg, entry: Entry) -> tuple[str, ...]:
    """Return the run-time variables that are defined where the program or a function starts."""
    if entry.function is None:
        return parameter_variables(graph)
    return graph.functions[entry.function].parameters


def called_functions(node: Node) -> tuple[str, ...]:
    """Return the specialised functions that a node calls, in order."""
    if not isinstance(node, HostBlock):
        return ()
    return tuple(s.function for s in node.statements if isinstance(s, CallStatement))


def variables_in(expression: ast.expr, variables: Mapping[str, Variable]) -> tuple[str, ...]:
    """Return the run-time variables that an expression reads, in order."""
    return tuple(name for name in names_in(expression) if name in variables)


def is_tensor(name: str, variables: Mapping[str, Variable]) -> bool:
    """Return whether a name is a run-time tensor."""
    return name in variables and isinstance(variables[name].spec, TensorSpec)
