"""Tensors that ask for gradients: nothing is computed otherwise, but the user may see the flag."""

from collections.abc import Iterable

import libcst as cst
import torch

from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.gradient_lines import Leaf, line_to
from rewriter.keeping.plan import StartAnew
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Known, TensorValue, Value


def note_gradients(frame: Frame, tensor: TensorValue) -> None:
    """Note that a tensor, which goes on as it was, may require gradients from here on.

    What a loop or recursion asks for is seen by what stands before it, too: evaluation starts
    anew, and nothing is known to be without gradients.
    """
    plan = frame.run.plan
    plan.gradients_asked = True
    if frame.run.unbound_reads and not plan.gradients_in_loops:
        plan.gradients_in_loops = True
        raise StartAnew
    frame.run.gradless.discard(tensor.name)


def note_leaf(run: Run, state: State, tensor: TensorValue) -> None:
    """Note where a tensor asks for gradients."""
    builder, block = run.builder, state.block
    place = (id(builder), block, builder.length(block))
    content = state.current(tensor)
    without = is_gradless(run, content)
    state.leaves += (Leaf(tensor.name, content.name, place, was_without=without),)


def refuse_recorded_writes(
    frame: Frame, node: cst.CSTNode, state: State, written: Iterable[TensorValue], *, gradless: bool
) -> None:
    """Refuse writes for which PyTorch raises while it records.

    These are writes into what asks for gradients, and, unless what is written has none
    (``gradless``), into views that know nothing of what they are views of.
    """
    run = frame.run
    if not any(run.grad_modes[-1:]):
        return
    bound = {*run.storages.asking, *_weights(run), *(() if gradless else run.storages.fixed_views)}
    detached = line_to(run.builder, state.block).detached(bound) if bound else set[str]()
    for tensor in written:
        name = tensor.name
        is_bound = name in bound or (
            name not in detached and any(_is_later_view(run, name, each) for each in bound)
        )
        is_several = not gradless and name in run.storages.aliased
        if not run.plan.differentiates and (is_bound or is_several):
            run.plan.differentiates = True  # tensors are told apart from what is detached
            raise StartAnew
        if is_bound:
            asks = name in run.storages.asking or gradless
            what = "a tensor that asks for gradients" if asks else "a view, perhaps of such a one,"
            frame.refuse("DYCL045", node, f"{what} is written in place", "work on a clone()")


def note_view(
    run: Run, tensor: TensorValue, operands: Iterable[TensorValue], *, several: bool
) -> None:
    """Note whether a new tensor is a view that PyTorch lets nobody write while it records.

    Such are views made while it did not, and each of several that one operation gave.
    """
    if not (tensor.fake.is_floating_point() or tensor.fake.is_complex()):
        return
    if several or not any(run.grad_modes[-1:]):
        own = storage_key(tensor.fake)
        if any(storage_key(each.fake) == own for each in operands):
            run.storages.fixed_views.add(tensor.name)


def _weights(run: Run) -> list[str]:
    """Return the tensors that ask for gradients since before the call, and that calls write."""
    roots = run.plan.roots
    held = [(value, roots[key].initial) for (_, key), (value, _) in run.loaded.items()]
    return [
        value.name
        for value, initial in held
        if isinstance(value, TensorValue)
        and isinstance(initial, torch.Tensor)
        and initial.requires_grad
    ]


def _is_later_view(run: Run, name: str, of: str) -> bool:
    variables, storages = run.builder.variables, run.storages
    groups = [storages.group_of(variables[each].spec) for each in (name, of)]
    return groups[0] == groups[1] and run.builder.age(name) > run.builder.age(of)


def has_asked(state: State, tensor: Value) -> bool:
    """Return whether a tensor object has certainly asked for gradients."""
    if not isinstance(tensor, TensorValue):
        return False
    return any(leaf.tensor == tensor.name for leaf in state.leaves)


def is_gradless(run: Run, tensor: Value) -> bool:
    """Return whether a tensor of run time surely requires no gradients."""
    if run.plan.gradients_in_loops or not isinstance(tensor, TensorValue):
        return False
    return tensor.name in run.gradless


def may_be_parameter(run: Run, value: Value) -> bool:
    """Return whether a value may be a parameter that the call has made: those ask for gradients."""
    made = run.makes_parameters and isinstance(value, TensorValue)
    return made and not is_gradless(run, value)


def asks_for_gradients(flag: Value) -> bool:
    """Return whether a flag is not known to be off."""
    return not (isinstance(flag, Known) and flag.value is False)


def gradient_method(
    frame: Frame, node: cst.CSTNode, state: State, tensor: Value, name: str, wanted: Value
) -> Outcomes:
    """Evaluate ``requires_grad_`` or ``retain_grad``, which compute nothing."""
    if isinstance(tensor, TensorValue):
        error = _misuse(tensor.fake, name, is_gradless(frame.run, tensor), wanted)
        if error is not None:
            frame.run.raise_known(state, RuntimeError(error))
            return
    if name == "retain_grad":
        frame.refuse("DYCL042", node, "it raises where the caller wants no gradients")
    given = wanted.value if isinstance(wanted, Known) else getattr(wanted, "sample", None)
    if not isinstance(given, bool) and getattr(wanted, "type", None) is not bool:
        frame.refuse("DYCL042", node, "whether gradients are wanted is told by True or False")
    if isinstance(tensor, TensorValue):
        if frame.run.plan.differentiates and given is not True:
            frame.refuse(
                "DYCL045", node, "a tensor may ask for no gradients, and some are computed"
            )
        if asks_for_gradients(wanted):
            frame.run.storages.asking.add(tensor.name)
            if frame.run.plan.differentiates:
                note_leaf(frame.run, state, tensor)
            note_gradients(frame, tensor)
    elif not (
        isinstance(tensor, Known)
        and isinstance(wanted, Known)
        and isinstance(tensor.value, torch.Tensor)
        and tensor.value.requires_grad is wanted.value
    ):
        frame.refuse("DYCL042", node, "it changes a tensor of the model for later calls")
    yield state, tensor


def _misuse(tensor: torch.Tensor, name: str, gradless: bool, wanted: Value) -> str | None:
    """Return what PyTorch says where a tensor cannot have or keep gradients."""
    if name == "retain_grad":
        return "can't retain_grad on Tensor that has requires_grad=False" if gradless else None
    if asks_for_gradients(wanted) and not (tensor.is_floating_point() or tensor.is_complex()):
        return "only Tensors of floating point dtype can require gradients"
    return None
