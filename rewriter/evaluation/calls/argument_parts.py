"""Arguments whose structure is known only at run time: trees, and lists of objects.

Their attributes are read by the host. Where an attribute may be None, reading it is a test:
each arm knows what it has. What one path has read of an object, it does not read again.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst
import torch

from rewriter.evaluation.host.host_statements import emit_host
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.host_types import (
    TEXT,
    ConstantType,
    HostType,
    NumberType,
    ObjectType,
    OptionalType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
)
from rewriter.program import HostSpec, ScalarSpec, TensorSpec
from rewriter.schemas import Learning, NoSchema, ObjectSample
from rewriter.specs import (
    AnyText,
    Constant,
    InstanceOf,
    ListOf,
    OneOrNone,
    Schema,
    SetOf,
    TupleOf,
)
from rewriter.state import State
from rewriter.values import (
    NONE,
    HostValue,
    Known,
    ListCell,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


def read_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue, name: str
) -> Outcomes:
    """Evaluate ``value.name``, an attribute that instances of the class have themselves."""
    assert isinstance(value.sample, ObjectSample)
    facts = value.sample.facts
    known = state.reads.get((value.name, name))
    if known is not None:
        yield state, known
        return
    schema = facts.attributes[name]
    if isinstance(schema, NoSchema):
        frame.refuse("DYCL072", node, f"attribute {name!r} is no input: {schema.reason}")
    facts.read.add(name)
    expression = ast.Attribute(value=name_expression(value.name), attr=name, ctx=ast.Load())
    is_written = name in facts.written
    reading = Reading(frame, node, value.sample.learning, is_written)
    for present in _present(frame, node, state, value, name):
        for after, found in reading.read(present, expression, schema, name):
            if not is_written:
                after.reads[value.name, name] = found
            yield after, found


def _present(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue, name: str
) -> Iterator[State]:
    """Yield the state in which an object has an attribute; where it has not, that is raised."""
    assert isinstance(value.sample, ObjectSample)
    if name not in value.sample.facts.partial:
        yield state
        return
    function = frame.run.builder.reference(hasattr, "hasattr")
    test = call_expression(function, [name_expression(value.name), ast.Constant(value=name)])
    for arm, is_there in frame.run.branch(state, test, frame.origin(node)):
        if is_there:
            yield arm
        else:
            frame.run.raise_known(arm, _no_attribute(value, name))


def _no_attribute(value: HostValue, name: str) -> AttributeError:
    assert isinstance(value.sample, ObjectSample)
    kind = value.sample.facts.kind.__name__
    return AttributeError(f"'{kind}' object has no attribute '{name}'")


def missing_attribute(frame: Frame, state: State, value: HostValue, name: str) -> None:
    """End the path: no object of the example has the attribute, and no caller's may."""
    assert isinstance(value.sample, ObjectSample)
    value.sample.facts.absent[name] = None
    frame.run.raise_known(state, _no_attribute(value, name))


@dataclass(frozen=True, slots=True)
class Reading:
    """Takes parts out of an argument at run time."""

    frame: Frame
    node: cst.CSTNode
    learning: Learning
    is_written: bool = False
    """Whether the program writes what is read: it must be read at just this time."""

    def read(self, state: State, expression: ast.expr, schema: Schema, hint: str) -> Outcomes:
        """Yield what an expression of the host gives, by its schema."""
        match schema:
            case OneOrNone():
                yield from self._optional(state, expression, schema, hint)
            case TupleOf():
                yield from self._tuple(state, expression, schema, hint)
            case Constant():
                yield state, Known(schema.value)
            case ListOf() | SetOf():
                yield state, self._list(state, expression, schema, hint)
            case TensorSpec() | ScalarSpec() | AnyText() | InstanceOf():
                value = self._leaf(schema, hint)
                assert isinstance(value, TensorValue | ScalarValue | HostValue)
                self._emit(state, value.name, expression)
                yield state, value

    def _emit(self, state: State, name: str, expression: ast.expr) -> None:
        origin = self.frame.origin(self.node)
        emit_host(self.frame.run, state, name, expression, origin, self.is_written)

    def _leaf(self, schema: TensorSpec | ScalarSpec | AnyText | InstanceOf, hint: str) -> Value:
        """Return a value of the kind that a schema describes, in a new variable."""
        run = self.frame.run
        match schema:
            case TensorSpec():
                name = run.builder.variable(hint, schema)
                run.storages.contained.add(name)
                return TensorValue(name, self._fake(schema))
            case ScalarSpec():
                return ScalarValue(run.builder.variable(hint, schema), schema.type)
            case AnyText():
                return HostValue(run.builder.variable(hint, HostSpec(description="str")), "")
            case InstanceOf():
                spec = HostSpec(description=schema.name)
                return HostValue(run.builder.variable(hint, spec), self._sample(schema))

    def element_type(self, schema: Schema) -> HostType:
        """Return the type of a list's elements: nothing that could be changed in them."""
        match schema:
            case TensorSpec():
                return TensorType(self._fake(schema))
            case ScalarSpec():
                return NumberType(schema.type)
            case AnyText():
                return TEXT
            case InstanceOf():
                return ObjectType(self._sample(schema))
            case TupleOf():
                return TupleType(tuple(map(self.element_type, schema.items)))
            case OneOrNone():
                return OptionalType(self.element_type(schema.item))
            case Constant():
                return ConstantType(schema.value)
            case ListOf() | SetOf():
                what = "a list of lists, or of sets, in an argument"
                self.frame.refuse("DYCL072", self.node, what)

    def _fake(self, schema: TensorSpec) -> torch.Tensor:
        run = self.frame.run
        sizes = [size for size in schema.shape if isinstance(size, int)]
        if len(sizes) < len(schema.shape):
            self.frame.refuse(
                "DYCL072", self.node, "a tensor in an argument has a size known only at run time"
            )
        with run.mode:
            fake = torch.empty(sizes, dtype=schema.dtype)
        run.storages.mark_lasting(fake)
        return fake

    def _sample(self, schema: InstanceOf) -> ObjectSample:
        return ObjectSample(self.learning.facts(schema.name), self.learning)

    def _optional(
        self, state: State, expression: ast.expr, schema: OneOrNone, hint: str
    ) -> Outcomes:
        run = self.frame.run
        test = ast.Compare(left=expression, ops=[ast.Is()], comparators=[ast.Constant(value=None)])
        for arm, is_none in run.branch(state, test, self.frame.origin(self.node)):
            if is_none:
                yield arm, NONE
            else:
                yield from self.read(arm, expression, schema.item, hint)

    def _tuple(self, state: State, expression: ast.expr, schema: TupleOf, hint: str) -> Outcomes:
        ways: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
        for index, item in enumerate(schema.items):
            part = ast.Subscript(value=expression, slice=ast.Constant(value=index), ctx=ast.Load())
            ways = [
                (after, (*found, value))
                for before, found in ways
                for after, value in self.read(before, part, item, f"{hint}_{index}")
            ]
        for after, found in ways:
            yield after, TupleValue(found)

    def _list(self, state: State, expression: ast.expr, schema: ListOf | SetOf, hint: str) -> Value:
        run = self.frame.run
        if schema.item is None:
            made = run.allocate(state, ListCell(()))
        else:
            element = self.element_type(schema.item)
            is_set = isinstance(schema, SetOf)
            given = SetType(element) if is_set else SequenceType(element)
            name = run.builder.variable(hint, HostSpec(description=given.kind.__name__))
            self._emit(state, name, expression)
            made = run.allocate(state, RunTimeCell(name, given))
        run.lasting_cells.add(made.identity)
        return made
