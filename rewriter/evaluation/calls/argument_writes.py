"""Attributes of arguments' objects that the program writes: ``tree.state = (c, h)``.

The caller sees the write. Whatever reads the attribute, through whichever name, reads it from
the object, so the schema must say from the start what is written: the first evaluation that
meets a write only finds out (``WritesFound``).
"""

import ast

import libcst as cst

from rewriter.builder import tensor_spec
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_objects import host_type
from rewriter.host_type_relations import decided
from rewriter.host_types import (
    PLAIN,
    ConstantType,
    HandleType,
    HostType,
    MappingType,
    MixedListType,
    NumberType,
    ObjectType,
    OptionalType,
    RecordType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
)
from rewriter.program import ScalarSpec
from rewriter.schemas import Learned, Learning, NoSchema, ObjectSample, WritesFound, united
from rewriter.specs import AnyText, Constant, InstanceOf, OneOrNone, TupleOf
from rewriter.state import State
from rewriter.values import HostValue, Value


def write_attribute(
    frame: Frame, node: cst.CSTNode, state: State, owner: HostValue, name: str, value: Value
) -> None:
    """Execute ``owner.name = value``."""
    assert isinstance(owner.sample, ObjectSample)
    facts, run = owner.sample.facts, frame.run
    kind = host_type(frame, node, state, value)
    schema = _schema(kind, owner.sample.learning)
    before = facts.written.get(name)
    both = schema if before is None else united(before, schema)
    if isinstance(both, NoSchema):
        frame.refuse(
            "DYCL043", node, f"attribute {name!r} of an argument cannot hold this: {both.reason}"
        )
    if both != before:
        raise WritesFound({**run.argument_objects.writes, (facts.kind, name): both})
    content = put(frame, node, state, value, kind)
    function = run.builder.reference(setattr, "setattr")
    arguments = [name_expression(owner.name), ast.Constant(value=name), content]
    host_effect(
        run, state, call_expression(function, arguments), frame.origin(node), may_raise=False
    )


def _schema(kind: HostType, learning: Learning) -> Learned:
    """Return the schema of what is written."""
    match decided(kind):
        case TensorType(like=like):
            return tensor_spec(like)
        case NumberType(kind=number):
            return ScalarSpec(type=None if number is PLAIN else number)
        case ConstantType(value=None):
            return Constant(value=None)
        case OptionalType(item=item):
            found = _schema(item, learning)
            return found if isinstance(found, NoSchema) else OneOrNone(item=found)
        case TupleType() as whole if whole.kind is tuple:
            items = [_schema(item, learning) for item in whole.items]
            known = tuple(item for item in items if not isinstance(item, NoSchema))
            return TupleOf(items=known) if len(known) == len(items) else NoSchema("its parts")
        case ObjectType(sample=str()):
            return AnyText()
        case ObjectType(sample=ObjectSample() as sample) if sample.learning is learning:
            return InstanceOf(name=sample.facts.kind.__name__)
        case (
            None | ConstantType() | TupleType() | ObjectType() | SequenceType() | SetType()
            | MixedListType() | MappingType() | RecordType() | HandleType()
        ):  # fmt: skip
            return NoSchema("only tensors, numbers, strings, None, tuples of these")
