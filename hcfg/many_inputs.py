"""Whether many inputs may run together: nobody may tell from it which one ran first.

The host program is then run for all inputs in turns, each as far as its next sub-DNN. So it may
change nothing but what is its own: containers that it has made itself.
"""

import ast
import builtins
import math
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from hcfg.batching import subdnns_of
from hcfg.edit import ordered
from hcfg.flow import part_of
from hcfg.graph import Hcfg, HostBlock, SubDnn, origins, parameter_variables
from hcfg.names import names_in
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.origin import Origin
from rewriter.parameters import (
    InputSpec,
    MappingInput,
    ObjectInput,
    SequenceInput,
    StaticInput,
    VariableInput,
)
from rewriter.program import (
    CallStatement,
    Copy,
    HostStatement,
    ScalarSpec,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
)
from rewriter.program_names import statement_targets

CODE = "DYCL440"

_READING = frozenset({
    "astype", "copy", "count", "difference", "encode", "endswith", "find", "format", "get", "index",
    "intersection", "isalnum", "isalpha", "isdigit", "isdisjoint", "isspace", "issubset",
    "issuperset", "item", "items", "join", "keys", "lower", "lstrip", "partition", "replace",
    "reshape", "rfind", "rindex", "rpartition", "rsplit", "rstrip", "split", "splitlines",
    "startswith", "strip", "title", "tolist", "union", "upper", "values", "zfill",
})  # fmt: skip
"""Methods of containers, text and arrays that change nothing."""

_MAKING = (list, dict, set, sorted, Counter, OrderedDict, defaultdict, deque)
_PURE = (
    *_MAKING, abs, all, any, bool, chr, divmod, enumerate, filter, float, frozenset, int,
    isinstance, iter, len, map, max, min, ord, pow, range, repr, reversed, round, slice, str, sum,
    tuple, type, zip,
)  # fmt: skip
_ON_OPERANDS = frozenset({
    "_bisect", "_functools", "_heapq", "_operator", "bisect", "functools", "heapq", "itertools",
    "operator",
})  # fmt: skip
"""Modules whose functions change nothing but what they are called with, if that."""


def require_independent(graph: Hcfg) -> None:
    """Raise ``CompileError`` with all reasons why inputs of ``graph`` cannot run together."""
    reasons = dict.fromkeys(_reasons(graph))
    if reasons:
        raise CompileError(tuple(Diagnostic(code=CODE, message=m, origin=o) for m, o in reasons))


def without_batches_at(graph: Hcfg, places: Set[Origin | None]) -> Hcfg:
    """Return the graph without the batches of sub-DNNs at these lines: each input alone, there."""
    refused = {
        node_id
        for node_id, batch in graph.batches.items()
        if places & {*origins(graph.nodes[batch])}
    }
    late = {name for name in graph.put_off if refused & {*subdnns_of(graph, [name])}}
    kept = {node_id: batch for node_id, batch in graph.batches.items() if node_id not in refused}
    dropped = [graph.batches[node_id] for node_id in refused]
    functions = {
        name: each
        for name, each in graph.functions.items()
        if not {*part_of(graph, each.entry)} & {*dropped}
    }
    return ordered(
        replace(
            graph,
            batches=kept,
            functions=functions,
            batched=tuple(name for name in graph.batched if name not in late),
            batched_together=tuple(name for name in graph.batched_together if name not in late),
        )
    )


def _reasons(graph: Hcfg) -> Iterator[tuple[str, Origin | None]]:
    if not graph.batches:
        yield "inputs cannot run together: no sub-DNN can compute a batch of them", None
    if graph.state is not None:
        yield "inputs cannot run together: the model keeps state from one call to the next", None
    for parameter in graph.parameters:
        if _is_changed(parameter.spec):
            text = f"inputs cannot run together: the call changes its argument {parameter.name}"
            yield text, None
    specs = (graph.variables[name].spec for name in parameter_variables(graph))
    containers = [spec for spec in specs if not isinstance(spec, TensorSpec | ScalarSpec)]
    # What a call changes without containers of its caller, or state, it has made itself.
    own = _own_containers(graph) if containers else graph.variables.keys()
    for node in graph.nodes.values():
        for statement in node.statements if isinstance(node, HostBlock | SubDnn) else ():
            match statement:
                case TensorStatement(draws=str(drawn)):
                    yield (
                        f"inputs cannot run together: {drawn} draws random numbers",
                        (statement.origin),
                    )
                case HostStatement(effect=True) if not _is_private(
                    statement.expression, own, graph
                ):
                    yield (
                        "inputs cannot run together: this changes what others see",
                        statement.origin,
                    )


def _is_changed(spec: InputSpec) -> bool:
    match spec:
        case VariableInput():
            return spec.written
        case StaticInput():
            return False
        case SequenceInput():
            parts = spec.items
        case MappingInput():
            parts = tuple(part for _, part in spec.items)
        case ObjectInput():
            parts = tuple(part for _, part in spec.attributes)
    return spec.given is not None or any(map(_is_changed, parts))


def _own_containers(graph: Hcfg) -> Set[str]:
    """Return the variables that hold nothing but containers made by the program itself."""
    sources: dict[str, set[str]] = {}
    others = {each.name for each in graph.parameters}
    made: set[str] = set()
    for node in graph.nodes.values():
        for statement in node.statements if isinstance(node, HostBlock | SubDnn) else ():
            match statement:
                case Copy() | CallStatement():
                    for target, source in _handed_on(statement, graph):
                        sources.setdefault(target, set()).update(source)
                    if isinstance(statement, CallStatement):
                        others.update(statement_targets(statement))
                case HostStatement(target=str(target)) if _makes(statement.expression, graph):
                    made.add(target)
                case HostStatement() | TensorFromHost() | TensorStatement():
                    others.update(statement_targets(statement))
    own = (made | sources.keys()) - others
    while lost := {name for name in own if not sources.get(name, set()) <= own}:
        own -= lost
    return own


def _handed_on(statement: Copy | CallStatement, graph: Hcfg) -> Iterator[tuple[str, Set[str]]]:
    """Yield variables with where their values come from; others than variables are no names."""
    targets, values = (
        (statement.targets, statement.sources)
        if isinstance(statement, Copy)
        else (graph.functions[statement.function].parameters, statement.arguments)
    )
    for target, value in zip(targets, values, strict=True):
        yield target, {value.id if isinstance(value, ast.Name) else ""}


def _makes(expression: ast.expr, graph: Hcfg) -> bool:
    match expression:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=function):
            return any(_known(function, graph) is each for each in _MAKING)
        case _:
            return False


def _is_private(expression: ast.expr, own: Set[str], graph: Hcfg) -> bool:
    """Return whether an expression changes nothing but own containers; it may raise."""
    return all(
        _call_is_private(node, own, graph)
        if isinstance(node, ast.Call)
        else not isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr)
        for node in ast.walk(expression)
    )


def _call_is_private(call: ast.Call, own: Set[str], graph: Hcfg) -> bool:
    function = call.func
    if isinstance(function, ast.Attribute):
        holder = function.value
        return function.attr in _READING or (isinstance(holder, ast.Name) and holder.id in own)
    known = _known(function, graph)
    if known is None:
        return False
    if known is next or getattr(known, "__module__", None) in _ON_OPERANDS:
        names = (name for each in call.args for name in names_in(each))
        return all(name in own or _is_no_container(name, graph) for name in names)
    named = str(getattr(known, "__name__", ""))
    return any(known is each for each in _PURE) or getattr(math, named, None) is known


def _is_no_container(name: str, graph: Hcfg) -> bool:
    """Return whether a name stands for nothing that a function could change."""
    if name in graph.variables:
        return False
    known = graph.knowns[name].value if name in graph.knowns else None
    return callable(known) or known is None or isinstance(known, int | float | str | tuple)


def _known(function: ast.expr, graph: Hcfg) -> object:
    """Return the function that a name stands for, None for others."""
    if not isinstance(function, ast.Name) or function.id in graph.variables:
        return None
    if function.id in graph.knowns:
        return graph.knowns[function.id].value
    named: Mapping[str, object] = vars(builtins)
    return named.get(function.id)
