"""Where the evaluation of a specialised function starts: a state that holds its parameters."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rewriter.builder import tensor_spec
from rewriter.evaluation.calls.abstract_calls import AbstractCall
from rewriter.evaluation.calls.call_table import Specialisation
from rewriter.evaluation.calls.open_sizes import shapes_of
from rewriter.evaluation.calls.written_arguments import held_names
from rewriter.evaluation.control.container_changes import Watch
from rewriter.evaluation.run import Frame, Run
from rewriter.evaluation.tensors.size_values import give_sizes
from rewriter.program import HostSpec, ScalarSpec
from rewriter.rebuilding import substitute
from rewriter.size_expressions import Size
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import (
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    ScalarValue,
    TensorValue,
    Value,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """Where a function's evaluation starts."""

    state: State
    variables: dict[str, Value]
    frames: tuple[Frame, ...]
    """The frames around the function, and one that keeps what the caller handed over."""


def parameters_of(run: Run, call: AbstractCall) -> Iterator[Value]:
    """Yield a value with a variable of its own for every argument."""
    groups: dict[int, TensorValue] = {}
    shapes = None if call.sizes is None else shapes_of(run.sizes, call.sizes)
    for index, (argument, hint) in enumerate(zip(call.arguments, call.hints, strict=True)):
        match argument:
            case TensorValue():
                shape = None if shapes is None else shapes[call.slots.index(index)]
                made = _tensor_parameter(run, argument, hint, shape)
                other = groups.setdefault(run.storages.group(argument.fake), made)
                run.storages.relate(made.fake, other.fake)
                yield made
            case ScalarValue():
                spec = ScalarSpec(type=argument.type)
                yield ScalarValue(run.builder.variable(hint, spec), argument.type)
            case Known():
                kind = type(argument.value)
                yield ScalarValue(run.builder.variable(hint, ScalarSpec(type=kind)), kind)
            case HostValue():
                known = run.builder.variables[argument.name].spec
                described = HostSpec(description=type(argument.sample).__name__)
                spec_of = known if isinstance(known, HostSpec) else described
                yield HostValue(run.builder.variable(hint, spec_of), argument.sample)
            case _:
                raise AssertionError(f"not an argument: {argument}")


def _tensor_parameter(
    run: Run, argument: TensorValue, hint: str, shape: tuple[Size, ...] | None
) -> TensorValue:
    """Return a tensor parameter: an object of the caller's."""
    if shape is None:
        fake = run.storages.fresh_like(argument.fake)
    else:
        fake = run.storages.fresh_of_shape(argument.fake, shape)
    name = run.builder.variable(hint, tensor_spec(fake))
    run.storages.mark_lasting(fake)
    if run.storages.may_be_exported(argument.fake):
        run.storages.export(fake)
    if run.storages.may_have_home(argument.fake):
        run.storages.give_home(fake)
    run.storages.flag(name, run.storages.flags(argument.name) | {"callers"})
    return TensorValue(name, fake)


def enter(run: Run, callee: Frame, function: Specialisation) -> Inside:
    """Return the state that the function starts from."""
    call = function.call
    leaves = [
        leaf if slot is None else function.parameters[slot]
        for leaf, slot in zip(call.flattening.leaves, call.slots, strict=True)
    ]
    state, values = substitute(call.flattening, leaves, run.builder.new_block())
    state.facts, state.reads, state.on_the_way = {"(call)": True}, {}, ()
    own = {storage_key(leaf.fake) for leaf in leaves if isinstance(leaf, TensorValue)}
    state.homes = {k: replace(home, lent=True) for k, home in state.homes.items() if k in own}
    state.size_facts, state.sizes = frozenset(), {}
    give_sizes(callee, callee.source.node, state, function.parameters)
    held: dict[str, Value] = {str(i): Reference(i) for i in call.flattening.cells}
    held |= held_names(function)
    for place in call.watched:
        watched = Reference(call.flattening.cells[place])
        watch = run.allocate(state, IteratorCell((watched,), Watch()))
        held[f"watch {place}"] = IteratorValue(watch.identity)
    keeper = replace(
        callee,
        identity=function.keeper,
        live=frozenset(held),
        lexical=(),
        continuations=[],
        landing=frozenset(),
        caught=frozenset(),
    )
    state.frames[keeper.identity] = dict(held)
    around = [replace(outer, live=outer.source.shared) for outer in callee.lexical]
    reached = call.flattening.frames - {outer.identity for outer in callee.lexical}
    for identity in sorted(reached):  # of functions that are handed over
        outer = run.lexical[identity]
        names = frozenset(state.frames[identity]) | outer.source.scope.local
        around.append(replace(outer, live=names))
    return Inside(
        state=state,
        variables=dict(zip(call.flattening.roots.hints, values, strict=True)),
        frames=(keeper, *reversed(around)),
    )
