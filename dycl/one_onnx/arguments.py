"""The arguments of a program as inputs of an ONNX file."""

from collections.abc import Iterator

from dycl.one_onnx.graphs import Value
from dycl.one_onnx.refusing import Inexpressible, Problems
from dycl.one_onnx.types import type_of_variable
from hcfg.graph import Hcfg
from rewriter.parameters import (
    InputSpec,
    MappingInput,
    ObjectInput,
    SequenceInput,
    StaticInput,
    VariableInput,
    places_of,
)
from rewriter.program import TensorSpec


def inputs_of(graph: Hcfg, problems: Problems) -> dict[str, Value]:
    """Return an input for each variable that the arguments give a value to.

    An input is called what one would write in ``forward``: ``x``, ``pair[0]``, ``batch['mask']``.
    """
    inputs: dict[str, Value] = {}
    for parameter in graph.parameters:
        if parameter.name and _is_written(parameter.spec):
            problems.add(f"writing into the argument `{parameter.name}`", None)
        if parameter.name and _is_separate(parameter.spec):
            problems.add(f"asking which object the argument `{parameter.name}` is", None)
        for variable, place in places_of(parameter.spec, parameter.name):
            try:
                inputs[variable] = _input(variable, place, graph)
            except Inexpressible as reason:
                problems.add(reason, None)
    return inputs


def _input(variable: str, place: str, graph: Hcfg) -> Value:
    element, shape = type_of_variable(graph.variables[variable])
    spec = graph.variables[variable].spec
    if isinstance(spec, TensorSpec):
        shape = tuple(
            size if isinstance(size, int) or size in graph.symbols else None for size in spec.shape
        )
    return Value(name=place, element=element, shape=shape)


def _is_written(spec: InputSpec) -> bool:
    """Return whether the caller would see that the call changed an argument."""
    match spec:
        case VariableInput():
            return spec.written
        case StaticInput():
            return False
        case SequenceInput() | MappingInput() | ObjectInput():
            return spec.given is not None or any(_is_written(item) for item in _parts(spec))


def _is_separate(spec: InputSpec) -> bool:
    """Return whether calls must be refused that give a tensor for another argument, too."""
    match spec:
        case VariableInput():
            return spec.separate
        case StaticInput():
            return False
        case SequenceInput() | MappingInput() | ObjectInput():
            return any(map(_is_separate, _parts(spec)))


def _parts(spec: SequenceInput | MappingInput | ObjectInput) -> Iterator[InputSpec]:
    match spec:
        case SequenceInput():
            yield from spec.items
        case MappingInput():
            yield from (item for _, item in spec.items)
        case ObjectInput():
            yield from (item for _, item in spec.attributes)
