"""Attributes of host values, arguments whose structure is known only at run time among them."""

import functools

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.argument_parts import missing_attribute, read_attribute
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.host_objects import host_attribute
from rewriter.evaluation.instances.class_attributes import MISSING, bound_attribute
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.schemas import ClassFacts, ObjectSample
from rewriter.state import State
from rewriter.values import HostValue, Known, ScalarValue


def host_value_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue | HostValue, name: str
) -> Outcomes:
    """Evaluate an attribute of a number or another object that the host has."""
    if isinstance(value, HostValue) and isinstance(value.sample, ObjectSample):
        yield from _argument_attribute(frame, node, state, value, value.sample.facts, name)
    else:
        yield from host_attribute(frame, node, state, value, name)


def _argument_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue, facts: ClassFacts, name: str
) -> Outcomes:
    """Evaluate an attribute of an object whose structure is known only at run time."""
    found = class_member(facts.kind, name, MISSING)
    if isinstance(found, property) and found.fget is not None:
        yield from call_value(frame, node, state, Known(found.fget), [value], {})
    elif name in facts.attributes:
        yield from read_attribute(frame, node, state, value, name)
    elif name == "__class__":
        yield state, Known(facts.kind)
    elif name == "__dict__" or isinstance(found, functools.cached_property):
        frame.refuse("DYCL072", node, f"{name} of an argument is not supported")
    elif (bound := bound_attribute(value, facts.kind, found)) is not None:
        yield state, bound
    elif (fallback := user_method(facts.kind, "__getattr__")) is not None:
        yield from call_value(frame, node, state, Known(fallback), [value, Known(name)], {})
    else:
        missing_attribute(frame, state, value, name)
