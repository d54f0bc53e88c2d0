"""Attributes of tensors, known ones and run-time ones."""

import ast
import inspect

import libcst as cst
import torch

from rewriter.evaluation.instances.class_attributes import MISSING
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.gradients import has_asked, is_gradless, may_be_parameter
from rewriter.known_paths import is_of_library
from rewriter.state import State
from rewriter.values import Known, MethodValue, TensorValue, Value

_WITHOUT_GRADIENTS = {"requires_grad": False, "grad_fn": None, "is_leaf": True}
"""What a tensor that requires no gradients says of itself."""


def tensor_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, tensor: torch.Tensor, name: str
) -> Outcomes:
    """Evaluate an attribute of a tensor: known, a method, or an operation."""
    found = inspect.getattr_static(torch.Tensor, name, MISSING)
    own = frame.run.storages.own_attributes
    if found is MISSING and isinstance(value, Known) and name in vars(tensor):
        yield state, Known(vars(tensor)[name])
    elif found is MISSING and isinstance(value, TensorValue) and name in own:
        what = f"{name!r}, an attribute that a tensor of the example has for itself"
        frame.refuse("DYCL039", node, f"{what}, is not there on the host", "pass it as an argument")
    elif found is MISSING:
        error = AttributeError(f"'Tensor' object has no attribute '{name}'")
        frame.run.raise_known(state, error)
    elif name == "__class__" and may_be_parameter(frame.run, value):
        frame.refuse("DYCL039", node, "this tensor may be a parameter that the call has made")
    elif name == "__class__":
        yield state, Known(type(tensor) if isinstance(value, Known) else torch.Tensor)
    elif name in _WITHOUT_GRADIENTS and (told := _told(frame, state, value, name)) is not None:
        yield state, told
    elif name in ("grad", "grad_fn", "is_leaf", "requires_grad", "_version", "data_ptr", "storage"):
        frame.refuse("DYCL042", node, f"Tensor.{name} has no meaning outside PyTorch's autograd")
    elif name == "device" or (name.startswith("is_") and not callable(found)):
        yield state, Known(getattr(tensor, name))
    elif callable(found) and not isinstance(found, property):
        yield state, MethodValue(value, name)
    else:
        expression = ast.Attribute(value=render(frame.run, state, value), attr=name, ctx=ast.Load())
        yield from evaluate_operation(
            Operation(
                frame,
                node,
                state,
                lambda operand: getattr(operand, name),
                (value,),
                {},
                expression,
                description=f"Tensor.{name}",
            )
        )


def _told(frame: Frame, state: State, value: Value, name: str) -> Known | None:
    """Return what a tensor says of its gradients, None where that depends on the caller's mode."""
    if name == "requires_grad" and has_asked(state, value):
        return Known(True)
    if is_gradless(frame.run, value):
        return Known(_WITHOUT_GRADIENTS[name])
    if isinstance(value, Known) and (name != "grad_fn" or value.value.is_leaf):
        return Known(getattr(value.value, name))
    return None


def refuse_of_class(frame: Frame, node: cst.CSTNode, tensor: torch.Tensor, name: str) -> None:
    """Refuse what a class of the user's says of its tensors: operations give others."""
    for kind in type(tensor).__mro__:
        if name in vars(kind) and not is_of_library(kind):
            what = f"{name!r} is of {kind.__name__}, a class of tensors"
            frame.refuse("DYCL039", node, what, "write a function that takes a plain tensor")
