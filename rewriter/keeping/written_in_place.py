"""Tensors that the model keeps, writes in place and gives back: an earlier result sees the write.

The state holds the very array that the caller was given. A call computes with a copy of it, and
what it has written is put into that array wherever the call may end:

    hidden_held = state["hidden"]
    hidden = copy.deepcopy(hidden_held)
    ...
    operator.setitem(hidden_held, ..., hidden_2)
    return hidden_held
"""

import ast
import copy
import operator
from dataclasses import dataclass, replace

import torch

from rewriter.builder import tensor_spec
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Run
from rewriter.flattening import Flattening, Roots
from rewriter.keeping.roots import Key
from rewriter.origin import Origin
from rewriter.program import HostStatement
from rewriter.state import Completion, Returned, State
from rewriter.storages import same_view
from rewriter.values import (
    Cell,
    DictCell,
    ListCell,
    Reference,
    TensorValue,
    TupleValue,
    Value,
)


def begin(run: Run, state: State, key: Key, held: TensorValue, begun: TensorValue) -> None:
    """At the entry: follow the tensor of the state, ``held``, and the copy that ``begun`` is.

    Both are handed over to functions of their own, like attributes that were written.
    """
    state.attributes[_held_key(key)] = held
    state.attributes[_begun_key(key)] = begun
    run.held.begun[state.phase, key] = begun.name


def _held_key(key: Key) -> Key:
    return _beside(key, "held")


def _begun_key(key: Key) -> Key:
    return _beside(key, "begun")


def _beside(key: Key, word: str) -> Key:
    """Return a key that no attribute has: no object lies right behind the beginning of one."""
    name = "".join(c if c.isalnum() else "_" for c in key[1])
    return key[0] + 1, f"{name}_{word}"


def copied(run: Run, state: State, value: TensorValue, like: TensorValue, origin: Origin) -> str:
    """Emit a copy of a tensor; return its variable, which is called as that of another one."""
    hint = run.builder.variables[like.name].hint.removesuffix("_held")
    name = run.builder.variable(hint, tensor_spec(value.fake))
    function = run.builder.reference(copy.deepcopy, "copy.deepcopy")
    expression = call_expression(function, [name_expression(value.name)])
    run.builder.emit(
        state.block,
        HostStatement(target=name, expression=expression, origin=origin, effect=True),
    )
    return name


def write_into_held(run: Run, state: State, origin: Origin) -> None:
    """Where the call may end: put what was written into the tensors that callers may have."""
    for (phase, key), name in run.held.begun.items():
        if phase != state.phase:
            continue
        begun, held = _pair(run, state, key)
        now = state.current(begun)
        if now.name != name:
            function = run.builder.reference(operator.setitem, "operator.setitem")
            everything = ast.Constant(value=Ellipsis)
            given = [name_expression(held.name), everything, name_expression(now.name)]
            host_effect(run, state, call_expression(function, given), origin, may_raise=False)


def _pair(run: Run, state: State, key: Key) -> tuple[TensorValue, TensorValue]:
    begun, held = (state.attributes[of(key)] for of in (_begun_key, _held_key))
    assert isinstance(begun, TensorValue)
    assert isinstance(held, TensorValue)
    return begun, held


def held_instead(run: Run, state: State, value: Value | None) -> TensorValue | None:
    """Return the tensor that the state holds, where a value is what that was when a call began."""
    if not isinstance(value, TensorValue):
        return None
    now = state.current(value)
    for phase, key in run.held.begun:
        if phase == state.phase:
            begun, held = _pair(run, state, key)
            is_it = state.current(begun).name == now.name
            if is_it and same_view(state.current(begun).fake, now.fake):
                return held
    return None


def own_copy(run: Run, state: State, value: Value | None, origin: Origin) -> TensorValue | None:
    """Return what the state gets for a tensor that later calls write in place.

    That is what it holds already, or a copy of what the call has put there: nothing else may be
    that array. None where it is no tensor.
    """
    held = held_instead(run, state, value)
    if held is not None or not isinstance(value, TensorValue):
        return held
    now = state.current(value)
    if now.name not in run.held.own_copies:
        with run.mode:
            fake = torch.empty_like(now.fake)
        run.held.own_copies[now.name] = TensorValue(copied(run, state, now, now, origin), fake)
    return run.held.own_copies[now.name]


def is_elsewhere(run: Run, state: State, key: Key, value: TensorValue) -> bool:
    """Return whether a tensor that is kept as an attribute is, or shares, one that others hold.

    That of the attribute itself is written where they see it.
    """
    group = run.storages.group
    for phase, other in run.held.begun:
        if phase == state.phase:
            begun = state.current(_pair(run, state, other)[0])
            if group(begun.fake) == group(value.fake) and not (
                other == key and held_instead(run, state, value) is not None
            ):
                return True
    return False


def with_held_results(run: Run, completion: Completion, origin: Origin) -> Completion:
    """Return the end of a call that gives back the very arrays that the state holds."""
    run.held.own_copies.clear()
    if not run.plan.in_place or not isinstance(completion, Returned):
        return completion
    state = completion.state
    kept = [own_copy(run, state, state.attributes.get(key), origin) for key in run.plan.in_place]
    del kept  # they are found by their names
    everything = Flattening(state, Roots(frames=(), attributes=tuple(state.attributes))).run()
    giving = _Giving(run, state, {*everything.cells, *run.lasting_cells})
    return replace(completion, value=giving.value(completion.value))


@dataclass(slots=True)
class _Giving:
    run: Run
    state: State
    seen: set[int]
    """Containers that are kept, or were seen."""

    def value(self, value: Value) -> Value:
        """Return a part of the result, with what the state holds."""
        match value:
            case TensorValue():
                now = self.state.current(value).name
                held = held_instead(self.run, self.state, value)
                return held or self.run.held.own_copies.get(now, value)
            case TupleValue():
                return replace(value, items=tuple(map(self.value, value.items)))
            case Reference() if value.identity not in self.seen:
                self.seen.add(value.identity)
                self._cell(value.identity, self.state.heap[value.identity])
                return value
            case _:
                return value

    def _cell(self, identity: int, cell: Cell) -> None:
        match cell:
            case ListCell():
                items = tuple(map(self.value, cell.items))
                self.state.heap[identity] = replace(cell, items=items)
            case DictCell():
                pairs = {key: self.value(each) for key, each in cell.items.items()}
                self.state.heap[identity] = replace(cell, items=pairs)
            case _:
                return
