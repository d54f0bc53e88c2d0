"""Example inputs: what each argument of the entry point stands for."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy
import torch

from rewriter.argument_arrays import NUMBERS, array_argument, number_argument, word_of
from rewriter.argument_containers import is_own_container, items_of, with_class
from rewriter.argument_keys import literal_key
from rewriter.builder import tensor_spec
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.dynamic_shapes import DimensionReader, part_at, refuse
from rewriter.evaluation.calls.argument_parts import Reading
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame, Run
from rewriter.host_types import SequenceType, SetType
from rewriter.keeping.lent import Lent
from rewriter.parameters import (
    CALLABLE,
    FIXED,
    InputSpec,
    MappingInput,
    ObjectInput,
    SequenceInput,
    StaticInput,
    VariableInput,
)
from rewriter.plain_objects import attributes_of, is_argument_class, own_attributes
from rewriter.program import HostSpec, ObjectSpec, ScalarSpec
from rewriter.schemas import Learning, NoSchema, ObjectSample, is_recursive
from rewriter.specs import InstanceOf, ListOf, SetOf
from rewriter.stand_ins import is_named_tuple
from rewriter.state import State
from rewriter.tensor_examples import refuse_other_tensors
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


@dataclass(frozen=True, slots=True)
class InputReader:
    """Turns example arguments into input specs and values."""

    frame: Frame
    state: State
    dimensions: DimensionReader
    around: tuple[object, ...] = ()
    """The objects that contain what is read."""

    @property
    def run(self) -> Run:
        """Return the evaluation that the call begins."""
        return self.frame.run

    def read(
        self, parameter: str, example: object, place: str, dims: object = None
    ) -> tuple[InputSpec, Value]:
        """Return the spec and value of an argument, or of a part of one at ``place``.

        ``dims`` is the part of ``dynamic_shapes`` that belongs to it.
        """
        if isinstance(example, torch.Tensor):
            return self._tensor(place, example, dims)
        if type(example) is numpy.ndarray and dims is None:
            return array_argument(self.run, place, example)
        found = self._container(parameter, example, place, dims)
        if found is not None:
            return found
        if is_argument_class(type(example)) and not is_recursive(example):
            return self._object(parameter, example, place, dims)
        if dims is not None:
            refuse(f"dynamic_shapes are given for {place!r}, which is no tensor")
        if is_argument_class(type(example)) or type(example) is set:
            return self._run_time(example, place)
        return self._atom(parameter, example, place)

    def _container(
        self, parameter: str, example: Any, place: str, dims: object
    ) -> tuple[InputSpec, Value] | None:
        """Return the spec and value of a container, None where its class is not known."""
        kind = type(example)
        if kind in (list, tuple, torch.Size):
            if kind is list and place in self.run.options.run_time_lists:
                return self._run_time(example, place)
            return self._sequence(parameter, example, place, dims)
        if kind in (dict, OrderedDict):
            return self._mapping(parameter, example, place, dims)
        if is_own_container(kind):
            items = self.read(parameter, items_of(example, place), place, dims)
            return with_class(self.run, self.state, example, items, place)
        return self._named_tuple(parameter, example, place, dims) if is_named_tuple(kind) else None

    def _atom(self, parameter: str, example: object, place: str) -> tuple[InputSpec, Value]:
        if type(example) in (bool, int, float):
            return self._number(parameter, example, place)
        if isinstance(example, NUMBERS) and not self._is_static(parameter, place):
            return number_argument(self.frame, self.state, place, example)
        if isinstance(example, FIXED) or (not self.around and isinstance(example, CALLABLE)):
            return StaticInput(value=example), Known(example)
        message = (
            f"argument {place!r} is an object of class {type(example).__name__}: tensors, "
            "arrays, numbers, strings, None, containers of these, and objects that are nothing but "
            "their attributes are expected"
        )
        raise CompileError([Diagnostic(code="DYCL072", message=message, origin=None)])

    def read_rest(
        self, parameter: str, examples: tuple[object, ...], dims: object = None
    ) -> tuple[SequenceInput, TupleValue]:
        """Return the spec and value of ``*parameter``: a tuple that the call makes."""
        parts = [
            self.read(parameter, item, f"{parameter}_{n}", part_at(dims, n, parameter, examples))
            for n, item in enumerate(examples)
        ]
        spec = SequenceInput(kind=tuple, items=tuple(part for part, _ in parts))
        return spec, TupleValue(tuple(value for _, value in parts))

    def read_named(
        self, parameter: str, examples: Mapping[str, object], dims: Mapping[str, object]
    ) -> tuple[MappingInput, Value]:
        """Return the spec and value of ``**parameter``: a dict that the call makes.

        Each of its keywords is a parameter of its own for ``options.static_arguments``.
        """
        own = dims.get(parameter)
        parts = {
            key: self.read(key, item, key, dims.get(key, part_at(own, key, parameter, examples)))
            for key, item in examples.items()
        }
        spec = MappingInput(items=tuple((key, part) for key, (part, _) in parts.items()))
        cell = DictCell({key: value for key, (_, value) in parts.items()})
        return spec, self.run.allocate(self.state, cell)

    def _tensor(self, place: str, example: torch.Tensor, dims: object) -> tuple[InputSpec, Value]:
        refuse_other_tensors(place, example)
        shape = self.dimensions.shape(example, dims, place)
        with self.run.mode:
            fake = torch.empty(shape, dtype=example.dtype)
        spec = tensor_spec(fake)
        self.run.storages.mark_lasting(fake)
        name = self.run.builder.variable(word_of(place), spec)
        self.run.storages.enter(name, place, example)
        if not example.requires_grad:
            self.run.gradless.add(name)
        value = TensorValue(name, fake)
        self.run.arguments[word_of(place)] = value
        written = word_of(place) in self.run.plan.lent
        return VariableInput(variable=name, spec=spec, written=written), value

    def _is_static(self, parameter: str, place: str) -> bool:
        return not {parameter, place}.isdisjoint(self.run.options.static_arguments)

    def _number(self, parameter: str, example: object, place: str) -> tuple[InputSpec, Value]:
        if self._is_static(parameter, place):
            return StaticInput(value=example), Known(example)
        spec = ScalarSpec(type=type(example))
        name = self.run.builder.variable(word_of(place), spec)
        return VariableInput(variable=name, spec=spec), ScalarValue(name, type(example))

    def _sequence(
        self, parameter: str, example: list[object] | tuple[object, ...], place: str, dims: object
    ) -> tuple[InputSpec, Value]:
        parts = [
            self.read(parameter, item, f"{place}_{n}", part_at(dims, n, place, example))
            for n, item in enumerate(example)
        ]
        items = tuple(part for part, _ in parts)
        values = tuple(value for _, value in parts)
        if isinstance(example, tuple):
            return SequenceInput(kind=tuple, items=items), TupleValue(values, type(example))
        made = self.run.allocate(self.state, ListCell(values))
        given = self._belongs_to_caller(made, place)
        return SequenceInput(kind=list, items=items, given=given), made

    def _mapping(
        self, parameter: str, example: dict[object, object], place: str, dims: object
    ) -> tuple[InputSpec, Value]:
        parts = {
            key: self.read(parameter, item, f"{place}_{key}", part_at(dims, key, place, example))
            for key, item in example.items()
        }
        items = tuple((literal_key(key, place), part) for key, (part, _) in parts.items())
        values = {key: value for key, (_, value) in parts.items()}
        made = self.run.allocate(self.state, DictCell(values, type(example)))
        return MappingInput(items=items, given=self._belongs_to_caller(made, place)), made

    def _belongs_to_caller(self, made: Reference, place: str) -> str | None:
        """Return the variable of a container itself, None where the call does not change it."""
        run, word = self.run, word_of(place)
        if word not in run.plan.lent:
            run.lasting_cells.add(made.identity)
            run.containers.places[made.identity] = word
            return None
        cell = self.state.heap[made.identity]
        name = run.builder.variable(f"{word}_given", HostSpec(description="container"))
        run.containers.lent[word] = Lent(place=word, reference=made, content=cell, variable=name)
        return name

    def _run_time(self, example: object, place: str) -> tuple[InputSpec, Value]:
        """Return the spec and value of an argument whose structure is known at run time only."""
        learning = Learning(self.run.argument_objects.writes)
        learned = learning.learn_argument(example, place)
        if isinstance(learned, NoSchema):
            message = f"argument {place!r} has no schema: {learned.reason}"
            raise CompileError([Diagnostic(code="DYCL072", message=message, origin=None)])
        run = self.run
        spec = ObjectSpec(root=learned, classes={})
        variable = run.builder.variable(word_of(place), spec)
        made = VariableInput(variable=variable, spec=spec)
        run.argument_objects.learned[variable] = learning
        match learned:
            case InstanceOf():
                sample = ObjectSample(learning.facts(learned.name), learning)
                return made, HostValue(variable, sample)
            case ListOf(item=item) | SetOf(item=item) if item is not None:
                reading = Reading(self.frame, self.frame.source.node, learning)
                try:
                    element = reading.element_type(item)
                except Refused as refused:
                    raise CompileError([refused.diagnostic]) from refused
                kind = SetType if isinstance(learned, SetOf) else SequenceType
                cell = run.allocate(self.state, RunTimeCell(variable, kind(element)))
                run.lasting_cells.add(cell.identity)
                return made, cell
            case _:
                message = f"argument {place!r} is empty: the example must have elements"
                raise CompileError([Diagnostic(code="DYCL072", message=message, origin=None)])

    def _named_tuple(
        self, parameter: str, example: Any, place: str, dims: object
    ) -> tuple[InputSpec, TupleValue]:
        kind = type(example)
        parts = {
            name: self.read(parameter, item, f"{place}.{name}", part_at(dims, n, place, example))
            for n, (name, item) in enumerate(zip(kind._fields, example, strict=True))
        }
        pairs = tuple((name, part) for name, (part, _) in parts.items())
        spec = ObjectInput(name=kind.__name__, attributes=pairs)
        return spec, TupleValue(tuple(value for _, value in parts.values()), kind)

    def _object(
        self, parameter: str, example: object, place: str, dims: object
    ) -> tuple[InputSpec, Value]:
        """Return the spec and value of an object: what cannot be an input may not be read."""
        parts: dict[str, InputSpec] = {}
        values: dict[str, Value] = {}
        unusable: dict[str, str] = {}
        inside, own = replace(self, around=(*self.around, example)), dict(attributes_of(example))
        for name, item in own.items():
            inner = f"{place}.{name}"
            if any(item is outer for outer in inside.around):
                unusable[name] = f"argument {inner!r} is an object that contains it"
                values[name] = Known(item)
                continue
            try:
                parts[name], values[name] = inside.read(
                    parameter, item, inner, part_at(dims, name, place, own)
                )
            except CompileError as error:
                if error.diagnostics[0].code == "DYCL401":
                    raise  # not what is there, but what was said about it
                unusable[name] = error.diagnostics[0].message
                values[name] = Known(item)
        made = self.run.allocate(self.state, ObjectCell(type(example), values))
        spec = ObjectInput(
            name=type(example).__name__,
            attributes=tuple(parts.items()),
            answers=hasattr(type(example), "__getattr__"),
            given=self._belongs_to_caller(made, place),
        )
        objects = self.run.argument_objects
        objects.add(spec, made.identity, place)
        if parts.keys() | unusable.keys() != dict(own_attributes(example)).keys():
            objects.inherited.add(made.identity)
        objects.unusable |= {(made.identity, name): why for name, why in unusable.items()}
        return spec, made
