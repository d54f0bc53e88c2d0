"""Python's scoping rules over libcst: which names a function binds, and who reads what."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from rewriter.descendants import children_of

_SCOPES = frozenset({cst.FunctionDef, cst.Lambda, cst.ClassDef})
_NOTED = _SCOPES | {
    *(cst.AssignTarget, cst.For, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.AsName),
    *(cst.Import, cst.ImportFrom, cst.Del, cst.MatchAs, cst.MatchStar, cst.MatchMapping),
    *(cst.Global, cst.Nonlocal, cst.Yield, cst.GeneratorExp),
}
"""The kinds of nodes that a scope depends on: to ask for the kind is faster than to match all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The names of one function."""

    local: frozenset[str]
    """Names bound anywhere in the function: parameters, assignments, loops, imports."""
    declared_global: frozenset[str]
    declared_nonlocal: frozenset[str]
    captured: frozenset[str]
    """Names that nested functions, lambdas and generator expressions may read later."""
    encloses: bool
    """Whether there are such, which hold on to the variables around them."""
    read_by_super: frozenset[str]
    """The first parameter, where ``super()`` may read it without naming it."""
    is_generator: bool
    is_async: bool


def scope_of(function: cst.FunctionDef | cst.Lambda) -> Scope:
    """Compute the scope of a function."""
    parameters = parameter_names(function.params)
    bound = set(parameters)
    declared_global: set[str] = set()
    declared_nonlocal: set[str] = set()
    captured: set[str] = set()
    encloses = is_generator = False
    for node in filter(_is_noted, _own_nodes(function.body)):
        bound |= _bound_by(node)
        match node:
            case cst.Global():
                declared_global |= {item.name.value for item in node.names}
            case cst.Nonlocal():
                declared_nonlocal |= {item.name.value for item in node.names}
            case cst.Yield():
                is_generator = True
            case cst.FunctionDef() | cst.Lambda() | cst.ClassDef() | cst.GeneratorExp():
                captured |= _not_its_own(node)
                encloses = True
    return Scope(
        local=frozenset(bound - declared_global - declared_nonlocal),
        declared_global=frozenset(declared_global),
        declared_nonlocal=frozenset(declared_nonlocal),
        captured=frozenset(captured),
        encloses=encloses,
        read_by_super=frozenset(parameters[:1] if "super" in names_read(function.body) else ()),
        is_generator=is_generator,
        is_async=isinstance(function, cst.FunctionDef) and function.asynchronous is not None,
    )


def _not_its_own(node: cst.CSTNode) -> frozenset[str]:
    """Return the names that a nested scope may read of those around it."""
    own = scope_of(node).local if isinstance(node, cst.FunctionDef | cst.Lambda) else frozenset()
    return names_read(node) - own


def bindings(function: cst.FunctionDef) -> Iterator[tuple[cst.CSTNode, set[str]]]:
    """Yield each statement or expression of a function that binds names, and these names."""
    for node in filter(_is_noted, _own_nodes(function.body)):
        bound = _bound_by(node)
        if bound:
            yield node, bound


def parameter_names(parameters: cst.Parameters) -> tuple[str, ...]:
    """Return the names of all parameters, in order."""
    every: list[cst.Param] = [*parameters.posonly_params, *parameters.params]
    if isinstance(parameters.star_arg, cst.Param):
        every.append(parameters.star_arg)
    every += parameters.kwonly_params
    if parameters.star_kwarg is not None:
        every.append(parameters.star_kwarg)
    return tuple(param.name.value for param in every)


def contains_yield(node: cst.CSTNode) -> bool:
    """Return whether a statement of a function yields, nested functions left aside."""
    return any(isinstance(part, cst.Yield) for part in _own_nodes(node))


def _own_nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes of a function that are not inside a nested scope.

    A target of a comprehension is not one of them: it is bound inside it.
    """
    pending: list[cst.CSTNode] = [node]
    while pending:
        found = pending.pop()
        kind = type(found)
        if kind is cst.CompFor:
            assert isinstance(found, cst.CompFor)
            clauses = [found.inner_for_in] if found.inner_for_in is not None else []
            pending += [*clauses, *reversed(found.ifs), found.iter]
            continue
        yield found
        if kind not in _SCOPES:
            pending += reversed(children_of(found))


def _is_noted(node: cst.CSTNode) -> bool:
    return type(node) in _NOTED


def _bound_by(node: cst.CSTNode) -> set[str]:
    match node:
        case cst.AssignTarget(target=target) | cst.For(target=target):
            return set(target_names(target))
        case cst.AnnAssign(target=target) | cst.AugAssign(target=target):
            return set(target_names(target))
        case cst.NamedExpr(target=target):
            return set(target_names(target))
        case cst.AsName(name=name):
            return set(target_names(name))
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            return {name.value}
        case cst.Import(names=names):
            return {
                alias.evaluated_alias or alias.evaluated_name.partition(".")[0] for alias in names
            }
        case cst.ImportFrom(names=names) if not isinstance(names, cst.ImportStar):
            return {alias.evaluated_alias or alias.evaluated_name for alias in names}
        case cst.Del(target=target):
            return set(target_names(target))
        case (
            cst.MatchAs(name=cst.Name(value=name))
            | cst.MatchStar(name=cst.Name(value=name))
            | cst.MatchMapping(rest=cst.Name(value=name))
        ):
            return {name}
        case _:
            return set()


def target_names(target: cst.CSTNode) -> Iterator[str]:
    """Yield the names that an assignment target binds."""
    match target:
        case cst.Name():
            yield target.value
        case cst.Tuple() | cst.List():
            for element in target.elements:
                yield from target_names(element.value)
        case cst.StarredElement():
            yield from target_names(target.value)
        case _:
            return


_READS: dict[cst.CSTNode, frozenset[str]] = {}


def names_read(node: cst.CSTNode) -> frozenset[str]:
    """Return a superset of the names read anywhere in a node, nested scopes included."""
    known = _READS.get(node)
    if known is None:
        match node:
            case cst.Name():
                known = frozenset((node.value,))
            case cst.Attribute():
                known = names_read(node.value)
            case _:
                known = frozenset().union(*(names_read(child) for child in children_of(node)))
        _READS[node] = known
    return known
