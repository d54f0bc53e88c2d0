"""The call of the entry point: example inputs bound to its parameters, as Python binds them."""

import inspect
import types
from collections.abc import Mapping

from rewriter.call_signatures import call_signature
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.dynamic_shapes import DimensionReader, by_parameter
from rewriter.entry_points import EntryPoint
from rewriter.evaluation.run import Frame
from rewriter.inputs import InputReader
from rewriter.parameters import Parameter, StaticInput
from rewriter.partial_arguments import Left, left_by
from rewriter.state import State
from rewriter.values import Known, TupleValue, Value

Examples = tuple[object, ...] | Mapping[str, object]


def bind_inputs(
    frame: Frame,
    point: EntryPoint,
    example_inputs: Examples,
    state: State,
    dynamic_shapes: object = None,
) -> tuple[Parameter, ...]:
    """Give the parameters of the entry point their values; return what a call must pass."""
    receiver, whole = point.receiver, call_signature(point.function)
    left = left_by(whole, 0 if receiver is None else 1, point.given)
    signature = left.signature
    bound = _bind(point.function, left, receiver, example_inputs)
    dims = by_parameter(dynamic_shapes, bound, 0 if receiver is None else 1)
    dimensions = DimensionReader(frame.run.sizes)
    reader = InputReader(frame=frame, state=state, dimensions=dimensions)
    variables: dict[str, Value] = {name: Known(each) for name, each in left.given.items()}
    parameters: list[Parameter] = []
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if receiver is not None and index == 0:
            own = Known(receiver, "self")
            if parameter.kind is not parameter.VAR_POSITIONAL:
                variables[name] = own
                continue
            # A wrapper around a method: its object is the first of ``*args``.
            rest = bound.arguments.get(name, ())[1:]
            sequence, value = reader.read_rest(name, rest, dims.get(name))
            variables[name] = TupleValue((own, *value.items))
            if rest:
                parameters.append(Parameter(name=name, spec=sequence, star="*"))
            continue
        made, variables[name] = _parameter(reader, parameter, bound, dims)
        if not made.star or bound.arguments.get(name):  # else a call must not pass any either
            parameters.append(made)
    state.frames[frame.identity] = {name: variables[name] for name in whole.parameters}
    return tuple(parameters)


def _bind(
    function: types.FunctionType,
    left: Left,
    receiver: object,
    example_inputs: Examples,
) -> inspect.BoundArguments:
    signature, receiver_values = left.signature, () if receiver is None else (receiver,)
    if isinstance(example_inputs, Mapping) and (twice := left.given.keys() & example_inputs.keys()):
        raise _refusal(f"{min(twice)!r} is given by the functools.partial and by the example")
    try:
        if isinstance(example_inputs, Mapping):
            return signature.bind(*receiver_values, **example_inputs)
        return signature.bind(*receiver_values, *example_inputs)
    except TypeError as error:
        message = f"the example inputs do not fit {function.__qualname__}{signature}: {error}"
        raise _refusal(message) from error


def _refusal(message: str) -> CompileError:
    return CompileError([Diagnostic(code="DYCL071", message=message, origin=None)])


def _parameter(
    reader: InputReader,
    parameter: inspect.Parameter,
    bound: inspect.BoundArguments,
    dims: Mapping[str, object],
) -> tuple[Parameter, Value]:
    name = parameter.name
    value: Value
    if parameter.kind is parameter.VAR_POSITIONAL:
        sequence, value = reader.read_rest(name, bound.arguments.get(name, ()), dims.get(name))
        return Parameter(name=name, spec=sequence, star="*"), value
    if parameter.kind is parameter.VAR_KEYWORD:
        mapping, value = reader.read_named(name, bound.arguments.get(name, {}), dims)
        return Parameter(name=name, spec=mapping, star="**"), value
    keyword_only = parameter.kind is parameter.KEYWORD_ONLY
    if name not in bound.arguments:
        static = StaticInput(value=parameter.default)
        made = Parameter(name=name, spec=static, keyword_only=keyword_only, default=static)
        return made, Known(parameter.default)
    spec, value = reader.read(name, bound.arguments[name], name, dims.get(name))
    return Parameter(name=name, spec=spec, keyword_only=keyword_only), value
