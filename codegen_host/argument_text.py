"""What the arguments must be, as written at the top of a package's ``__init__.py``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from codegen_host.embedded._callables import NoFingerprint, fingerprint
from codegen_host.literals import literal_text
from codegen_host.schema_text import SchemaWriter, schema_description
from hcfg.graph import Hcfg, parameter_variables
from hcfg.sizes import line_of, range_of, symbols_of
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.parameters import (
    InputSpec,
    MappingInput,
    ObjectInput,
    Parameter,
    SequenceInput,
    StaticInput,
    VariableInput,
)
from rewriter.program import (
    Dimension,
    HostSpec,
    ObjectSpec,
    ScalarSpec,
    SymbolRange,
    TensorSpec,
    VariableSpec,
)
from rewriter.size_texts import symbols_in

ARGUMENT_MODULES = {
    "changed": "_changed", "written": "_changed", "fixed": "_fixed", "left_out": "_fixed",
    "same": "_fixed", "record": "_records", "items_only": "_items_only", "separate": "_separate",
    "by_rows": "_by_rows",
}  # fmt: skip
"""Where kinds of arguments are that not every package has; the others are in ``_arguments.py``."""


def argument_bounds(graph: Hcfg) -> dict[str, SymbolRange]:
    """Return the sizes of arguments that have names, and the bounds of each."""
    specs = [graph.variables[name].spec for name in parameter_variables(graph)]
    return {name: range_of(name, graph.symbols) for name in symbols_of(specs)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentText:
    """What stands in a package about its arguments."""

    names: frozenset[str]
    """What it uses of ``_arguments.py`` and its like."""
    schema_names: frozenset[str]
    """What it uses of ``_schemas.py``."""
    definitions: tuple[str, ...]
    lines: tuple[str, ...]
    """``"x": array(...)``, for each parameter."""


def argument_spec_text(graph: Hcfg) -> ArgumentText:
    """Return what the arguments of a package must be.

    Raises CompileError for arguments that cannot be checked without the original's objects.
    """
    specs = [graph.variables[name].spec for name in parameter_variables(graph)]
    writer = _Writer([size for s in specs if isinstance(s, TensorSpec) for size in s.shape])
    lines = tuple(f'"{p.name}": {writer.parameter(p)}' for p in graph.parameters)
    if writer.problems:
        raise CompileError(writer.problems)
    schemas = writer.schemas
    return ArgumentText(
        names=frozenset(writer.used | schemas.plain),
        schema_names=frozenset(schemas.used),
        definitions=tuple(schemas.definitions),
        lines=lines,
    )


class _Writer:
    def __init__(self, sizes: Sequence[Dimension]) -> None:
        self._sizes = frozenset(size for size in sizes if isinstance(size, str))
        lines = filter(None, map(line_of, sizes))
        self._told = frozenset(name for name, _, _ in lines)
        self.used: set[str] = set()
        self.problems: list[Diagnostic] = []
        self.schemas = SchemaWriter()

    def parameter(self, parameter: Parameter) -> str:
        if parameter.default is not None and literal_text(parameter.default.value) is None:
            return self._call("left_out")
        return self._spec(parameter.spec, parameter.name)

    def _spec(self, spec: InputSpec, place: str) -> str:
        text = self._unchanged(spec, place)
        if isinstance(spec, SequenceInput | MappingInput) and spec.is_own:
            text = self._call("items_only", text)
        is_changed = not isinstance(spec, VariableInput | StaticInput) and spec.given is not None
        return self._call("changed", text) if is_changed else text

    def _unchanged(self, spec: InputSpec, place: str) -> str:
        match spec:
            case VariableInput():
                text = self._variable(spec.spec, place)
                text = self._call("by_rows", text) if spec.by_rows else text
                text = self._call("written", text) if spec.written else text
                return self._call("separate", text) if spec.separate else text
            case StaticInput():
                return self._static(spec.value, place)
            case SequenceInput():
                items = [self._spec(item, f"{place}[{i}]") for i, item in enumerate(spec.items)]
                inner = ", ".join(items)
                if spec.kind is list:
                    return f"[{inner}]"
                return f"({inner},)" if len(items) == 1 else f"({inner})"
            case MappingInput():
                return "{" + ", ".join(self._pairs(spec, place)) + "}"
            case ObjectInput():
                return self._object(spec, place)

    def _pairs(self, spec: MappingInput, place: str) -> Iterator[str]:
        for key, item in spec.items:
            text = literal_text(key)
            if text is None:
                self._refuse(place, f"the key {key!r}")
            yield f"{text}: {self._spec(item, f'{place}[{key!r}]')}"

    def _object(self, spec: ObjectInput, place: str) -> str:
        parts = [
            f"{name!r}: {self._spec(item, f'{place}.{name}')}" for name, item in spec.attributes
        ]
        options = [f"absent={list(spec.absent)!r}"] if spec.absent else []
        options += ["whole=True"] if spec.whole else []
        options += ["answers=True"] if spec.answers and (spec.absent or spec.whole) else []
        return self._call("record", repr(spec.name), "{" + ", ".join(parts) + "}", *options)

    def _variable(self, spec: VariableSpec, place: str) -> str:
        match spec:
            case (TensorSpec() as array) | HostSpec(array=TensorSpec() as array):
                dtype = str(array.dtype).removeprefix("torch.")
                sizes = [self._size(size, place) for size in array.shape]
                return self._call("array", f'"{dtype}"', *sizes)
            case ScalarSpec():
                return self._call("number", *([spec.type.__name__] if spec.type else []))
            case HostSpec():
                self._refuse(place, spec.description)
                return ""
            case ObjectSpec():
                return self.schemas.root(spec, re.sub(r"\W+", "_", place).strip("_"))

    def _size(self, size: Dimension, place: str) -> str:
        if isinstance(size, int):
            return repr(size)
        names = symbols_in(size)
        if names == (size,):
            return f'"{size}"'
        line = line_of(size)
        if line is not None and line[0] not in self._sizes:
            name, factor, offset = line
            return self._call("multiple", f'"{size}"', f'"{name}"', repr(factor), repr(offset))
        for name in names:
            if name not in self._told:
                self._refuse(place, f"of size {size}, and {name} is not the size of any argument")
        return self._call("derived", f'"{size}"', f"lambda {', '.join(names)}: {size}")

    def _static(self, value: object, place: str) -> str:
        text = literal_text(value)
        if text is not None:
            return self._call("fixed", text)
        try:
            content = fingerprint(value)
        except NoFingerprint:
            self._refuse(place, f"an object of type {type(value).__name__}")
            return ""
        name = getattr(value, "__qualname__", None) or type(value).__name__
        return self._call("same", repr(name), repr(content))

    def _call(self, name: str, *arguments: str) -> str:
        self.used.add(name)
        return f"{name}({', '.join(arguments)})"

    def _refuse(self, place: str, what: str) -> None:
        self.problems.append(
            Diagnostic(
                code="DYCL421",
                message=f"argument {place} is {what}, which a call without PyTorch cannot give",
                origin=None,
                help="pass tensors, numbers, strings, or lists, tuples and dicts of these",
            )
        )


def argument_description(spec: InputSpec) -> Mapping[str, object]:
    """Return what an argument must be, as JSON values for the manifest."""
    match spec:
        case (
            VariableInput(spec=TensorSpec() as tensor)
            | VariableInput(spec=HostSpec(array=TensorSpec() as tensor))
        ):
            dtype = str(tensor.dtype).removeprefix("torch.")
            return {"kind": "array", "dtype": dtype, "shape": list(tensor.shape)}
        case VariableInput(spec=ScalarSpec() as scalar):
            return {"kind": "number", "type": scalar.type.__name__ if scalar.type else None}
        case VariableInput(spec=ObjectSpec() as found):
            return schema_description(found)
        case VariableInput():
            return {"kind": "other"}
        case StaticInput():
            return {"kind": "fixed", "value": repr(spec.value)}
        case SequenceInput():
            items = [argument_description(item) for item in spec.items]
            return {"kind": spec.kind.__name__, "items": items}
        case MappingInput():
            pairs = [[repr(key), argument_description(item)] for key, item in spec.items]
            return {"kind": "dict", "items": pairs}
        case ObjectInput():
            attributes = [[name, argument_description(item)] for name, item in spec.attributes]
            return {"kind": "object", "class": spec.name, "attributes": attributes}
