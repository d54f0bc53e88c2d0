"""Putting an operation that was tried into the program: checks, constants, writes, its result."""

import ast
from dataclasses import replace

import numpy
import torch
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.control.autocasting import casting, under_autocast, under_autocasts
from rewriter.evaluation.host.before_errors import before_tensor_error
from rewriter.evaluation.leaf.half_done import refuse_half_done
from rewriter.evaluation.leaf.operation import Fakes, Operation
from rewriter.evaluation.leaf.parts_taken_again import parts_to_take_again, take_again
from rewriter.evaluation.leaf.place_ranges import note_ranges
from rewriter.evaluation.leaf.places_tested import is_caught, is_tested_first, with_right_places
from rewriter.evaluation.leaf.putting_back import part_to_put_back, put_back
from rewriter.evaluation.leaf.results import constant_result, gives_gradless, wrapped
from rewriter.evaluation.leaf.writes import live_leaves, updates_of, write_back_into_homes
from rewriter.evaluation.observation import Observer
from rewriter.evaluation.operands import tensors_of
from rewriter.evaluation.raising import CHECKED_IN_EAGER
from rewriter.evaluation.run import Outcomes
from rewriter.evaluation.run_time.overlapping import refuse_overlapping
from rewriter.evaluation.tensors.gradients import refuse_recorded_writes
from rewriter.program import TensorStatement
from rewriter.values import TensorValue

_SHARE_MEMORY = frozenset({"from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack"})
"""Functions that may make a tensor over the memory of an array which is not dycl's."""


def emitted(operation: Operation, fakes: Fakes, result: object, observer: Observer) -> Outcomes:
    """Emit the operation, which gave a result; yield it as a value."""
    if operation.description in CHECKED_IN_EAGER:
        observer.may_raise, observer.of_index = True, False
        observer.lookups.append(None)
    if observer.may_raise and is_tested_first(operation.run, observer):
        refuse_half_done(operation, observer.written)
        for after in with_right_places(operation, observer):
            yield from _emitted(replace(operation, state=after), fakes, result, observer)
        return
    if observer.may_raise and is_caught(operation.run, observer):
        operation.refuse(
            "DYCL063",
            "this may raise, depending on the content of tensors, inside a `try` that may catch it",
            "test the indices before the operation instead",
        )
    yield from _emitted(operation, fakes, result, observer)


def _emitted(operation: Operation, fakes: Fakes, result: object, observer: Observer) -> Outcomes:
    _check(operation, observer)
    _mark_shared_memory(operation, fakes, result)
    if _is_risk(fakes, observer):
        before_tensor_error(operation.run, operation.state, operation.frame.origin(operation.node))
    try:
        with under_autocasts(operation.run):
            constants = constant_result(operation, fakes, result, observer)
    except Exception as error:  # what fake tensors take, and eager does not
        operation.run.raise_known(operation.state, error)
        return
    refuse_overlapping(operation, fakes, observer.written)
    refuse_recorded_writes(
        operation.frame,
        operation.node,
        operation.state,
        _written(operation, observer),
        gradless=gives_gradless(operation),
    )
    leaves = live_leaves(operation) if observer.written else []
    tensors = [leaf for leaf in leaves if isinstance(leaf, TensorValue)]
    part = part_to_put_back(operation, observer.written, tensors)
    again = parts_to_take_again(
        operation, observer.written, tensors, part, by_element=observer.by_element
    )
    updates, retakes = updates_of(operation, observer, leaves, part, {x.old.name for x in again})
    pattern, value = wrapped(operation, result, constants)
    note_ranges(operation, fakes, value)
    draws = None if operation.run.options.allow_random else observer.random
    statement = TensorStatement(
        pattern=pattern,
        expression=_expression(operation, observer),
        origin=operation.frame.origin(operation.node),
        stores_into=operation.stores_into,
        updates=updates,
        retakes=retakes,
        may_raise=observer.may_raise,
        draws=draws,
    )
    _emit(operation, result, statement)
    write_back_into_homes(operation, observer.written)
    operation.state.carry(value)
    if part is None:
        yield from ((after, value) for after in take_again(operation, again))
    else:
        yield from put_back(operation, part, tensors, value)


def _expression(operation: Operation, observer: Observer) -> ast.expr:
    """Return what computes an operation, under a region of autocasting where that converts."""
    region = casting(operation.run)
    if region is not None and observer.converts_unseen is not None:
        what = f"what {observer.converts_unseen} converts under autocast is not known"
        operation.refuse("DYCL064", what, 'put it under torch.autocast("cpu", enabled=False)')
    if region is None or not observer.converts:
        return operation.expression
    if operation.frame.source.is_prelude:
        operation.refuse("DYCL064", "under autocast this is another operation for PyTorch")
    return under_autocast(operation.run, region, operation.expression)


def _written(operation: Operation, observer: Observer) -> list[TensorValue]:
    """Return the operands through which an operation writes; an assignment does by the first."""
    if operation.stores_into is not None:
        return [each for each in operation.operands[:1] if isinstance(each, TensorValue)]
    return [t for t in operation.tensors() if any(t.fake is each for each in observer.written)]


def _check(operation: Operation, observer: Observer) -> None:
    own = {id(leaf.fake) for leaf in tensors_of(operation.state, operation.operands)}
    if any(id(tensor) in own for tensor in observer.reshaped):
        operation.refuse(
            "DYCL042",
            "the shape of a tensor is changed in place",
            "use the operation that returns a new tensor",
        )
    run = operation.run
    if observer.random and not (run.options.allow_random or run.plan.defers_draws):
        operation.refuse(
            "DYCL033",
            f"random numbers are drawn here ({observer.random})",
            "put the model in eval mode, or pass CompileOptions(allow_random=True)",
        )


def _is_risk(fakes: Fakes, observer: Observer) -> bool:
    """Return whether the operation may raise for some contents or numbers."""
    return observer.may_raise or any(isinstance(leaf, torch.SymInt) for leaf in fakes.leaves())


def _mark_shared_memory(operation: Operation, fakes: Fakes, result: object) -> None:
    """Record that tensors made from numpy arrays share memory with them."""
    if operation.description in _SHARE_MEMORY and any(
        isinstance(part, numpy.ndarray) for part in fakes.leaves()
    ):
        for tensor in tree_leaves(result):
            operation.run.mark_lasting(tensor)


def _emit(operation: Operation, result: object, statement: TensorStatement) -> None:
    stores = operation.stores_into is not None
    if result is None and not statement.updates and not stores and not operation.module:
        operation.refuse("DYCL045", f"{operation.title}() gives nothing: its effect is unknown")
    if statement.pattern is not None or statement.updates or stores:
        operation.run.builder.emit(operation.state.block, statement)
