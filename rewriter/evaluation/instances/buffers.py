"""``module.register_buffer(name, tensor)`` in the call: another tensor in a buffer's place.

So do tables of positions grow (``if length > self.longest: self._make_table(length)``).
"""

import inspect

import libcst as cst
from torch import nn
from torch.nn.modules import module as of_modules

from rewriter.class_members import class_member
from rewriter.evaluation.instances.attribute_assignment import set_attribute
from rewriter.evaluation.instances.user_classes import instance_of
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, Known, Reference, Value

_SIGNATURE = inspect.signature(nn.Module.register_buffer)
_MISSING = object()


def register_buffer(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Value,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Set a buffer that is there already, or one of a module that is made in the call."""
    try:
        given = _SIGNATURE.bind(module, *positional, **keywords)
    except TypeError:
        frame.run.raise_known(state, _as_python_says(positional, keywords))
        return
    given.apply_defaults()
    name, tensor, persistent = (given.arguments[key] for key in ("name", "tensor", "persistent"))
    shown = persistent.value if isinstance(persistent, Known) else persistent
    text = name.value if isinstance(name, Known) else None
    if not isinstance(text, str) or not _is_tensor(tensor) or not isinstance(shown, bool):
        frame.refuse("DYCL034", node, "register_buffer() is called with other than a tensor")
    problem = (
        _unlike_assignment(module.value, text, shown)
        if isinstance(module, Known)
        else _not_new(frame, state, module, text)
    )
    if problem is not None:
        frame.refuse("DYCL034", node, f"register_buffer() {problem}")
    for after in set_attribute(frame, node, state, module, text, tensor):
        yield after, NONE


def _as_python_says(positional: list[Value], keywords: dict[str, Value]) -> Exception:
    """Return the error of a call whose arguments do not fit the parameters."""
    try:
        nn.Module.register_buffer(nn.Module(), *positional, **keywords)  # type: ignore[arg-type]
    except TypeError as error:
        return error
    raise AssertionError("the arguments fit")


def _is_tensor(value: Value) -> bool:
    content = tensor_of(value)
    return content is not None and not isinstance(content, nn.Parameter)


def _unlike_assignment(module: nn.Module, name: str, persistent: bool) -> str | None:
    """Return what is changed besides the buffer of a model's module, None where nothing is."""
    if of_modules._global_buffer_registration_hooks:
        return "calls hooks"
    if name not in module._buffers or type(module).__setattr__ is not nn.Module.__setattr__:
        return "gives the model one more buffer during the call"
    if persistent is (name in module._non_persistent_buffers_set):
        return "changes whether a buffer is saved"
    return None


def _not_new(frame: Frame, state: State, module: Value, name: str) -> str | None:
    """Return why a made module may not get a buffer of a name, None where it is a new one."""
    made = instance_of(state, module) if isinstance(module, Reference) else None
    if made is None or "training" not in made.attributes:
        return "is called on a module that is not initialised"
    there = name in made.attributes or (class_member(made.kind, name, _MISSING) is not _MISSING)
    if there or not name or "." in name or of_modules._global_buffer_registration_hooks:
        return f"is called with the name {name!r}, which is there already or is none"
    frame.run.makes_buffers = True
    return None
