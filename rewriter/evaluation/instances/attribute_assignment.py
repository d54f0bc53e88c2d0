"""Assignment to attributes: of instances made in the call, and of the model's objects."""

import dataclasses
import types
from collections.abc import Mapping

import libcst as cst
import numpy
import torch

from rewriter.class_members import class_member
from rewriter.evaluation.calls.argument_writes import write_attribute
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.torch_reads import is_read_by_layer
from rewriter.evaluation.containers.container_classes import is_of_dict
from rewriter.evaluation.containers.held_keys import refuse_change_of_key
from rewriter.evaluation.instances import descriptors, registering
from rewriter.evaluation.instances.data_descriptors import checked_by_class
from rewriter.evaluation.instances.known_attributes import refuse_of_thread
from rewriter.evaluation.instances.known_tables import refuse_unseen_write
from rewriter.evaluation.instances.shared_attributes import require_own, write_shared
from rewriter.evaluation.instances.user_classes import class_of, instance_of, user_method
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_records import set_field
from rewriter.evaluation.tensors.given_data import give_data
from rewriter.evaluation.tensors.gradients import gradient_method
from rewriter.host_types import RecordType
from rewriter.keeping.leaving import initial_content, stored, update
from rewriter.keeping.noting import keep_object, note_reader, note_write, resident
from rewriter.known_paths import is_library
from rewriter.schemas import ObjectSample
from rewriter.state import State
from rewriter.storages import same_view
from rewriter.values import (
    HostValue,
    Known,
    Poison,
    Reference,
    RunTimeCell,
    TensorValue,
    Value,
    with_attribute,
)

_SAMPLES: tuple[object, ...] = (
    *(None, False, 0, 0.0, 0j, "", b"", (), [], {}, set(), frozenset(), object(), range(0), ...),
    *(len, types.MethodType(len, ""), torch.Size(), torch.float32, torch.device("cpu"), slice(0)),
)
_MISSING = object()
_WITHOUT_ATTRIBUTES = {type(sample): sample for sample in _SAMPLES}
"""An object of each class whose objects raise where an attribute is written."""


def set_attribute(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, name: str, value: Value
) -> list[State]:
    """Execute ``owner.name = value``; return the states that go on."""
    refuse_change_of_key(frame, node, state, owner)
    kind = class_of(state, owner)
    found = class_member(kind, name) if kind is not None else None
    by_itself = kind is not None and user_method(kind, "__setattr__") is not None
    described = None if by_itself else _described(frame, node, state, owner, found, value)
    if described is not None:
        return described
    set_by_code = _set_by_code(frame, node, state, owner, name, value)
    if set_by_code is not None:
        return set_by_code
    error = None if kind is None else _refused_by_class(frame, node, state, kind, name, value)
    if error is not None:
        frame.run.raise_known(state, error)
        return []
    if tensor_of(owner) is not None:
        return _set_of_tensor(frame, node, state, owner, name, value)
    match owner:
        case Reference() if (cell := instance_of(state, owner)) is not None:
            registering.refuse_registering(frame, node, state, cell, name, value)
            frame.run.update(state, owner, with_attribute(cell, name, value))
            return [state]
        case Reference() if isinstance(record := state.heap[owner.identity], RunTimeCell) and (
            isinstance(record.type, RecordType) and record.kind is not dict
        ):
            set_field(frame, node, state, owner, name, value)
            return [state]
        case HostValue() if isinstance(owner.sample, ObjectSample):
            write_attribute(frame, node, state, owner, name, value)
            return [state]
        case Known():
            _refuse_made_module(frame, node, state, owner, name, value)
            _write_known(frame, node, state, owner, name, value)
            return [state]
        case Poison():
            raise UsedPoison
        case _:
            frame.refuse("DYCL043", node, f"attribute {name!r} of this object cannot be written")


def set_without_code(
    frame: Frame, node: cst.CSTNode, state: State, owner: Known, name: str, value: Value
) -> list[State]:
    """Execute ``object.__setattr__(owner, name, value)``: the class's own one does not run."""
    kind = type(owner.value)
    described = _described(frame, node, state, owner, class_member(kind, name), value)
    if described is not None:
        return described
    error = refused_by_python(frame, node, state, kind, name, value)
    if error is not None:
        frame.run.raise_known(state, error)
        return []
    _refuse_made_module(frame, node, state, owner, name, value)
    _write_known(frame, node, state, owner, name, value)
    return [state]


def _set_by_code(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, name: str, value: Value
) -> list[State] | None:
    """Return the states after the ``__setattr__`` of an object's class, None where it has none."""
    kind = class_of(state, owner)
    if kind is None:
        return None
    own = class_member(kind, "__setattr__")
    by_itself = user_method(kind, "__setattr__") is not None
    made = instance_of(state, owner)
    if not (by_itself or (made and is_of_dict(own))):
        return None
    if not (made or (isinstance(owner, Known) and not isinstance(owner.value, type))):
        frame.refuse("DYCL043", node, "this object's class has its own __setattr__")
    places = frame.run.containers.places
    if by_itself and isinstance(owner, Reference) and owner.identity in places:
        # it would run again where the caller's own object gets the change
        frame.refuse("DYCL043", node, "an argument whose class has its own __setattr__ is written")
    setting = call_value(frame, node, state, Known(own), [owner, Known(name), value], {})
    return [after for after, _ in setting]


def _set_of_tensor(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, name: str, value: Value
) -> list[State]:
    """Execute ``tensor.name = value`` where it computes nothing."""
    given = give_data(frame, node, state, owner, value) if name == "data" else None
    if given is not None:
        return given
    if name == "requires_grad":
        asked = gradient_method(frame, node, state, owner, "requires_grad_", value)
        return [after for after, _ in asked]
    frame.refuse("DYCL043", node, f"attribute {name!r} of a tensor cannot be written")


def _described(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, found: object, value: Value
) -> list[State] | None:
    """Return the states after a property's setter or a descriptor's, None where there is none."""
    if isinstance(found, property) and found.fset is not None:
        outcomes = call_value(frame, node, state, Known(found.fset), [owner, value], {})
        return [after for after, _ in outcomes]
    if found is class_member(torch.Tensor, "data") and isinstance(owner, Known):
        keep_object(frame.run, owner.value)  # where it is of the model, it is no known one then
    return descriptors.write(frame, node, state, owner, found, value)


def _refuse_made_module(
    frame: Frame, node: cst.CSTNode, state: State, owner: Known, name: str, value: Value
) -> None:
    """Refuse to register a module made in the call: the model would have one more part.

    What is written for one thread, nobody else would see.
    """
    refuse_of_thread(frame, node, owner.value, name)
    kind = class_of(state, value) if isinstance(value, Reference) else None
    if isinstance(owner.value, torch.nn.Module) and kind and issubclass(kind, torch.nn.Module):
        frame.refuse("DYCL043", node, f"a module ({kind.__name__}) made in the call is kept")


def _refused_by_class(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, name: str, value: Value
) -> Exception | None:
    """Return the error with which a class itself refuses a write: frozen, or with slots."""
    if issubclass(kind, numpy.ndarray):
        frame.refuse("DYCL034", node, f"attribute {name!r} of a numpy array is written")
    if kind in _WITHOUT_ATTRIBUTES:
        try:
            setattr(_WITHOUT_ATTRIBUTES[kind], name, None)
        except AttributeError as error:
            return error
    parameters = class_member(kind, "__dataclass_params__")
    if parameters is not None and parameters.frozen:
        return dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    return refused_by_python(frame, node, state, kind, name, value)


def refused_by_python(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, name: str, value: Value
) -> Exception | None:
    """Return the error of ``object.__setattr__``: where there are slots only, no other name."""
    found = class_member(kind, name, _MISSING)
    if is_library(kind.__module__) or kind.__dictoffset__ or hasattr(type(found), "__set__"):
        return checked_by_class(frame, node, state, kind, name, value)
    of_class = f"{kind.__name__!r} object attribute {name!r} is read-only"
    none = f"{kind.__name__!r} object has no attribute {name!r}"
    return AttributeError(none if found is _MISSING else of_class)


def _write_known(
    frame: Frame, node: cst.CSTNode, state: State, owner: Known, name: str, value: Value
) -> None:
    content = owner.value
    key = (id(content), name)
    if isinstance(content, type | types.ModuleType):
        write_shared(frame, node, state, content, name, value)
        return
    require_own(frame, node, content, name)
    if _holds_already(frame, state, content, name, value):
        return
    refuse_unseen_write(frame, node, content, name)
    if isinstance(content, torch.nn.Module):
        registered = any(
            name in table for table in (content._parameters, content._buffers, content._modules)
        )
        kind = type(content)
        if registered and (
            is_library(kind.__module__) or not _is_new_buffer(frame, content, name, value)
        ):
            frame.refuse(
                "DYCL034", node, f"parameter, buffer or submodule {name!r} is written in the call"
            )
        if is_library(kind.__module__) and not registering.is_stored_plainly(content, name):
            problem = f"{name!r} of a {kind.__name__}, a module of PyTorch, is written in the call"
            frame.refuse("DYCL034", node, problem, help="call the function behind the module")
    note_write(frame.run, content, name, frame.origin(node))
    if isinstance(content, torch.nn.Module):
        registering.refuse_replacing(frame, node, content, name, value)
    kept_as = frame.run.plan.name_of(content, name)
    if kept_as is not None and is_read_by_layer(content, name):
        note_reader(frame.run, content, name)
    held = key in frame.run.plan.read or kept_as is None
    if held or key in frame.run.plan.layers_read:
        state.attributes[key] = value
    if not held:
        _show(frame, node, state, content, name, value)


def _holds_already(frame: Frame, state: State, content: object, name: str, value: Value) -> bool:
    """Return whether an attribute is bound to what it holds: ``self.items += [x]``.

    Whether it holds that in each call is known of attributes that are read: those are kept
    where anything else is written to them.
    """
    key = (id(content), name)
    if key in state.attributes or key not in frame.run.initial_reads:
        return False
    held = resident(frame.run, state, Known(getattr(content, name, None)))
    match held, value:
        case Known(), Known():
            return held.value is value.value and _is_own(content, name)
        case Reference(), Reference():
            return held.identity == value.identity
        case TensorValue(), TensorValue():
            return held.name == value.name or (
                state.current(held).name == state.current(value).name
                and same_view(held.fake, value.fake)
            )
        case _:
            return False


def _is_own(content: object, name: str) -> bool:
    """Return whether an object itself has an attribute, not only its class."""
    tables: list[Mapping[str, object]] = [getattr(content, "__dict__", {})]
    if isinstance(content, torch.nn.Module):
        tables += [content._buffers, content._parameters, content._modules]
    return any(name in table for table in tables)


def _is_new_buffer(frame: Frame, content: torch.nn.Module, name: str, value: Value) -> bool:
    """Return whether another tensor, or None, is put in the place of a buffer."""
    is_none = isinstance(value, Known) and value.value is None
    return (
        name in content._buffers
        and (is_none or tensor_of(value) is not None)
        and frame.run.plan.name_of(content, name) is not None
    )


def _show(
    frame: Frame, node: cst.CSTNode, state: State, content: object, attribute: str, value: Value
) -> None:
    """Store an attribute that the model itself never reads, for the caller to look at."""
    run = frame.run
    name = run.plan.name_of(content, attribute)
    assert name is not None
    expression = stored(run, state, value)
    if expression is None:
        run.note(frame.origin(node), f"what is stored in {name} cannot be seen from outside")
        return
    if hasattr(content, attribute):
        run.kept[name] = initial_content(getattr(content, attribute))
    run.keeps = True
    update(run, state, {name: expression}, frame.origin(node))
