"""Tensors that containers of the host hold and that the program writes in place.

    rows[i][0] = x                 held = rows[i]
                                   row = copied(held)
                            ->     row[0] = x              tensor code, as of any tensor
                                   refill(held, row)

Each such tensor has an array of its own (its home), which all containers that hold it share: put
into them is a copy, made when the tensor is first put into one. What the program's variables hold
are copies, too, which are taken anew after every write, whichever home was written: two elements
may be one tensor. Memory that anything else may share has no home: it is not written.
"""

import ast
from collections.abc import Collection, Iterable
from typing import NoReturn

import libcst as cst
import torch

from rewriter.builder import tensor_spec
from rewriter.evaluation.host.host_statements import emit_host, host_effect, host_tensor
from rewriter.evaluation.leaf.retaking import retakes_of
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame, Run
from rewriter.evaluation.tensors.holders import live_tensors
from rewriter.homes import Home, Refilled
from rewriter.host_types import TensorType
from rewriter.loose_types import Note, Where
from rewriter.origin import Origin
from rewriter.program import HostSpec, TensorStatement
from rewriter.refilling import copied, refill
from rewriter.size_expressions import is_dense_layout
from rewriter.state import State
from rewriter.storages import same_view, storage_key
from rewriter.values import HostValue, Known, TensorValue, Value

_ADVICE = "work on a clone()"


def taken_tensor(
    run: Run, state: State, expression: ast.expr, given: TensorType, origin: Origin,
    places: tuple[Where, ...], *, effect: bool, may_raise: bool,
) -> TensorValue:  # fmt: skip
    """Emit the statements that take a tensor out of a container of the host."""
    emitted = {"effect": effect, "may_raise": may_raise}
    if not given.written:
        found = host_tensor(run, state, expression, given.like, origin, given.any_size, **emitted)
        run.storages.note_places(found.fake, places)
        return found
    array = _array(run, state, expression, origin, **emitted)
    content = _copied(run, name_expression(array.name))
    found = host_tensor(
        run, state, content, given.like, origin, given.any_size, effect=True, may_raise=False
    )
    run.storages.give_home(found.fake)
    state.homes[storage_key(found.fake)] = Home(array, found)
    return found


def put_tensor(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, wanted: TensorType
) -> ast.expr | None:
    """Return what stands for a tensor in a container of the host; None for what it is there."""
    if not isinstance(value, TensorValue):
        if wanted.written and isinstance(value, Known):
            _refuse_put(frame, node)
        return None
    run, tensor = frame.run, state.current(value)
    home = state.home(tensor)
    if not wanted.written:
        if run.storages.may_have_home(tensor.fake):
            _refuse_put(frame, node)
        return None
    if home is None:
        if not _is_private(run, state, tensor):
            note_written(run, state, tensor.fake)
            _refuse_put(frame, node)
        content = _copied(run, name_expression(tensor.name))
        array = _array(run, state, content, frame.origin(node), effect=True, may_raise=False)
        run.storages.give_home(tensor.fake)
        home = state.homes[storage_key(tensor.fake)] = Home(array, tensor)
    elif not home.is_of(tensor):
        _refuse_put(frame, node)
    return name_expression(home.array.name)


def _refuse_put(frame: Frame, node: cst.CSTNode) -> NoReturn:
    frame.refuse(
        "DYCL034",
        node,
        "a tensor is kept in a container known only at run time, and written there, whose memory "
        "another one may share",
        _ADVICE,
    )


def refuse_stale(frame: Frame, node: cst.CSTNode) -> NoReturn:
    """Refuse a write that may change a tensor which cannot be taken anew."""
    frame.refuse(
        "DYCL035",
        node,
        "a tensor in a container known only at run time is written, of which another live tensor "
        "may be a part",
        "clone() the part",
    )


def _array(
    run: Run, state: State, expression: ast.expr, origin: Origin, *, effect: bool, may_raise: bool
) -> HostValue:
    name = run.builder.variable("_held", HostSpec(description="tensor"))
    emit_host(run, state, name, expression, origin, effect, may_raise=may_raise)
    return HostValue(name, Refilled())


def _copied(run: Run, content: ast.expr) -> ast.expr:
    return call_expression(run.builder.reference(copied, copied.__name__), [content])


def _is_private(run: Run, state: State, tensor: TensorValue) -> bool:
    """Return whether nothing else shares a tensor's memory, but names for the same elements."""
    storages, fake = run.storages, tensor.fake
    if not storages.may_get_home(fake) or storages.may_be_exported(fake) or not _lies_by_rows(fake):
        return False
    return all(
        same_view(other.fake, fake) or not storages.may_coincide(other.fake, fake)
        for other in live_tensors(run, state)
    )


def _lies_by_rows(fake: torch.Tensor) -> bool:
    return is_dense_layout(fake) and not fake.is_conj() and not fake.is_neg()


def note_written(run: Run, state: State, tensor: torch.Tensor) -> None:
    """Take note of the places that hold a tensor which is written, for another evaluation."""
    places = run.storages.places_of(tensor)
    state.places.found.update(Note(place, path, "written") for place, path in places)


def write_back(
    run: Run, state: State, origin: Origin, written: Iterable[torch.Tensor]
) -> TensorValue | None:
    """Store tensors that were written into their homes, and take all others anew.

    Returns a tensor that cannot be taken anew, where there is one.
    """
    homes = {storage_key(x): state.homes.get(storage_key(x)) for x in written}
    if not any(homes.values()):
        return None
    if run.storages.traced:
        return next(home.whole for home in homes.values() if home is not None)
    function = run.builder.reference(refill, refill.__name__)
    for home in homes.values():
        if home is not None:
            parts = [home.array.name, state.current(home.whole).name]
            effect = call_expression(function, [*map(name_expression, parts)])
            host_effect(run, state, effect, origin, may_raise=False)
    return take_anew(run, state, origin, (), homes.keys())


def take_anew(
    run: Run, state: State, origin: Origin, extra: Iterable[Value], written: Collection[int] = ()
) -> TensorValue | None:
    """Give tensors of the program what their homes hold now; ``written`` have it already.

    Returns a tensor that cannot be taken anew, where there is one.
    """
    if not run.storages.any_home:
        return None
    if run.storages.traced and state.homes:
        return next(iter(state.homes.values())).whole
    given = (state.current(value) for value in extra if isinstance(value, TensorValue))
    leaves = {leaf.name: leaf for leaf in (*live_tensors(run, state), *given)}
    by_home: dict[int, dict[str, TensorValue]] = {}
    for leaf in leaves.values():
        key = storage_key(leaf.fake)
        home = state.homes.get(key)
        if home is None and run.storages.may_have_home(leaf.fake):
            return leaf
        if home is not None and key not in written:
            whole = state.current(home.whole)
            by_home.setdefault(key, {whole.name: whole})[leaf.name] = leaf
    for key, parts in by_home.items():
        for leaf in _whole_first(state.homes[key], parts.values()):
            if not _is_taken_anew(run, state, origin, state.homes[key], leaf):
                return leaf
    return None


def _whole_first(home: Home, leaves: Iterable[TensorValue]) -> list[TensorValue]:
    return sorted(leaves, key=lambda leaf: not home.is_of(leaf))


def _is_taken_anew(run: Run, state: State, origin: Origin, home: Home, leaf: TensorValue) -> bool:
    hint = run.builder.variables[leaf.name].hint
    name = run.builder.variable(hint, tensor_spec(leaf.fake))
    run.storages.inherit(name, leaf.name)
    if home.is_of(leaf):
        content = _copied(run, name_expression(home.array.name))
        emit_host(run, state, name, content, origin, True, may_raise=False)
    else:
        whole = state.current(home.whole)
        found = dict(retakes_of([whole, leaf]))
        if leaf.name not in found:
            return False
        run.effects += 1
        run.builder.emit(
            state.block,
            TensorStatement(pattern=name, expression=found[leaf.name], origin=origin),
        )
    state.rename(leaf, TensorValue(name, leaf.fake))
    return True
