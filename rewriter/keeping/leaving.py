"""The ends of a call: what is kept is described and stored."""

import ast
import copy
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping

import torch

from rewriter.builder import literal_expression
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Run
from rewriter.flattening import Flattening, Roots
from rewriter.keeping.describing import Describing
from rewriter.keeping.giving_back import key_of
from rewriter.keeping.kept_keys import host_keys, stored_key
from rewriter.keeping.noting import state_table
from rewriter.keeping.objects_left import note_objects_left
from rewriter.keeping.plan import PHASE, Plan
from rewriter.keeping.records import require_apart
from rewriter.keeping.roots import Key
from rewriter.keeping.shapes import Fixed, Phase, Shape, Unkeepable, Unset
from rewriter.keeping.written_in_place import is_elsewhere, own_copy
from rewriter.origin import Origin
from rewriter.plain_objects import looks_up_itself
from rewriter.state import State
from rewriter.storages import same_view
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SetCell,
    TensorValue,
    TupleValue,
    Value,
)


def describe(run: Run, plan: Plan, state: State, leaving: tuple[Value, ...]) -> Phase:
    """Return how a path leaves the roots; ``leaving`` is what the caller gets.

    So are containers of the caller's that the call changes. Raises Unkeepable.
    """
    group = run.storages.group  # after a join, a tensor may be any that came to it
    given = (state.attributes[key_of(run, place)] for place in run.containers.lent)
    leaving = (*leaving, *given)
    note_objects_left(run, state, leaving)
    seen = _storages(run, state, leaving)
    counts: dict[int, int] = {}
    keys = tuple(key for key in plan.roots if key in state.attributes)
    own_root = _own_roots(plan, state)
    leaves = Flattening(state, Roots(frames=(), attributes=keys)).run().leaves
    held = [*(state.attributes[key] for key in keys), *leaves]
    # what is kept itself counts where it is no part of a container
    for at, leaf in enumerate(held):
        if isinstance(leaf, TensorValue) and (at < len(keys)) == (own_root(leaf) is not None):
            key = group(leaf.fake)
            counts[key] = counts.get(key, 0) + 1

    place: list[Key] = []

    def is_shared(value: TensorValue) -> bool:
        key = group(value.fake)
        if is_elsewhere(run, state, place[-1], value):
            return True
        return key in seen or counts.get(key, 0) > 1 or run.storages.may_last(value.fake)

    describing = Describing(plan.growing, plan.open_sizes, state, is_shared, own_root)
    shapes: list[Shape] = []
    for root in plan.roots.values():
        value = state.attributes.get(root.key)
        place.append(root.key)
        if value is None:
            shapes.append(Unset())
            continue
        try:
            shapes.append(describing.value(value, (root.name,)))
        except Unkeepable as error:
            raise Unkeepable(f"{error}: {root.name}") from error
    require_apart(shapes)
    return tuple(shapes)


def _own_roots(plan: Plan, state: State) -> Callable[[TensorValue], torch.Tensor | None]:
    """Return what tells which tensor of the model, that is kept itself, a value is."""
    own: dict[str, list[tuple[torch.Tensor, torch.Tensor]]] = {}
    for root in plan.roots.values():
        value = state.attributes.get(root.key)
        content = root.content if root.attribute is None else None
        if isinstance(content, torch.Tensor) and isinstance(value, TensorValue):
            now = state.current(value)
            own.setdefault(now.name, []).append((now.fake, content))

    def own_root(value: TensorValue) -> torch.Tensor | None:
        now = state.current(value)
        found = (t for fake, t in own.get(now.name, ()) if same_view(fake, now.fake))
        return next(found, None)

    return own_root


def _storages(run: Run, state: State, values: tuple[Value, ...]) -> set[int]:
    """Return the storages that values may have, as groups of those that may be the same."""
    group = run.storages.group
    leaves = Flattening(state, Roots(frames=(), extra=values)).run().leaves
    found = {group(leaf.fake) for leaf in leaves if isinstance(leaf, TensorValue)}
    return found | {
        group(leaf.value)
        for leaf in leaves
        if isinstance(leaf, Known) and isinstance(leaf.value, torch.Tensor)
    }


def stored(run: Run, state: State, value: Value) -> ast.expr | None:
    """Return the expression of a value to be kept, None for what the host cannot hold."""
    try:
        return _stored(run, state, value, ())
    except _ContainsItself:
        return None


class _ContainsItself(Exception):
    """An object is one of those around it."""


def _stored(run: Run, state: State, value: Value, inside: tuple[int, ...]) -> ast.expr | None:
    match value:
        case TensorValue():
            return name_expression(state.current(value).name)
        case ScalarValue() | HostValue():
            return name_expression(value.name)
        case Known():
            return _stored_known(run, value)
        case TupleValue():
            items = [_stored_part(run, state, item, inside) for item in value.items]
            return ast.Tuple(elts=items, ctx=ast.Load())
        case Reference():
            return _stored_cell(run, state, value, inside)
        case _:
            return None


def _stored_known(run: Run, value: Known) -> ast.expr | None:
    content = value.value
    literal = literal_expression(content)
    if literal is not None:
        return literal
    if isinstance(content, torch.Tensor):
        return run.builder.reference(content, run.path_of(value))
    if type(content) in (tuple, list):
        parts = [_stored_known(run, Known(item)) or ast.Constant(value=None) for item in content]
        display = ast.Tuple if type(content) is tuple else ast.List
        return display(elts=parts, ctx=ast.Load())
    return None


def _stored_part(run: Run, state: State, value: Value, inside: tuple[int, ...]) -> ast.expr:
    return _stored(run, state, value, inside) or ast.Constant(value=None)


def _stored_cell(
    run: Run, state: State, value: Reference, inside: tuple[int, ...]
) -> ast.expr | None:
    if value.identity in inside:
        raise _ContainsItself
    inside = (*inside, value.identity)
    match state.heap[value.identity]:
        case ListCell(attributes=named) | DictCell(attributes=named) if named:
            return None
        case ListCell() as cell:
            items = [_stored_part(run, state, item, inside) for item in cell.items]
            return ast.List(elts=items, ctx=ast.Load())
        case RunTimeCell() as cell:
            return name_expression(cell.name)
        case DictCell() as cell:
            return _dict(run, state, cell.items.items(), inside)
        case ObjectCell() as cell if looks_up_itself(cell.kind):
            return None
        case ObjectCell() as cell:
            return _dict(run, state, cell.attributes.items(), inside)
        case SetCell() as cell:
            return _stored_set(cell.items)
        case _:
            return None


def _dict(
    run: Run, state: State, items: Iterable[tuple[object, Value]], inside: tuple[int, ...]
) -> ast.expr | None:
    given = dict(items)
    named = zip(host_keys(given), given.values(), strict=True)
    pairs = [(stored_key(key), _stored_part(run, state, v, inside)) for key, v in named]
    keys = [key for key, _ in pairs if key is not None]
    if len(keys) < len(pairs):
        return None
    return ast.Dict(keys=list(keys), values=[v for _, v in pairs])


def _stored_set(items: Iterable[object]) -> ast.expr | None:
    keys = tuple(items)
    if any(stored_key(key) is None for key in keys):
        return None
    return literal_expression(set(keys))


def update(run: Run, state: State, entries: Mapping[str, ast.expr], origin: Origin) -> None:
    """Emit the store of entries of the state."""
    table = ast.Attribute(value=state_table(run), attr="update", ctx=ast.Load())
    keys: list[ast.expr | None] = [ast.Constant(value=name) for name in entries]
    display = ast.Dict(keys=keys, values=list(entries.values()))
    host_effect(run, state, call_expression(table, [display]), origin, may_raise=False)


def changed(run: Run, state: State, key: Key) -> bool:
    """Return whether a root may hold something else than when the call began."""
    value = state.attributes.get(key)
    loaded, cell = run.loaded.get((state.phase, key), (None, None))
    if value is not loaded:
        return True
    match value:
        case TensorValue():
            return state.current(value) is not value
        case Reference():
            return state.heap[value.identity] is not cell or not is_flat(cell)
        case _:
            return False


def is_flat(cell: object) -> bool:
    """Return whether a container holds no other mutable object."""
    match cell:
        case ListCell():
            return all(isinstance(item, Known | ScalarValue) for item in cell.items)
        case DictCell():
            return all(isinstance(item, Known | ScalarValue) for item in cell.items.values())
        case _:
            return False


def store(run: Run, plan: Plan, state: State, phase: Phase, origin: Origin) -> None:
    """Emit the store of all roots at the end of a path. Raises Unkeepable."""
    entries: dict[str, ast.expr] = {}
    for root, shape in zip(plan.roots.values(), phase, strict=True):
        value = state.attributes.get(root.key)
        is_stored = root.key in run.stored_early
        if value is None or not (is_stored or changed(run, state, root.key)):
            continue
        own = own_copy(run, state, value, origin) if root.key in plan.in_place else None
        expression = stored(run, state, own or value)
        if expression is not None:
            entries[root.name] = expression
        elif not isinstance(shape, Fixed):
            raise Unkeepable(f"what is stored in {root.name} cannot be kept on the host")
    if len(plan.phases) > 1:
        entries[PHASE] = ast.Constant(value=plan.phase_number(phase))
    if entries:
        update(run, state, entries, origin)


def initial_content(content: object) -> object:
    """Return a copy of what is kept at compile time; objects that no host can hold are None."""
    match content:
        case torch.Tensor():
            return content.detach().clone()
        case list() if type(content) is list:
            return [initial_content(item) for item in content]
        case tuple():  # named ones are such on the host, too
            return tuple(map(initial_content, content))
        case dict():
            values = map(initial_content, content.values())
            items = dict(zip(host_keys(content), values, strict=True))
            kind = type(content)
            return kind(items) if kind in (OrderedDict, Counter) else items
        case bool() | int() | float() | str() | None:
            return content
        case set() | frozenset():
            return copy.copy(content)
        case Iterable() if not callable(content):
            return [initial_content(item) for item in content]
        case _:
            return None
