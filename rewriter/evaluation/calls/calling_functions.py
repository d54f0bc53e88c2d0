"""The call of a specialised function: what it takes, gives back and changed, for the caller."""

import ast
from collections.abc import Iterator, Mapping

import libcst as cst

from rewriter.builder import tensor_spec
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.abstract_calls import AbstractCall
from rewriter.evaluation.calls.call_results import Constant, Made, Outcome, Passed
from rewriter.evaluation.calls.call_table import Specialisation
from rewriter.evaluation.calls.open_sizes import shapes_of, tensor_of
from rewriter.evaluation.calls.written_arguments import (
    new_contents,
    require_writable,
    write_contents,
)
from rewriter.evaluation.control.container_changes import is_disturbed, note_change, tell_walks
from rewriter.evaluation.host.array_memory import lay_tensor_over_any
from rewriter.evaluation.host.before_errors import after_call, before_call
from rewriter.evaluation.operands import tensors_of
from rewriter.evaluation.refusals import RefusedForGood
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.evaluation.run_time.refilling import refuse_stale, take_anew
from rewriter.evaluation.same_values import changed_cells, is_changed
from rewriter.evaluation.tensors.size_values import give_sizes
from rewriter.leaf_joins import LeafJoiner
from rewriter.leaves import residual_name, tensor_of_leaf
from rewriter.program import CallStatement, Pattern, Raise, ScalarSpec
from rewriter.rebuilding import substitute
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Cell, IteratorValue, TensorValue, Value

_TOO_DEEP = "a `try` may catch that calls are nested too deeply"


def call_function(
    frame: Frame, node: cst.CSTNode, state: State, function: Specialisation, call: AbstractCall
) -> Outcomes:
    """Emit a call; yield the caller's state and the result for every way it may end."""
    run = frame.run
    run.calls.ask(function)
    if run.unbound_reads:
        run.unbound_reads[-1] |= function.unbound_reads
    if not (function.outcomes or function.is_complete or function.never_returns):
        return iter(())  # taken not to return, for now
    origin = frame.origin(node)
    if run.guarded_depth and not function.outcomes:
        raise RefusedForGood(Diagnostic(code="DYCL063", message=_TOO_DEEP, origin=origin))
    if run.counted_depth:
        frame.refuse("DYCL063", node, _TOO_DEEP)
    require_writable(frame, node, function, call)
    run.effects += 1
    announced = before_call(run, state, origin)
    joiner = run.leaf_joiner()
    made = [_made_leaves(run, joiner, outcome, call) for outcome in function.outcomes]
    names = [residual_name(leaf) for leaves in made for leaf in leaves.values()]
    contents = new_contents(run, function, call)
    names += [content.name for content in contents]
    tag = None
    if len(function.outcomes) > 1:
        tag = run.builder.variable("_outcome", ScalarSpec(type=int))
        names.insert(0, tag)
    statement = CallStatement(
        pattern=_pattern(names),
        function=function.name,
        arguments=tuple(map(joiner.leaf_expression, call.arguments)),
        origin=origin,
    )
    run.builder.emit(state.block, statement)
    if announced:
        after_call(run, state, origin)
    if not function.outcomes:
        error = ast.parse("RuntimeError('this call never returns')", mode="eval").body
        run.builder.close(state.block, Raise(exception=error, origin=origin))
        return iter(())
    ends: list[tuple[State, Value]] = []
    for after in write_contents(frame, node, state, function, call, contents):
        _share_memory(frame, node, function, call)
        ends += _ends(frame, node, after, function, call, made, tag)
    return iter(ends)


def _ends(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Specialisation,
    call: AbstractCall,
    made: list[dict[int, Value]],
    tag: str | None,
) -> Iterator[tuple[State, Value]]:
    """Yield the caller's state and the result for every way in which a call ends."""
    run = frame.run
    arms = _arms(frame, node, state, tag, len(function.outcomes))
    for arm, outcome, leaves in zip(arms, function.outcomes, made, strict=True):
        value = _after(run, arm, function, call, outcome, leaves)
        _take_anew(frame, node, arm, value)
        give_sizes(frame, node, arm, leaves.values())
        if outcome.raised:
            run.raise_(arm, value)
        else:
            yield arm, value


def _take_anew(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> None:
    """Take tensors anew which containers hold, and which the function may have written."""
    origin, given = frame.origin(node), tensors_of(state, (value,))
    if take_anew(frame.run, state, origin, given) is not None:
        refuse_stale(frame, node)


def _pattern(names: list[str]) -> Pattern:
    match names:
        case []:
            return None
        case [name]:
            return name
        case _:
            return tuple(names)


def _made_leaves(
    run: Run, joiner: LeafJoiner, outcome: Outcome, call: AbstractCall
) -> dict[int, Value]:
    """Return a new value for every leaf that the function returns."""
    leaves: dict[int, Value] = {}
    shapes = None
    if outcome.sizes is not None:
        shapes = shapes_of(run.sizes, outcome.sizes, call.arguments)[len(call.arguments) :]
    for position in outcome.returned:
        slot = outcome.slots[position]
        assert isinstance(slot, Made)
        made = joiner.new_leaf((slot.leaf,), outcome.end.hints[position])
        if isinstance(made, TensorValue):
            run.gradless.discard(made.name)
            run.storages.flag(made.name, slot.memory.flags)
            if shapes is None:
                fake = run.storages.fresh_like(made.fake)
            else:
                fake = run.storages.fresh_of_shape(made.fake, shapes[position])
                run.builder.respecify(made.name, tensor_spec(fake))
            made = TensorValue(made.name, fake)
            if run.storages.may_have_home(tensor_of_leaf(slot.leaf)):
                run.storages.give_home(made.fake)
        leaves[position] = made
    return leaves


def _share_memory(
    frame: Frame, node: cst.CSTNode, function: Specialisation, call: AbstractCall
) -> None:
    """Record what the function did with its arguments' memory: arrays, lists that hold it."""
    run = frame.run
    if run.arrays.over_any:
        lay_tensor_over_any(frame, node)
    for parameter, argument in zip(function.parameters, call.arguments, strict=True):
        if isinstance(parameter, TensorValue) and isinstance(argument, TensorValue):
            if run.storages.may_be_exported(parameter.fake):
                run.storages.export(argument.fake)
            if run.storages.may_be_held(parameter.fake):
                run.storages.hold(argument.fake)
            run.storages.flag(argument.name, run.storages.flags(parameter.name) - {"callers"})


def _arms(
    frame: Frame, node: cst.CSTNode, state: State, tag: str | None, count: int
) -> Iterator[State]:
    """Yield a state for every outcome: the caller branches on the first value returned."""
    for number in range(count - 1):
        assert tag is not None
        test = ast.Compare(
            left=ast.Name(id=tag, ctx=ast.Load()),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=number)],
        )
        (arm, _), (state, _) = frame.run.branch(state, test, frame.origin(node))
        yield arm
    yield state


def _after(
    run: Run,
    state: State,
    function: Specialisation,
    call: AbstractCall,
    outcome: Outcome,
    made: dict[int, Value],
) -> Value:
    """Change the caller's state as the function did; return the result."""
    leaves: list[Value] = []
    for slot in outcome.slots:
        match slot:
            case Passed(index):
                given = call.arguments[index]
                leaves.append(state.current(given) if isinstance(given, TensorValue) else given)
            case Constant(known):
                leaves.append(known)
            case Made():
                leaves.append(made[slot.place])
    _relate(run, call, outcome, leaves)
    theirs, ours = function.call.flattening.cells, call.flattening.cells
    identities = dict(zip(theirs, ours, strict=True))

    def place(identity: int) -> int:
        if identity not in identities:
            identities[identity] = run.new_identity()
        return identities[identity]

    after, (value,) = substitute(outcome.end, leaves, state.block, place)
    keys = {storage_key(leaf.fake) for leaf in leaves if isinstance(leaf, TensorValue)}
    new = (keys & after.homes.keys()) - state.homes.keys()
    for key in new:
        state.homes[key] = after.homes[key]
    changed = {identities[i] for i in changed_cells(theirs, function.inside, outcome.end.state)}
    unchanged = frozenset(ours) - changed
    cells = {i: cell for i, cell in after.heap.items() if i not in unchanged}
    run.containers.attributes.placed(identities)
    _change_cells(run, state, changed, cells)
    for position in call.watched:
        watch = outcome.end.state.frames[function.keeper][f"watch {position}"]
        assert isinstance(watch, IteratorValue)
        if is_disturbed(outcome.end.state, watch):
            tell_walks(state, ours[position])
    after.frames.pop(function.keeper, None)  # the caller's own, where the function calls itself
    _update_names(state, function.inside, outcome.end.state, after)
    return value


def _change_cells(run: Run, state: State, changed: set[int], cells: Mapping[int, Cell]) -> None:
    """Put the content of heap objects in place that a function has changed, or made."""
    for identity in changed & state.heap.keys() & cells.keys():
        note_change(state, identity, state.heap[identity], cells[identity])
    state.heap.update(cells)
    for identity in changed & state.heap.keys():
        run.containers.attributes.follow(state, identity)


def _update_names(state: State, start: State, end: State, after: State) -> None:
    """Bind variables around the function, and attributes, that it changed."""
    for identity in after.frames.keys() & state.frames.keys():
        for gone in start.frames.get(identity, {}).keys() - after.frames[identity].keys():
            state.frames[identity].pop(gone, None)
        for name, content in after.frames[identity].items():
            was = start.frames.get(identity, {}).get(name)
            if was is None or is_changed(start, was, end, end.frames[identity][name]):
                state.frames[identity][name] = content
    for key, content in after.attributes.items():
        was = start.attributes.get(key)
        if was is None or is_changed(start, was, end, end.attributes[key]):
            state.attributes[key] = content


def _relate(run: Run, call: AbstractCall, outcome: Outcome, leaves: list[Value]) -> None:
    """Record which memory the returned tensors may share."""
    for position in outcome.returned:
        slot, leaf = outcome.slots[position], leaves[position]
        if not isinstance(slot, Made) or not isinstance(leaf, TensorValue):
            continue
        others = [call.arguments[index] for index in slot.memory.arguments]
        others += [leaves[index] for index in slot.memory.slots]
        for other in others:
            tensor = tensor_of(other)
            if tensor is not None:
                run.storages.relate(leaf.fake, tensor)
        if slot.memory.lasts:
            run.storages.mark_lasting(leaf.fake)
        if slot.memory.exported:
            run.storages.export(leaf.fake)
