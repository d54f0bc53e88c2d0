"""Tensors that get other data: ``y.data = y.data * mask``, ``self.weight.data = normalized``."""

from dataclasses import replace

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.run import Frame, Run
from rewriter.evaluation.tensors.holders import become, is_one_object, live_tensors
from rewriter.keeping.plan import StartAnew
from rewriter.state import State
from rewriter.storages import same_view
from rewriter.values import MethodValue, TensorValue, Value


def give_data(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, value: Value
) -> list[State] | None:
    """Execute ``owner.data = value``; None where that is not supported.

    The tensor object lies over the memory of ``value`` from here on, for all who hold the
    object. What else lay over its old memory stays there. A tensor of the model is kept from
    call to call: the state gets the new data where a call ends.
    """
    if not isinstance(owner, TensorValue) or not isinstance(value, TensorValue):
        return None
    old, new = state.current(owner), state.current(value)
    if same_view(old.fake, new.fake) and (old.name == new.name or frame.run.plan.differentiates):
        return [state]
    if not (_is_of_model(frame.run, state, old) or _is_own(frame, node, state, old)):
        return None
    if not (old.fake.is_floating_point() <= new.fake.is_floating_point()):
        frame.refuse("DYCL043", node, "data of integers is given to a tensor, which may raise")
    if not _is_held(frame, state, new):
        return [_given(frame, state, old, new)]
    made = call_value(frame, node, state, MethodValue(new, "detach"), [], {})
    return [
        _given(frame, after, old, alias) for after, alias in made if isinstance(alias, TensorValue)
    ]


def _given(frame: Frame, state: State, old: TensorValue, new: TensorValue) -> State:
    become(frame.run, state, old, new)
    return state


def _is_of_model(run: Run, state: State, tensor: TensorValue) -> bool:
    """Return whether a tensor is an object of the model's, and nobody else's."""
    roots = [
        root.key
        for root in run.plan.roots.values()
        if root.attribute is None
        and isinstance(held := state.attributes.get(root.key), TensorValue)
        and state.current(held).name == tensor.name
    ]
    if not roots or any(run.grad_modes[-1:]):
        return False
    if not run.plan.data_apart:
        run.plan.data_apart = True
        raise StartAnew
    shared = run.plan.objects_left | run.plan.in_place
    is_told = tensor.name not in run.storages.aliased
    return is_told and shared.isdisjoint(roots) and is_one_object(run, state, tensor)


def _is_own(frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue) -> bool:
    """Return whether the program holds a tensor object, and all its holders are known."""
    run, storages = frame.run, frame.run.storages
    if run.plan.gradients_asked or any(run.grad_modes[-1:]):
        return False
    if storages.may_last(tensor.fake) or not is_one_object(run, state, tensor):
        return False
    if tensor.name not in storages.aliased:
        return True
    # Other objects go by the same variable, as ``y.data`` does: none may be left of them.
    match node:
        case cst.Attribute(value=cst.Name(value=name)) if name in state.frames[frame.identity]:
            names = {**state.frames[frame.identity]}
            del names[name]
            others = replace(state, frames={**state.frames, frame.identity: names})
            if not _is_held(frame, others, tensor):
                return True
    if not run.plan.data_apart:
        run.plan.data_apart = True
        raise StartAnew
    return False


def _is_held(frame: Frame, state: State, tensor: TensorValue) -> bool:
    """Return whether anything that may be read later holds a tensor."""
    return any(other.name == tensor.name for other in live_tensors(frame.run, state))
