"""Example inputs: what each argument of the entry point stands for."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from rewriter.builder import tensor_spec
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.dynamic_shapes import DimensionReader, part_at, refuse
from rewriter.evaluation.run import Run
from rewriter.program import (
    InputSpec,
    MappingInput,
    ScalarSpec,
    SequenceInput,
    StaticInput,
    VariableInput,
)
from rewriter.state import State
from rewriter.values import DictCell, Known, ListCell, ScalarValue, TensorValue, TupleValue, Value

_STATIC = (str, bytes, type(None), enum.Enum, torch.dtype, torch.device, type(Ellipsis))
_SPARSE = "only dense tensors can be inputs"


@dataclass(frozen=True, slots=True)
class InputReader:
    """Turns example arguments into input specs and values."""

    run: Run
    state: State
    dimensions: DimensionReader

    def read(
        self, parameter: str, example: object, place: str, dims: object = None
    ) -> tuple[InputSpec, Value]:
        """Return the spec and value of an argument, or of a part of one at ``place``.

        ``dims`` is the part of ``dynamic_shapes`` that belongs to it.
        """
        if isinstance(example, torch.Tensor):
            return self._tensor(place, example, dims)
        if type(example) in (list, tuple):
            return self._sequence(parameter, example, place, dims)  # type: ignore[arg-type]
        if type(example) is dict:
            return self._mapping(parameter, example, place, dims)
        if dims is not None:
            refuse(f"dynamic_shapes are given for {place!r}, which is no tensor")
        if type(example) in (bool, int, float):
            return self._number(parameter, example, place)
        if not isinstance(example, _STATIC):
            message = (
                f"argument {place!r} is an object of class {type(example).__name__}: tensors, "
                "numbers, strings, None, and lists, tuples and dicts of these are expected"
            )
            raise CompileError([Diagnostic(code="DYCL072", message=message, origin=None)])
        return StaticInput(value=example), Known(example)

    def read_rest(
        self, parameter: str, examples: tuple[object, ...], dims: object = None
    ) -> tuple[SequenceInput, TupleValue]:
        """Return the spec and value of ``*parameter``: a tuple that the call makes."""
        parts = [
            self.read(parameter, item, f"{parameter}_{index}", part_at(dims, index, parameter))
            for index, item in enumerate(examples)
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
            key: self.read(key, item, key, dims.get(key, part_at(own, key, parameter)))
            for key, item in examples.items()
        }
        spec = MappingInput(items=tuple((key, part) for key, (part, _) in parts.items()))
        cell = DictCell({key: value for key, (_, value) in parts.items()})
        return spec, self.run.allocate(self.state, cell)

    def _tensor(self, place: str, example: torch.Tensor, dims: object) -> tuple[InputSpec, Value]:
        if example.layout is not torch.strided or example.is_quantized:
            message = f"argument {place!r}: {_SPARSE}, got {example.layout}"
            raise CompileError([Diagnostic(code="DYCL071", message=message, origin=None)])
        shape = self.dimensions.shape(example, dims, place)
        with self.run.mode:
            fake = torch.empty(shape, dtype=example.dtype)
        spec = tensor_spec(fake)
        self.run.storages.mark_lasting(fake)
        name = self.run.builder.variable(_word(place), spec)
        self.run.storages.callers.add(name)
        if not example.requires_grad:
            self.run.gradless.add(name)
        return VariableInput(variable=name, spec=spec), TensorValue(name, fake)

    def _number(self, parameter: str, example: object, place: str) -> tuple[InputSpec, Value]:
        if parameter in self.run.options.static_arguments:
            return StaticInput(value=example), Known(example)
        spec = ScalarSpec(type=type(example))
        name = self.run.builder.variable(_word(place), spec)
        return VariableInput(variable=name, spec=spec), ScalarValue(name, type(example))

    def _sequence(
        self, parameter: str, example: list[object] | tuple[object, ...], place: str, dims: object
    ) -> tuple[InputSpec, Value]:
        parts = [
            self.read(parameter, item, f"{place}_{index}", part_at(dims, index, place))
            for index, item in enumerate(example)
        ]
        items = tuple(part for part, _ in parts)
        values = tuple(value for _, value in parts)
        if isinstance(example, tuple):
            return SequenceInput(kind=tuple, items=items), TupleValue(values)
        spec = SequenceInput(kind=list, items=items)
        made = self.run.allocate(self.state, ListCell(values))
        self.run.lasting_cells.add(made.identity)
        return spec, made

    def _mapping(
        self, parameter: str, example: dict[object, object], place: str, dims: object
    ) -> tuple[InputSpec, Value]:
        parts = {
            key: self.read(parameter, item, f"{place}_{key}", part_at(dims, key, place))
            for key, item in example.items()
        }
        spec = MappingInput(items=tuple((key, part) for key, (part, _) in parts.items()))
        values = {key: value for key, (_, value) in parts.items()}
        made = self.run.allocate(self.state, DictCell(values))
        self.run.lasting_cells.add(made.identity)
        return spec, made


def _word(place: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else "_" for c in place)
