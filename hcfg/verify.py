"""What a valid graph is, as an executable check that runs after the build and every pass.

A failure is a ``DyclBug``: graphs are made by dycl, so the user cannot be at fault.
"""

import ast
import builtins
from collections.abc import Mapping

from hcfg.flow import back_edges, part_of, predecessors, run_order
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    LoopHead,
    NodeId,
    Raise,
    Return,
    SubDnn,
    expressions,
    is_tensor,
    kind_of,
    successors,
)
from hcfg.liveness import Liveness, live, node_reads, node_writes
from hcfg.names import names_in
from hcfg.statements import all_writes, clobbers, exposed_reads, writes
from rewriter.diagnostics import DyclBug
from rewriter.program import (
    CallStatement,
    HostSpec,
    HostStatement,
    Statement,
    TensorFromHost,
    TensorStatement,
)
from rewriter.program_names import statement_expressions


def verify(graph: Hcfg) -> None:
    """Raise ``DyclBug`` with every broken invariant of ``graph``."""
    problems = _shape_problems(graph)
    if not problems:  # the rest walks edges and would trip over missing nodes
        liveness = live(graph)
        problems = [
            *_loop_problems(graph),
            *_definition_problems(graph),
            *(p for node_id in graph.nodes for p in _node_problems(graph, node_id, liveness)),
        ]
    if problems:
        raise DyclBug("\n".join(f"{graph.name}: {problem}" for problem in problems))


def _shape_problems(graph: Hcfg) -> list[str]:
    """Single entry, every edge ends at a node, every node is reachable, ids match kinds."""
    problems = [
        f"the entry {entry!r} is not an Entry node"
        for entry in graph.entries
        if not isinstance(graph.nodes.get(entry), Entry)
    ]
    problems += [
        f"{node_id}: edge to {target!r}, which does not exist"
        for node_id, node in graph.nodes.items()
        for target in successors(node)
        if target not in graph.nodes
    ]
    if problems:
        return problems
    reachable = set(run_order(graph))
    for node_id, node in graph.nodes.items():
        if node_id not in reachable:
            problems.append(f"{node_id}: cannot be reached from the entry")
        if kind_of(node) != node_id.partition("_")[0]:
            problems.append(f"{node_id}: the id of a {type(node).__name__} node")
        if isinstance(node, Entry) and node_id != _entry_of(graph, node):
            problems.append(f"{node_id}: a second entry")
        if not set(graph.entries).isdisjoint(successors(node)):
            problems.append(f"{node_id}: an edge back to the entry")
    parts = sum(len(part_of(graph, entry)) for entry in graph.entries)
    if parts != len(reachable):
        problems.append("two functions share a node")
    return problems


def _entry_of(graph: Hcfg, node: Entry) -> NodeId | None:
    """Return the entry of the program or function that an entry node says it starts."""
    if node.function is None:
        return graph.entry
    function = graph.functions.get(node.function)
    return None if function is None else function.entry


def _loop_problems(graph: Hcfg) -> list[str]:
    """Loops are reducible, and begin at the loop heads: there and nowhere else."""
    heads = {target for _, target in back_edges(graph)}
    marked = {n for n, node in graph.nodes.items() if isinstance(node, LoopHead)}
    return [
        *(f"{head}: a back-edge leads to a node that is no LoopHead" for head in heads - marked),
        *(f"{head}: a LoopHead without back-edge" for head in sorted(marked - heads)),
    ]


def _definition_problems(graph: Hcfg) -> list[str]:
    """Every variable that a node reads is defined on every path to it."""
    defined = _defined_before(graph)
    return [
        f"{node_id}: reads {name!r}, which is not defined on every path"
        for node_id, node in graph.nodes.items()
        for name in node_reads(node, graph)
        if name not in defined[node_id]
    ]


def _defined_before(graph: Hcfg) -> Mapping[NodeId, frozenset[str]]:
    """Return the variables defined on all paths to each node: the greatest solution."""
    everything = frozenset(graph.variables)
    before = dict.fromkeys(graph.nodes, everything)
    before |= dict.fromkeys(graph.entries, frozenset())
    written = {n: frozenset(node_writes(node, graph)) for n, node in graph.nodes.items()}
    sources = predecessors(graph)
    order = run_order(graph)
    changed = True
    while changed:
        changed = False
        for node_id in order:
            if node_id in graph.entries:
                continue
            arriving = [before[source] | written[source] for source in sources[node_id]]
            result = frozenset.intersection(*arriving)
            if result != before[node_id]:
                before[node_id] = result
                changed = True
    return before


def _node_problems(graph: Hcfg, node_id: NodeId, liveness: Liveness) -> list[str]:
    node = graph.nodes[node_id]
    match node:
        case SubDnn():
            found = [
                *_border_problems(graph, node, liveness.after[node_id]),
                *_content_problems(graph, node),
                *_name_problems(graph, node.statements),
            ]
        case HostBlock():
            tensor_code = any(isinstance(s, TensorStatement) for s in node.statements)
            found = ["holds tensor code"] if tensor_code else []
            found += [] if node.statements else ["is empty"]
            found += _name_problems(graph, node.statements)
            found += _call_problems(graph, node)
        case Entry() | LoopHead() | Branch() | Return() | Raise():
            found = [p for e in expressions(node) for p in _expression_problems(graph, e)]
    return [f"{node_id}: {problem}" for problem in found]


def _border_problems(graph: Hcfg, node: SubDnn, after: frozenset[str]) -> list[str]:
    """Inputs are what the statements read from before; outputs cover what is read later."""
    problems = []
    exposed = exposed_reads(node.statements, graph.variables)
    if node.inputs != exposed:
        problems.append(f"inputs are {node.inputs}, its statements read {exposed}")
    written = all_writes(node.statements)
    if node.outputs != tuple(name for name in written if name in node.outputs):
        problems.append(f"outputs are {node.outputs}, its statements write {written}")
    for name in written:
        if name in after and name not in node.outputs:
            problems.append(f"{name!r} is written and read later, but no output")
    lost: set[str] = set()
    for statement in node.statements:
        lost.update(clobbers(statement))
        lost.difference_update(writes(statement))
    for name in node.outputs:
        if name in lost:
            problems.append(f"output {name!r} is overwritten in place under another name")
    return problems


def _content_problems(graph: Hcfg, node: SubDnn) -> list[str]:
    """A sub-DNN is tensor code without host values it could not take."""
    problems = [] if node.statements else ["is empty"]
    if any(isinstance(statement, HostStatement | TensorFromHost) for statement in node.statements):
        problems.append("holds host code")
    for name in node.inputs:
        if isinstance(graph.variables[name].spec, HostSpec):
            problems.append(f"input {name!r} is neither a tensor nor a number")
    for name in all_writes(node.statements):
        if not is_tensor(name, graph.variables):
            problems.append(f"{name!r} is assigned, but not known as a tensor")
    return problems


def _call_problems(graph: Hcfg, node: HostBlock) -> list[str]:
    """Functions that are called exist and take as many arguments."""
    problems = []
    for call in node.statements:
        if not isinstance(call, CallStatement):
            continue
        function = graph.functions.get(call.function)
        if function is None:
            problems.append(f"calls {call.function!r}, which does not exist")
        elif len(function.parameters) != len(call.arguments):
            problems.append(f"calls {call.function!r} with {len(call.arguments)} arguments")
    return problems


def _name_problems(graph: Hcfg, statements: tuple[Statement, ...]) -> list[str]:
    """Every name stands in one of the tables."""
    problems = []
    for statement in statements:
        for expression in statement_expressions(statement):
            problems += _expression_problems(graph, expression)
        for name in writes(statement):
            if name not in graph.variables:
                problems.append(f"assigns {name!r}, which is not in the table of variables")
    return problems


def _expression_problems(graph: Hcfg, expression: ast.expr) -> list[str]:
    unknown = [
        name
        for name in names_in(expression)
        if name not in graph.variables and name not in graph.knowns and not hasattr(builtins, name)
    ]
    own = _own_names(expression) if unknown else frozenset()
    return [f"reads {name!r}, which is in no table" for name in unknown if name not in own]


def _own_names(expression: ast.expr) -> frozenset[str]:
    """Return the names that an expression binds itself: of lambdas and comprehensions."""
    return frozenset(
        node.id if isinstance(node, ast.Name) else node.arg
        for node in ast.walk(expression)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        or isinstance(node, ast.arg)
    )
