"""``torch.utils._pytree``: functions of the program that are called for each leaf of a tree.

The containers of a tree are of known structure, so its leaves are known one by one.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import libcst as cst
from torch.utils._pytree import (
    SUPPORTED_NODES,
    TreeSpec,
    is_namedtuple_class,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_map_only,
    tree_unflatten,
)

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.containers import mapping_items, sequence_items, tuple_value
from rewriter.evaluation.instances.stood_for import library_class
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.evaluation.tensors.tensor_indexing import each_made
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    Reference,
    TupleValue,
    Value,
    is_none,
)

_MAPPINGS: tuple[type, ...] = (dict, OrderedDict, defaultdict)


@dataclass(frozen=True, slots=True)
class _Tree:
    """A container, and in its places other containers, or None for leaves."""

    kind: type
    parts: "tuple[_Tree | None, ...]"
    keys: tuple[object, ...] = ()
    """Of a dict."""
    bound: int | None = None
    """``maxlen`` of a deque."""
    default_factory: Value | None = None


@special(tree_map)
def tree_map_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``tree_map(function, tree, *others)``."""
    function, *trees = _given(frame, node, positional, keywords, ("func", "tree"))
    found = [_flattened(frame, node, state, tree) for tree in trees]
    tree = found[0][0]
    if any(other != tree for other, _ in found):
        frame.refuse("DYCL039", node, "tree_map() of trees that are not of one structure")
    rows = tuple(map(TupleValue, zip(*(leaves for _, leaves in found), strict=True)))

    def made(before: State, row: Value) -> Outcomes:
        assert isinstance(row, TupleValue)
        return call_value(frame, node, before, function, list(row.items), {})

    for after, leaves in each_made(state, rows, made):
        yield after, _rebuilt(frame.run, after, tree, iter(leaves))


@special(tree_map_only)
def tree_map_only_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``tree_map_only(type or predicate, function, tree)``."""
    names = ("type_or_types_or_pred", "func", "tree")
    asked, function, given = _given(frame, node, positional, keywords, names)
    by_type = isinstance(asked, Known) and isinstance(asked.value, type | tuple)
    tree, before = _flattened(frame, node, state, given)

    def made(state: State, leaf: Value) -> Outcomes:
        test = (Known(isinstance), [leaf, asked]) if by_type else (asked, [leaf])
        for after, answer in call_value(frame, node, state, *test, {}):
            for arm, truth in truths(frame, node, after, answer):
                if truth:
                    yield from call_value(frame, node, arm, function, [leaf], {})
                else:
                    yield arm, leaf

    for after, leaves in each_made(state, before, made):
        yield after, _rebuilt(frame.run, after, tree, iter(leaves))


@special(tree_leaves)
def tree_leaves_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``tree_leaves(tree)``."""
    (given,) = _given(frame, node, positional, keywords, ("tree",))
    _, leaves = _flattened(frame, node, state, given)
    yield state, frame.run.allocate(state, ListCell(leaves))


@special(tree_flatten)
def tree_flatten_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``tree_flatten(tree)``: the leaves, and a known object that says how they lie."""
    (given,) = _given(frame, node, positional, keywords, ("tree",))
    tree, leaves = _flattened(frame, node, state, given)
    _, spec = tree_flatten(_sample(frame, node, tree))
    yield state, TupleValue((frame.run.allocate(state, ListCell(leaves)), Known(spec)))


@special(tree_unflatten)
def tree_unflatten_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``tree_unflatten(leaves, spec)``."""
    given, spec = _given(frame, node, positional, keywords, ("leaves", "treespec"))
    leaves = sequence_items(state, given)
    if leaves is None or not isinstance(spec, Known) or not isinstance(spec.value, TreeSpec):
        frame.refuse("DYCL039", node, "tree_unflatten() of leaves or a structure of run time")
    try:
        sample = tree_unflatten(range(len(leaves)), spec.value)
    except ValueError as error:
        frame.run.raise_known(state, error)
        return
    tree, _ = _flattened(frame, node, state, Known(sample))
    yield state, _rebuilt(frame.run, state, tree, iter(leaves))


def _given(
    frame: Frame, node: cst.CSTNode, positional: Positional, keywords: Keywords,
    names: tuple[str, ...],
) -> list[Value]:  # fmt: skip
    """Return the arguments in their order."""
    rest = {name: value for name, value in keywords.items() if name != "is_leaf"}
    named = [rest.pop(name) for name in names[len(positional) :] if name in rest]
    given = [*positional, *named]
    if rest or len(given) < len(names) or not is_none(keywords.get("is_leaf", Known(None))):
        frame.refuse("DYCL039", node, "a function of trees with these arguments")
    return given


def _flattened(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> tuple[_Tree | None, tuple[Value, ...]]:
    """Return how a tree's leaves lie, and the leaves."""
    kind = _kind(state, value)
    if not _is_container(frame, node, kind):
        return None, (value,)
    assert isinstance(kind, type)
    items = _items(state, value)
    if items is None:
        frame.refuse("DYCL039", node, "a tree whose structure is known only at run time")
    keys = tuple(items) if isinstance(items, Mapping) else ()
    parts = items.values() if isinstance(items, Mapping) else items
    found = [_flattened(frame, node, state, part) for part in parts]
    bound, factory = _settings(state, value)
    tree = _Tree(kind, tuple(part for part, _ in found), keys, bound, factory)
    return tree, tuple(leaf for _, leaves in found for leaf in leaves)


def _kind(state: State, value: Value) -> object:
    match value:
        case Known():
            return type(value.value)
        case TupleValue():
            return value.kind
        case Reference():
            return getattr(state.heap[value.identity], "kind", None)
        case _:
            return None


def _is_container(frame: Frame, node: cst.CSTNode, kind: object) -> bool:
    """Return whether what has a class is no leaf; refuse classes with functions of their own."""
    if not isinstance(kind, type):
        return False
    if kind in (tuple, list, deque, *_MAPPINGS) or is_namedtuple_class(kind):
        return True
    if library_class(kind) in SUPPORTED_NODES:
        frame.refuse("DYCL039", node, f"a tree that holds a {kind.__name__}")
    return False


def _items(state: State, value: Value) -> Mapping[object, Value] | tuple[Value, ...] | None:
    items = sequence_items(state, value)
    return mapping_items(state, value) if items is None else items


def _settings(state: State, value: Value) -> tuple[int | None, Value | None]:
    """Return the bound of a deque and what a dict makes of missing items."""
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if isinstance(cell, ListCell):
        return cell.bound, None
    if isinstance(cell, DictCell):
        return None, cell.default_factory
    factory = getattr(value.value, "default_factory", None) if isinstance(value, Known) else None
    return None, None if factory is None else Known(factory)


def _rebuilt(run: Run, state: State, tree: _Tree | None, leaves: Iterator[Value]) -> Value:
    """Return the tree with other leaves."""
    if tree is None:
        return next(leaves)
    items = tuple([_rebuilt(run, state, part, leaves) for part in tree.parts])
    if issubclass(tree.kind, tuple):
        return tuple_value(items) if tree.kind is tuple else TupleValue(items, tree.kind)
    if issubclass(tree.kind, dict):
        named = dict(zip(tree.keys, items, strict=True))
        return run.allocate(state, DictCell(named, tree.kind, tree.default_factory))
    return run.allocate(state, ListCell(items, tree.kind, bound=tree.bound))


def _sample(frame: Frame, node: cst.CSTNode, tree: _Tree | None) -> object:
    """Return a tree of the same structure that exists now."""
    if tree is None:
        return 0
    items = [_sample(frame, node, part) for part in tree.parts]
    if issubclass(tree.kind, defaultdict):
        frame.refuse("DYCL039", node, "the structure of a tree that holds a defaultdict")
    if issubclass(tree.kind, dict):
        return tree.kind(zip(tree.keys, items, strict=True))
    if issubclass(tree.kind, deque):
        return deque(items, tree.bound)
    return tree.kind(items) if tree.kind in (tuple, list) else tree.kind(*items)
