"""What ``nn.Module`` does with attributes that are modules or parameters: it registers them.

So an attribute of the class comes first, and nothing else takes their place.
"""

import types

import libcst as cst
from torch import nn

from rewriter.class_members import class_member
from rewriter.evaluation.instances.descriptors import is_data
from rewriter.evaluation.instances.stood_for import library_class
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Instance, Known, TensorValue, Value

SET_UP = frozenset({*vars(nn.Module()), "__dict__"}) - {"training"}
"""What every module has besides ``training``: tables of parameters and hooks."""
_MISSING = object()


def refuse_registering(
    frame: Frame, node: cst.CSTNode, state: State, owner: Instance, name: str, value: Value
) -> None:
    """Refuse an assignment that a plain object would carry out in another way than a module."""
    if library_class(owner.kind) is not owner.kind and not frame.source.is_prelude:
        frame.refuse("DYCL050", node, f"an attribute of a {owner.kind.__name__} is set")
    if not issubclass(owner.kind, nn.Module):
        return
    is_one = is_module(state, value)
    registered = is_one or (isinstance(value, TensorValue) and frame.run.makes_parameters)
    if registered and class_member(owner.kind, name, _MISSING) is not _MISSING:
        text = f"{name!r} is registered, and {owner.kind.__name__} has an attribute of that name"
        frame.refuse("DYCL050", node, text)
    before = owner.attributes.get(name)
    if isinstance(before, TensorValue) and frame.run.makes_parameters:
        frame.refuse("DYCL050", node, f"{name!r} may be a parameter, which only parameters replace")
    if isinstance(before, TensorValue) and frame.run.makes_buffers and tensor_of(value) is None:
        frame.refuse("DYCL050", node, f"{name!r} may be a buffer, which only tensors replace")
    is_none = isinstance(value, Known) and value.value is None
    if before is not None and is_module(state, before) and not (is_one or is_none):
        frame.refuse("DYCL050", node, f"{name!r} is a registered module, and this is none")


def refuse_by_itself(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, name: str, value: Value
) -> None:
    """Refuse what ``object.__setattr__`` carries out in another way than for a plain object.

    A module that it stores in a module is not registered: ``eval()`` leaves it as it is.
    """
    declared = class_member(kind, name)
    if is_data(declared) and not isinstance(declared, types.MemberDescriptorType):
        frame.refuse("DYCL043", node, f"{name!r} of a {kind.__name__} is written")
    if issubclass(kind, nn.Module) and is_module(state, value):
        frame.refuse("DYCL050", node, "a module made in the call holds one that is not registered")


def is_stored_plainly(module: nn.Module, name: str) -> bool:
    """Return whether a module of PyTorch stores an attribute as all modules do.

    Recurrent layers have a list of their weights, which they keep as well.
    """
    setting = type(module).__setattr__
    if setting is nn.RNNBase.__setattr__:
        return name not in vars(module)["_flat_weights_names"]
    return setting is nn.Module.__setattr__


def refuse_replacing(
    frame: Frame, node: cst.CSTNode, owner: nn.Module, name: str, value: Value
) -> None:
    """Refuse to store something else where a parameter or module is stored as well.

    A module registers those, also under another name, and raises for anything else from then on.
    """
    content = value.value if isinstance(value, Known) else value
    if content is None:
        return
    kind = next((k for k in (nn.Parameter, nn.Module) if isinstance(content, k)), object)
    if frame.run.plan.stored.setdefault((id(owner), name), kind) is not kind:
        text = f"{name!r} is registered where a parameter or module is stored, and this is none"
        frame.refuse("DYCL034", node, text)


def is_module(state: State, value: Value) -> bool:
    """Return whether a value is a module, of the model or made in the call."""
    kind = class_of(state, value)
    return kind is not None and issubclass(kind, nn.Module)
