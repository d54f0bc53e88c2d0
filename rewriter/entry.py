"""Evaluating the entry point of a model, until it is known what is kept from call to call."""

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

import libcst as cst
from torch._subclasses.fake_tensor import FakeTensorMode

from rewriter.binding import bind_inputs
from rewriter.builder import Builder
from rewriter.call_signatures import call_signature
from rewriter.deep_stack import with_deep_stack
from rewriter.diagnostics import CompileError, Diagnostic, each_once
from rewriter.drawn_numbers import used_draws, without_draws
from rewriter.endings import always_raises, close_path, node_of
from rewriter.entry_points import EntryPoint, program_name
from rewriter.evaluation import rules
from rewriter.evaluation.calls.hooked_entry import call_checked_entry, call_hooked_entry
from rewriter.evaluation.calls.inlining import closure_of, owner_of
from rewriter.evaluation.calls.library_entry import call_library_entry, calls_library_module
from rewriter.evaluation.control.numpy_settings import under_settings_around
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.inference_modes import refuse_inference
from rewriter.evaluation.refusals import Refused, TooLong, UsedPoison
from rewriter.evaluation.run import Frame, Run, active
from rewriter.grad_modes_around import modes_of
from rewriter.joins import Joins
from rewriter.keeping.asking import note_asked
from rewriter.keeping.calls import enter_phases, leave, settle_state, unkeepable
from rewriter.keeping.collecting import attempt
from rewriter.keeping.plan import Plan, StartAnew
from rewriter.keeping.shapes import Unkeepable
from rewriter.keeping.tables import Trial
from rewriter.keeping.written_in_place import with_held_results
from rewriter.known_places import KnownPlaces, PlacesFound
from rewriter.object_paths import object_paths
from rewriter.options import RewriteOptions
from rewriter.origin import Origin
from rewriter.program import RewrittenProgram
from rewriter.schemas import Writes, WritesFound
from rewriter.sizes import Sizes
from rewriter.source import FunctionSource, NoSource, function_source
from rewriter.specialised_functions import with_functions
from rewriter.state import Completion, Raised, Returned, State
from rewriter.storages import Storages
from rewriter.symbol_names import name_symbols
from rewriter.temporaries import name_temporaries
from rewriter.tried_again import Again

assert rules  # imported for the rules that its modules register


def rewritten(
    target: object,
    point: EntryPoint,
    example_inputs: tuple[object, ...] | Mapping[str, object],
    options: RewriteOptions,
    dynamic_shapes: object,
    joins: Joins,
    rolled: list[Origin],
) -> RewrittenProgram:
    """Evaluate the entry point until it is known what is kept.

    ``joins`` and ``rolled`` are of the builder: what it is told of joins and of loops.
    """
    function, receiver = point.function, point.receiver
    try:
        source = function_source(function)
    except NoSource as error:
        raise CompileError([Diagnostic(code="DYCL047", message=str(error), origin=None)]) from error
    name, plan = program_name(target, function), Plan(receiver, function, tries_calls=True)
    writes: Writes = {}
    again = Again()
    trial = Trial(function, receiver, example_inputs if point.given is None else None)
    for number in range(_MOST_ATTEMPTS):
        run = _new_run(plan, options)
        run.argument_objects.writes, run.builder.joins = writes, joins
        run.builder.rolled_early, run.refusal.is_final = rolled, again.is_patient
        if again.filled is not None:
            run.note(again.filled, "what a first call fills here is taken as filled")
        try:
            with attempt(plan, number):
                program = _rewritten(
                    run, again.places, name, point, source, example_inputs, dynamic_shapes
                )
            again.settle(program, plan)
            return program
        except (StartAnew, PlacesFound) as found:
            plan = again.start_anew(found, plan, trial)
        except TooLong as error:  # most other ways to evaluate it take as long
            again.without_errors(error, plan)
            plan = again.next_plan(plan)
        except CompileError as error:
            if again.knows_other_places():
                continue
            again.after(error, plan, trial)
            plan = again.next_plan(plan)
        except WritesFound as found:
            writes = found.writes
        except Unkeepable as error:
            refusal = unkeepable(error, source.origin(source.node))
            again.without_errors(again.with_outside(refusal), plan)
            plan = again.next_plan(plan)
    raise unkeepable(
        Unkeepable("what is kept from call to call does not settle"), source.origin(source.node)
    )


_MOST_ATTEMPTS = 60
"""Evaluations until it is known what a model keeps from call to call."""


def _new_run(plan: Plan, options: RewriteOptions) -> Run:
    if plan.first_call is not None:
        plan.first_call.undo()
    sizes = Sizes()
    mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=sizes, static_shapes=True)
    builder = Builder()
    return Run(
        sizes=sizes,
        mode=mode,
        options=options,
        builder=builder,
        grad_modes=builder.grad_modes,
        storages=Storages(mode=mode, told_apart=plan.data_apart),
        plan=plan,
    )


def _rewritten(
    run: Run,
    places: KnownPlaces,
    name: str,
    point: EntryPoint,
    source: FunctionSource,
    example_inputs: tuple[object, ...] | Mapping[str, object],
    dynamic_shapes: object,
) -> RewrittenProgram:
    """Evaluate the entry point once. Raises StartAnew where more is kept than was assumed."""
    builder, function, receiver = run.builder, point.function, point.receiver
    first = call_signature(function)
    receiver_name = next(iter(first.parameters), None) if receiver is not None else None
    frame = Frame(
        run=run,
        identity=run.new_identity(),
        source=source,
        lexical=(),
        globals=function.__globals__,
        closure=closure_of(function),
        inlined_at=(),
        owner=owner_of(function),
        receiver=receiver_name,
    )
    run.lexical[frame.identity] = frame
    state = State(block=builder.new_block(), places=places, asking=partial(note_asked, run))
    entry = state.block
    parameters = bind_inputs(frame, point, example_inputs, state, dynamic_shapes)
    run.paths.update(object_paths(receiver))
    body: Callable[[Frame, State], Iterable[Completion]] = partial(_body_around, function)
    if point.has_hooks and not calls_library_module(frame, state):
        by_name = isinstance(example_inputs, Mapping)
        body = partial(call_hooked_entry, parameters=parameters, by_name=by_name)
    elif point.checked is not None:
        by_name = isinstance(example_inputs, Mapping)
        body = partial(call_checked_entry, point.checked, parameters=parameters, by_name=by_name)
    run.grad_modes.extend(modes_of(point.managers))
    with_deep_stack(lambda: _finish(frame, _evaluate(frame, state, body, point.managers)))
    needed = run.argument_objects.needed
    parameters = tuple(replace(p, spec=needed(p.spec)) for p in parameters)
    knowns = dict(builder.knowns)
    whole, functions = with_functions(
        name_temporaries(builder.finish(point.name, parameters, entry), knowns),
        run.calls,
        knowns,
    )
    if not run.options.allow_random and (
        problems := used_draws((whole, *functions.values()), knowns)
    ):
        raise CompileError(problems)
    if run.plan.defers_draws:
        whole, functions = without_draws(whole), {k: without_draws(f) for k, f in functions.items()}
    return RewrittenProgram(
        name=name,
        entry=name_symbols(whole, run.sizes),
        functions={key: name_symbols(made, run.sizes) for key, made in functions.items()},
        knowns=knowns,
        source_file=source.text.file,
        notes=tuple(builder.notes),
        state=run.kept if run.keeps or run.plan.roots else None,
        joins_texts=bool(builder.joins.texts) and not run.options.known_texts,
        joins_numbers=bool(builder.joins.numbers),
        rolls_early=bool(builder.rolled_early),
        few_structures=bool(run.options.few_structures),
    )


def _evaluate(
    frame: Frame,
    state: State,
    body: Callable[[Frame, State], Iterable[Completion]],
    managers: tuple[object, ...],
) -> list[Completion]:
    run = frame.run
    completions: list[Completion]
    sink: list[Raised] = []
    run.sinks.append(sink)
    try:
        with active(frame):
            if frame.source.scope.is_generator or frame.source.scope.is_async:
                frame.refuse("DYCL002", frame.source.node, "generators are not supported")
            refuse_inference(frame, frame.source.node, managers)
            completions = [
                completion
                for entered in enter_phases(frame, state)
                for completion in body(frame, entered)
            ]
    except Refused as refusal:
        run.report(refusal.diagnostic)
        completions = []
    except UsedPoison:
        completions = []
    return [*completions, *sink]


def _body_around(function: types.FunctionType, frame: Frame, state: State) -> Iterable[Completion]:
    return under_settings_around(frame.run, function, lambda: _body(frame, state))


def _body(frame: Frame, state: State) -> Iterable[Completion]:
    """Evaluate the body of the entry point; return how it ends."""
    body = frame.source.node.body
    if calls_library_module(frame, state):
        return call_library_entry(frame, state)
    if not isinstance(body, cst.BaseExpression):
        return execute_suite(frame, body, state)
    frame.live = frozenset(state.frames[frame.identity])
    return (Returned(after, value) for after, value in evaluate(frame, body, state))


def _finish(frame: Frame, completions: list[Completion]) -> None:
    run = frame.run
    if run.plan.gives_up:
        raise StartAnew
    with active(frame):
        for completion in completions:
            try:
                run.calls.contexts.require_reset(completion.state)
                run.calls.managers.require_left(completion.state)
                run.calls.hooks.require_removed(completion.state)
                origin = frame.origin(node_of(frame, completion))
                completion = with_held_results(run, completion, origin)
                leave(frame, completion, origin)
                close_path(frame, completion)
            except Refused as refusal:
                run.report(refusal.diagnostic)
            except UsedPoison:
                continue
    for key, (_, origin) in run.written.items():
        if key in run.initial_reads and key not in run.plan.roots:
            run.report(
                Diagnostic(
                    code="DYCL067",
                    message=f"attribute {key[1]!r} carries a value from one call to the next "
                    "(it is read before it is written)",
                    origin=origin,
                    help="pass the state as an argument and return it",
                )
            )
    if run.diagnostics:
        raise CompileError(each_once(run.diagnostics))
    settle_state(frame)
    raised = [c for c in completions if isinstance(c, Raised)]
    if raised and len(raised) == len(completions):
        raise CompileError([always_raises(frame, raised[0])])
