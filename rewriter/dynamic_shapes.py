"""``dynamic_shapes``: which dimensions of which arguments vary, written as for torch.export."""

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import torch
from torch.export import Dim

from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.size_expressions import Size, key_of
from rewriter.sizes import Sizes

_Container: TypeAlias = Mapping[Any, object] | Sequence[object]

_VARYING = (Dim.AUTO, Dim.DYNAMIC)


def refuse(message: str, help: str = "") -> NoReturn:
    """Refuse ``dynamic_shapes`` that do not fit the arguments."""
    raise CompileError([Diagnostic(code="DYCL401", message=message, origin=None, help=help)])


_MADE_OF_DIMS = "make a torch.export.Dim, and compute with it: n = Dim('n'); {1: n + 1}"


def by_parameter(
    dynamic_shapes: object, bound: inspect.BoundArguments, own: int
) -> Mapping[str, object]:
    """Return the part of ``dynamic_shapes`` that each parameter has.

    ``own`` says how many parameters at the front a caller does not give (``self``).
    """
    names = list(bound.arguments)[own:]
    match dynamic_shapes:
        case None:
            return {}
        case Mapping():
            unknown = [str(name) for name in dynamic_shapes if name not in _allowed(bound, own)]
            if unknown:
                refuse(f"dynamic_shapes names {unknown[0]!r}, which is no argument of the call")
            return {str(name): part for name, part in dynamic_shapes.items()}
        case list() | tuple():
            if len(dynamic_shapes) > len(names):
                refuse(
                    f"dynamic_shapes has {len(dynamic_shapes)} entries for {len(names)} arguments"
                )
            return dict(zip(names, dynamic_shapes, strict=False))
        case _:
            refuse(f"dynamic_shapes is a {type(dynamic_shapes).__name__}, not a dict or sequence")


def _allowed(bound: inspect.BoundArguments, own: int) -> set[str]:
    names = set(list(bound.arguments)[own:])
    for name, parameter in bound.signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            names |= set(bound.arguments.get(name, {}))
    return names


def part_at(spec: object, key: object, place: str, container: _Container) -> object:
    """Return the part of a spec for an item of a container."""
    if spec is None:
        return None
    if isinstance(spec, Mapping | list | tuple):
        unknown = [each for each in _places(spec) if each not in _places(container)]
        if unknown:
            refuse(f"dynamic_shapes for {place!r} name {unknown[0]!r}, which is not in it")
    if isinstance(spec, Mapping):
        return spec.get(key)
    if isinstance(spec, Sequence) and isinstance(key, int) and key < len(spec):
        return spec[key]
    refuse(f"dynamic_shapes for {place!r} do not have the structure of the argument")


def _places(container: _Container) -> Collection[object]:
    return container if isinstance(container, Mapping) else range(len(container))


@dataclass(frozen=True, slots=True)
class DimensionReader:
    """Turns the dims of ``dynamic_shapes`` into symbols; equal names are one symbol."""

    sizes: Sizes
    _symbols: dict[str, tuple[torch.SymInt, int, int | None]] = field(default_factory=dict)
    _examples: dict[str, tuple[int, str]] = field(default_factory=dict)

    def shape(self, example: torch.Tensor, spec: object, place: str) -> tuple[Size, ...]:
        """Return the shape of a tensor argument."""
        match spec:
            case None:
                return tuple(example.shape)
            case Mapping():
                dims: dict[int, Any] = {
                    self._position(example, k, place): v for k, v in spec.items()
                }
            case list() | tuple() if len(spec) == example.dim():
                dims = dict(enumerate(spec))
            case _:
                refuse(
                    f"dynamic_shapes for {place!r} do not fit a tensor of {example.dim()} "
                    "dimensions"
                )
        return tuple(
            self._size(dims.get(position), size, f"{place}.shape[{position}]")
            for position, size in enumerate(example.shape)
        )

    def _position(self, example: torch.Tensor, position: object, place: str) -> int:
        if not isinstance(position, int) or not -example.dim() <= position < example.dim():
            refuse(f"dynamic_shapes for {place!r} name dimension {position!r} of {example.dim()}")
        return position % example.dim()

    def _size(self, dim: Any, example: int, place: str) -> Size:
        if dim is None or dim is Dim.STATIC:
            return example
        if isinstance(dim, int):
            if dim != example:
                refuse(f"{place} is {example} in the example inputs and {dim} in dynamic_shapes")
            return example
        if dim in _VARYING:
            return self.sizes.new()
        if isinstance(dim, str):
            if not dim.isidentifier():
                refuse(f"dynamic_shapes: {dim!r} for {place} is no name", _MADE_OF_DIMS)
            dim = Dim(dim)
        if hasattr(dim, "root"):
            size: Size = dim.fn(self._named(dim.root))
            key = key_of(size)
            return key if isinstance(key, int) else self.sizes.made_of(key)
        if not (hasattr(dim, "min") and hasattr(dim, "max") and hasattr(dim, "__name__")):
            refuse(f"dynamic_shapes: {dim!r} for {place} is no Dim")
        named = self._named(dim)
        self._check_example(dim.__name__, example, place)
        return named

    def _named(self, dim: Any) -> torch.SymInt:
        name, low = str(dim.__name__), int(dim.min)
        high = int(dim.max) if isinstance(dim.max, int) else None
        if name not in self._symbols:
            symbol = self.sizes.new(low, high)
            self.sizes.named[symbol.node.expr] = name
            self._symbols[name] = symbol, low, high
        symbol, *bounds = self._symbols[name]
        if bounds != [low, high]:
            refuse(f"dynamic_shapes give the dimension {name!r} two different ranges")
        return symbol

    def _check_example(self, name: str, example: int, place: str) -> None:
        _, low, high = self._symbols[name]
        if example < low or (high is not None and example > high):
            refuse(f"{place} is {example} in the example inputs, outside the range of {name!r}")
        before, where = self._examples.setdefault(name, (example, place))
        if before != example:
            refuse(
                f"{where} and {place} are both {name!r}, but {before} and {example} in the "
                "example inputs"
            )
