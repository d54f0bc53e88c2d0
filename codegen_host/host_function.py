"""An HCFG as one residual function, so that it can be printed like any other.

Each sub-DNN becomes a call of a function named after its node. Branch conditions are
marked with the id of their node (``__test_of_branch_3__(p > 0.5)``): marks say in the printed text
which test belongs to which node, and are taken out at the end (``marks.py``).
"""

import ast
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from codegen_host.marks import mark
from hcfg.batching import callers_outside
from hcfg.flow import part_of
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    HostCode,
    LoopHead,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
    origins,
)
from rewriter import program as residual
from rewriter.parameters import Parameter, VariableInput
from rewriter.printing.cleaning import with_own_variables
from rewriter.printing.naming import is_temporary
from rewriter.program import (
    Block,
    BlockId,
    CallStatement,
    Copy,
    Function,
    HostStatement,
    Statement,
    TensorFromHost,
    TensorStatement,
    Variable,
)
from rewriter.program_names import expression_names

MAKE_TENSOR = "make_tensor"
"""What makes an array of numbers: a function of ``_tensors.py``."""

MAKE_ELEMENT = "make_element"
"""What makes one of a number that must fit: a function of ``_tensors.py``."""

JOIN_TENSORS = {"stack": "stack_tensors", "cat": "cat_tensors"}
"""What makes an array of a list of arrays: functions of ``_tensors.py``."""

IN_BATCHES = "in_batches"
"""What calls a function whose sub-DNNs run in batches: made in the module, of ``_batching.py``."""


def host_function(graph: Hcfg, put_off: Sequence[str] | None = None) -> Function:
    """Return the host program of a graph: calls of sub-DNNs, host statements, branches.

    ``put_off`` are the functions whose calls begin batches, by default ``graph.batched``.
    """
    put_off = graph.batched if put_off is None else put_off
    return _function(graph, "forward", graph.entry, graph.parameters, put_off)


def host_functions(graph: Hcfg, put_off: Sequence[str] | None = None) -> tuple[Function, ...]:
    """Return the specialised functions of a graph as host programs.

    Those that compute a batch are none: the host calls their sub-DNNs.
    """
    begun = graph.batched if put_off is None else put_off
    return tuple(
        _function(
            graph, name, each.entry, tuple(_parameter(v, graph) for v in each.parameters), begun
        )
        for name, each in graph.functions.items()
        if not computes_batch(graph, name)
    )


def computes_batch(graph: Hcfg, name: str) -> bool:
    """Return whether a function is a sub-DNN for batches."""
    entry = graph.nodes[graph.functions[name].entry]
    assert isinstance(entry, Entry)
    return entry.then in graph.batches.values()


def _parameter(variable: str, graph: Hcfg) -> Parameter:
    spec = VariableInput(variable=variable, spec=graph.variables[variable].spec)
    return Parameter(name=variable, spec=spec)


def _function(
    graph: Hcfg,
    name: str,
    entry: NodeId,
    parameters: tuple[Parameter, ...],
    put_off: Sequence[str],
) -> Function:
    numbers = {node_id: number for number, node_id in enumerate(part_of(graph, entry))}
    own = graph.nodes[entry]
    assert isinstance(own, Entry)
    begun = frozenset(each for each in put_off if own.function in callers_outside(graph, each))
    blocks = {
        number: _block(node_id, graph.nodes[node_id], numbers, begun)
        for node_id, number in numbers.items()
    }
    function = Function(
        name=name,
        parameters=parameters,
        variables=_variables(graph),
        blocks=blocks,
        entry=numbers[entry],
    )
    return with_own_variables(function) if graph.functions else function


def _variables(graph: Hcfg) -> Mapping[str, Variable]:
    """Return the variables; made-up ones that a branch tests are called ``test``."""
    tested = {
        name
        for node in graph.nodes.values()
        if isinstance(node, Branch)
        for name in expression_names(node.condition)
    }
    return {
        name: replace(variable, hint="_test")
        if name in tested and is_temporary(variable.hint)
        else variable
        for name, variable in graph.variables.items()
    }


def _block(
    node_id: NodeId, node: Node, numbers: Mapping[NodeId, BlockId], begun: Set[str]
) -> Block:
    """Return a node as a block; ``begun`` are the functions whose batches begin with its calls."""
    match node:
        case Entry() | LoopHead():
            return Block(statements=(), terminator=residual.Jump(target=numbers[node.then]))
        case SubDnn():
            call = _call(node_id, node)
            return Block(statements=(call,), terminator=residual.Jump(target=numbers[node.then]))
        case HostBlock():
            statements = tuple(_host_statement(statement, begun) for statement in node.statements)
            return Block(statements=statements, terminator=residual.Jump(target=numbers[node.then]))
        case Branch():
            end = residual.Branch(
                condition=mark(node_id, node.condition),
                if_true=numbers[node.if_true],
                if_false=numbers[node.if_false],
                origin=node.origin,
            )
            return Block(statements=(), terminator=end)
        case Return():
            leave = residual.Return(value=node.value, origin=node.origin)
            return Block(statements=(), terminator=leave)
        case Raise():
            fail = residual.Raise(exception=node.exception, origin=node.origin)
            return Block(statements=(), terminator=fail)


def _call(node_id: NodeId, node: SubDnn) -> TensorStatement:
    arguments: list[ast.expr] = [ast.Name(name, ast.Load()) for name in node.inputs]
    return TensorStatement(
        pattern=node.outputs[0] if len(node.outputs) == 1 else node.outputs,
        expression=ast.Call(ast.Name(node_id, ast.Load()), arguments, []),
        origin=origins(node)[0],
    )


def _host_statement(statement: HostCode, begun: Set[str]) -> Statement:
    match statement:
        case CallStatement() if statement.function in begun:
            function = ast.Name(statement.function, ast.Load())
            return replace(
                statement, function=IN_BATCHES, arguments=(function, *statement.arguments)
            )
        case HostStatement() | Copy() | CallStatement():
            return statement
        case TensorFromHost():
            joined = statement.joined
            name = MAKE_TENSOR if joined is None else JOIN_TENSORS[joined.function]
            name = MAKE_ELEMENT if statement.fits else name
            dtype = str(statement.dtype).removeprefix("torch.")
            how = ast.Constant(dtype if joined is None else joined.dim)
            array = ast.Call(ast.Name(name, ast.Load()), [statement.expression, how], [])
            return HostStatement(target=statement.target, expression=array, origin=statement.origin)
