"""Take the arguments of a call apart into the run-time variables of the program."""

from collections.abc import Iterator, Mapping, Sequence

from rewriter.parameters import (
    InputSpec,
    MappingInput,
    ObjectInput,
    Parameter,
    SequenceInput,
    StaticInput,
    VariableInput,
)


def bind_arguments(
    parameters: Sequence[Parameter], arguments: Sequence[object], keywords: Mapping[str, object]
) -> dict[str, object]:
    """Return the values of the run-time variables that a call's arguments define."""
    given = _given(parameters, arguments, keywords)
    values: dict[str, object] = {}
    for parameter in parameters:
        if parameter.name in given:
            values.update(_bind(parameter.spec, given[parameter.name], parameter.name))
        elif parameter.default is None:
            raise TypeError(f"argument {parameter.name!r} is missing")
    return values


def _given(
    parameters: Sequence[Parameter], arguments: Sequence[object], keywords: Mapping[str, object]
) -> dict[str, object]:
    """Return what the call passes to each parameter that it passes something to."""
    rest = next((p.name for p in parameters if p.star == "*"), None)
    named = next((p.name for p in parameters if p.star == "**"), None)
    positional = [p.name for p in parameters if not (p.keyword_only or p.star)]
    if rest is None and len(arguments) > len(positional):
        raise TypeError(f"expected at most {len(positional)} arguments, got {len(arguments)}")
    given = dict(zip(positional, arguments, strict=False))
    if repeated := sorted(given.keys() & keywords.keys()):
        raise TypeError(f"argument {repeated[0]!r} was given twice")
    own = {p.name for p in parameters if not p.star}
    given |= {name: value for name, value in keywords.items() if name in own}
    others = {name: value for name, value in keywords.items() if name not in own}
    if named is not None:
        given[named] = others
    elif others:
        raise TypeError(f"there is no parameter {min(others)!r}")
    if rest is not None:
        given[rest] = tuple(arguments[len(positional) :])
    return given


def _bind(spec: InputSpec, value: object, place: str) -> Iterator[tuple[str, object]]:
    if isinstance(spec, SequenceInput | MappingInput | ObjectInput) and spec.given is not None:
        yield spec.given, value
    match spec:
        case VariableInput():
            yield spec.variable, value
        case StaticInput():
            if value != spec.value:
                raise TypeError(f"{place}: compiled for {spec.value!r}, got {value!r}")
        case SequenceInput():
            if not isinstance(value, spec.kind) or len(value) != len(spec.items):
                expected = f"a {spec.kind.__name__} of {len(spec.items)}"
                raise TypeError(f"{place}: expected {expected}, got {value!r}")
            for index, item in enumerate(spec.items):
                yield from _bind(item, value[index], f"{place}[{index}]")
        case MappingInput():
            yield from _bind_mapping(spec, value, place)
        case ObjectInput():
            yield from _bind_object(spec, value, place)


def _bind_object(spec: ObjectInput, value: object, place: str) -> Iterator[tuple[str, object]]:
    for name, item in spec.attributes:
        if not hasattr(value, name):
            raise TypeError(f"{place}: has no attribute {name!r}")
        yield from _bind(item, getattr(value, name), f"{place}.{name}")


def _bind_mapping(spec: MappingInput, value: object, place: str) -> Iterator[tuple[str, object]]:
    keys = [key for key, _ in spec.items]
    if not isinstance(value, Mapping) or list(value) != keys:
        raise TypeError(f"{place}: expected a dict with keys {keys}, got {value!r}")
    for key, item in spec.items:
        yield from _bind(item, value[key], f"{place}[{key!r}]")
