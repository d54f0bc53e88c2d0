"""Tensors that a function of its own is handed, and writes in place.

It returns what they hold in the end, and its caller writes that into them, as any other
operation in place would: for all who hold them, or a part of them.

    walk(node, out)
      ->
    content = walk(node, out);  out.copy_(content)
"""

from collections.abc import Iterator, Sequence

import libcst as cst
import torch

from rewriter.builder import tensor_spec
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.abstract_calls import AbstractCall
from rewriter.evaluation.calls.call_table import Specialisation
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame, Run
from rewriter.state import State
from rewriter.storages import same_view, storage_key
from rewriter.values import MethodValue, TensorValue, Value


def writable_arguments(run: Run, call: AbstractCall) -> frozenset[int]:
    """Return which arguments are tensors made in the call whose memory is no other one's there.

    What the function that makes the call was handed counts as made where it may write it.
    """
    if run.plan.differentiates:
        return frozenset()
    groups = [run.storages.group(x.fake) for x in call.arguments if isinstance(x, TensorValue)]
    around = run.calls.evaluating[-1] if run.calls.evaluating else None
    given = [] if around is None else [_tensor(around, index) for index in around.writable]
    return frozenset(
        index
        for index, argument in enumerate(call.arguments)
        if isinstance(argument, TensorValue)
        and groups.count(run.storages.group(argument.fake)) == 1
        and not run.storages.may_last_beyond(argument.fake, given)
        and not _is_shared(run, argument.fake)
    )


def _is_shared(run: Run, tensor: torch.Tensor) -> bool:
    """Return whether a container of the host or an array of numpy may hold a tensor's memory."""
    return run.storages.may_be_held(tensor) or run.storages.may_be_exported(tensor)


def _tensor(function: Specialisation, index: int) -> torch.Tensor:
    parameter = function.parameters[index]
    assert isinstance(parameter, TensorValue)
    return parameter.fake


def is_handed_over(run: Run, written: torch.Tensor) -> bool:
    """Return whether the function being evaluated may write a tensor, and note that it does."""
    if not run.calls.evaluating or _is_shared(run, written):
        return False
    function = run.calls.evaluating[-1]
    for index in function.writable:
        if storage_key(_tensor(function, index)) == storage_key(written):
            function.written |= {index}
            return True
    return False


def held_names(function: Specialisation) -> dict[str, Value]:
    """Return the variables that hold what a function writes until it ends."""
    return {_name(index): function.parameters[index] for index in function.written}


def _name(index: int) -> str:
    return f"argument {index}"


def objects_at(function: Specialisation, state: State) -> list[Value]:
    """Return what a function was handed, by the variables that hold its content in a state."""
    held = state.frames[function.keeper]
    found: list[Value] = []
    for index, parameter in enumerate(function.parameters):
        now = held.get(_name(index), parameter)
        if isinstance(parameter, TensorValue) and isinstance(now, TensorValue):
            now = state.current(now)
            assert same_view(now.fake, parameter.fake)
        found.append(now)
    return found


def contents_at(function: Specialisation, state: State) -> list[Value]:
    """Return what the tensors that a function writes hold in a state."""
    objects = objects_at(function, state)
    return [objects[index] for index in sorted(function.written)]


def require_writable(
    frame: Frame, node: cst.CSTNode, function: Specialisation, call: AbstractCall
) -> None:
    """Refuse a call that hands over for writing what others may see otherwise."""
    run = frame.run
    if not function.written <= writable_arguments(run, call):
        frame.refuse(
            "DYCL034",
            node,
            "a function that calls itself writes into a tensor in place which outlives the call, "
            "or whose memory another one may share",
            "hand over a clone()",
        )
    if function.written and run.risks.cleanups:
        message = "what a `finally` or `__exit__` around this call sees after an error is unknown"
        raise Refused(
            Diagnostic(
                code="DYCL063",
                message=f"tensors are written by a function that calls itself: {message}",
                origin=frame.origin(node),
                help="make the call outside of it",
            )
        )


def new_contents(run: Run, function: Specialisation, call: AbstractCall) -> list[TensorValue]:
    """Return new variables for what the tensors that a function writes hold after a call."""
    found = []
    for index in sorted(function.written):
        argument = call.arguments[index]
        assert isinstance(argument, TensorValue)
        fake = run.storages.fresh_like(argument.fake)
        hint = run.builder.variables[argument.name].hint
        found.append(TensorValue(run.builder.variable(hint, tensor_spec(fake)), fake))
    return found


def write_contents(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Specialisation,
    call: AbstractCall,
    contents: Sequence[TensorValue],
) -> Iterator[State]:
    """Write what a call has returned into the tensors that it was handed."""
    states = [state]
    for index, content in zip(sorted(function.written), contents, strict=True):
        argument = call.arguments[index]
        assert isinstance(argument, TensorValue)
        states = [
            after
            for before in states
            for after, _ in call_value(
                frame, node, before, MethodValue(before.current(argument), "copy_"), [content], {}
            )
        ]
    yield from states
