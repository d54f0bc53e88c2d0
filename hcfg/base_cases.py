"""What a recursive function does where it does not call itself, put where it is called.

h = encode(child)               if not child.children:
y = subdnn_1(h)                     h = subdnn_0(child.word)
                      ->        else:
                                    h = encode(child)
                                y = subdnn_1(h)
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hcfg.edit import fresh_id
from hcfg.flow import part_of
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    HostCode,
    Node,
    NodeId,
    Return,
    SubDnn,
    called_functions,
    kind_of,
)
from hcfg.plain_expressions import only_reads
from hcfg.statements import all_writes, exposed_reads, has_effect
from rewriter.printing.renaming import renamed_statement
from rewriter.printing.substitution import renamed
from rewriter.program import CallStatement, Copy, HostStatement, Pattern, Statement, Variable

_MOST_TESTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCase:
    """The path of a function that calls nothing, goes round no loop, and tests no tensor code."""

    parameters: tuple[str, ...]
    nodes: tuple[HostBlock | SubDnn | tuple[Branch, bool], ...]
    """A branch stands with the outcome that leads on."""
    result: ast.expr


def with_base_cases(graph: Hcfg, caller: str) -> Hcfg:
    """Return the graph where a function tries the base cases of those it calls."""
    for node_id in part_of(graph, graph.functions[caller].entry):
        node = graph.nodes[node_id]
        while isinstance(node, HostBlock):
            place = _call_place(graph, node)
            if place is None:
                break
            graph, node_id = _expanded(graph, node_id, node, place)
            node = graph.nodes[node_id]
    return graph


def base_case(graph: Hcfg, name: str) -> BaseCase | None:
    """Return the base case of a function that calls itself, None where it has none."""
    function = graph.functions[name]
    part = part_of(graph, function.entry)
    if not any(name in called_functions(graph.nodes[node_id]) for node_id in part):
        return None
    entry = graph.nodes[function.entry]
    assert isinstance(entry, Entry)
    found = _path(graph, entry.then, _MOST_TESTS)
    if found is None or not any(isinstance(node, SubDnn) for node in found[0]):
        return None
    return BaseCase(parameters=function.parameters, nodes=found[0], result=found[1])


_Steps = tuple[HostBlock | SubDnn | tuple[Branch, bool], ...]


def _path(graph: Hcfg, node_id: NodeId, tests: int) -> tuple[_Steps, ast.expr] | None:
    node = graph.nodes[node_id]
    match node:
        case Return():
            return (), node.value
        case HostBlock() if all(map(_is_harmless, node.statements)):
            rest = _path(graph, node.then, tests)
        case SubDnn():
            # no tests behind it: if they came out otherwise, the function would run it again
            rest = _path(graph, node.then, 0)
        case Branch() if tests:
            for target, outcome in ((node.if_true, True), (node.if_false, False)):
                found = _path(graph, target, tests - 1)
                if found is not None:
                    return ((node, outcome), *found[0]), found[1]
            return None
        case _:  # loops, calls, exceptions
            return None
    return None if rest is None else ((node, *rest[0]), rest[1])


def _is_harmless(statement: HostCode) -> bool:
    """Return whether a statement may run although the function is called after all."""
    if isinstance(statement, HostStatement):
        return not statement.effect or only_reads(statement.expression)
    return not has_effect(statement)


def _call_place(graph: Hcfg, node: HostBlock) -> int | None:
    """Return where a block calls a function that has a base case."""
    for place, statement in enumerate(node.statements):
        match statement:
            case CallStatement() if (base := base_case(graph, statement.function)) is not None:
                if _fits(statement.pattern, base.result):
                    return place
            case _:
                pass
    return None


def _expanded(graph: Hcfg, node_id: NodeId, node: HostBlock, place: int) -> tuple[Hcfg, NodeId]:
    """Return the graph where a call is made only if the base case is none, and what comes after."""
    call = node.statements[place]
    assert isinstance(call, CallStatement)
    base = base_case(graph, call.function)
    assert base is not None
    names, variables = _own_names(graph, base)
    nodes: dict[NodeId, Node] = dict(graph.nodes)

    def add(new: Node) -> NodeId:
        added = fresh_id(nodes, kind_of(new))
        nodes[added] = new
        return added

    after = add(HostBlock(statements=node.statements[place + 1 :], then=node.then))
    calling = add(HostBlock(statements=(call,), then=after))
    given = Copy(
        targets=tuple(names[name] for name in base.parameters),
        sources=call.arguments,
        origin=call.origin,
    )
    taken = _taken(call, renamed(base.result, names))
    then = add(HostBlock(statements=taken, then=after)) if taken else after
    for step in reversed(base.nodes):
        then = add(_renamed_step(step, names, {**graph.variables, **variables}, then, calling))
    nodes[node_id] = HostBlock(statements=(*node.statements[:place], given), then=then)
    made = replace(graph, nodes=nodes, variables={**graph.variables, **variables})
    return made, after


def _own_names(graph: Hcfg, base: BaseCase) -> tuple[dict[str, str], dict[str, Variable]]:
    """Return new names for the variables of a base case, and these variables."""
    used = dict.fromkeys(base.parameters)
    for step in base.nodes:
        if not isinstance(step, tuple):
            used.update(dict.fromkeys(all_writes(step.statements)))
    names = {name: name for name in graph.variables}
    variables: dict[str, Variable] = {}
    for name in used:
        number = 1
        while f"{name}_{number}" in graph.variables:
            number += 1
        names[name] = f"{name}_{number}"
        variables[names[name]] = replace(graph.variables[name], name=names[name])
    return names, variables


def _renamed_step(
    step: HostBlock | SubDnn | tuple[Branch, bool],
    names: Mapping[str, str],
    variables: Mapping[str, Variable],
    then: NodeId,
    otherwise: NodeId,
) -> Node:
    match step:
        case (Branch() as branch, outcome):
            return replace(
                branch,
                condition=renamed(branch.condition, names),
                if_true=then if outcome else otherwise,
                if_false=otherwise if outcome else then,
            )
        case HostBlock():
            return HostBlock(statements=_renamed(step.statements, names), then=then)  # type: ignore[arg-type]
        case SubDnn():
            statements = _renamed(step.statements, names)
            return SubDnn(
                statements=statements,  # type: ignore[arg-type]
                inputs=exposed_reads(statements, variables),
                outputs=tuple(names[name] for name in step.outputs),
                then=then,
            )
        case _:
            raise AssertionError(step)


def _renamed(statements: Sequence[Statement], names: Mapping[str, str]) -> tuple[Statement, ...]:
    made = (renamed_statement(statement, names) for statement in statements)
    return tuple(statement for statement in made if statement is not None)


def _taken(call: CallStatement, result: ast.expr) -> tuple[Copy, ...]:
    """Return the copies that give a function's result to the variables of a call."""
    pairs = [*_pairs(call.pattern, result)]
    if not pairs:
        return ()
    targets, sources = zip(*pairs, strict=True)
    return (Copy(targets=targets, sources=sources, origin=call.origin),)


def _fits(pattern: Pattern, result: ast.expr) -> bool:
    """Return whether a result has the parts that the variables of a call are for."""
    match pattern, result:
        case tuple(), ast.Tuple(elts=parts):
            return len(parts) == len(pattern) and all(map(_fits, pattern, parts))
        case _:
            return not isinstance(pattern, tuple)


def _pairs(pattern: Pattern, result: ast.expr) -> list[tuple[str, ast.expr]]:
    match pattern, result:
        case None, _:
            return []
        case str(), _:
            return [(pattern, result)]
        case tuple(), ast.Tuple(elts=parts) if len(parts) == len(pattern):
            return [
                pair for p, part in zip(pattern, parts, strict=True) for pair in _pairs(p, part)
            ]
        case _:
            raise AssertionError(ast.unparse(result))
