"""Reads the structure of a result from the expression that builds it."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import torch

from dycl.one_onnx.refusing import Inexpressible
from hcfg.graph import Hcfg, NodeId
from rewriter.program import ScalarSpec


def is_tensor(value: object) -> TypeGuard[torch.Tensor]:
    """Return whether an object of compile time is a tensor."""
    return isinstance(value, torch.Tensor)


@dataclass(frozen=True, slots=True)
class FormReader:
    """Reads expressions of results: displays of variables, numbers and texts."""

    graph: Hcfg
    name_of: Callable[[str, ast.expr], str]
    """Names the output for a tensor or number at a place."""

    def form(self, value: ast.expr, place: str) -> dict[str, object]:
        """Return the structure of what stands at a place."""
        match value:
            case ast.Tuple(elts=items) | ast.List(elts=items):
                kind = "tuple" if isinstance(value, ast.Tuple) else "list"
                return {kind: [self.form(item, f"{place}[{i}]") for i, item in enumerate(items)]}
            case ast.Dict():
                return {"dict": list(self._items(value, place))}
            case ast.Call(func=ast.Name(id=name)) if (fields := self._fields(name)) is not None:
                return self._named_tuple(value, name, fields, place)
            case ast.Constant(value=None | str() as constant):
                return {"constant": constant}
            case ast.Name(id=name) if self._is_text(name):
                return {"constant": self.graph.knowns[name].value}
        return {self._kind(value): self.name_of(place, value)}

    def _items(self, value: ast.Dict, place: str) -> Iterator[object]:
        for key, item in zip(value.keys, value.values, strict=True):
            match key:
                case ast.Constant(value=str() | int() | bool() as constant):
                    yield [constant, self.form(item, f"{place}[{constant!r}]")]
                case _:
                    raise Inexpressible("a dict with keys of run time")

    def _fields(self, name: str) -> tuple[str, ...] | None:
        """Return the fields of a named tuple's class."""
        known = self.graph.knowns[name].value if name in self.graph.knowns else None
        fields: tuple[str, ...] | None = getattr(known, "_fields", None)
        is_class = isinstance(known, type) and issubclass(known, tuple)
        return fields if is_class else None

    def _named_tuple(
        self, value: ast.Call, name: str, fields: tuple[str, ...], place: str
    ) -> dict[str, object]:
        given = dict(zip(fields, value.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg}
        if list(given) != list(fields):
            raise Inexpressible("a named tuple that is made of another number of values")
        parts = [self.form(given[field], f"{place}.{field}") for field in fields]
        called = getattr(self.graph.knowns[name].value, "__name__", "")
        return {"tuple": parts, "name": called, "fields": list(fields), "class": name}

    def _kind(self, value: ast.expr) -> str:
        """Return whether a part is a tensor, a number of Python's, or one of numpy's."""
        match value:
            case ast.Name(id=name) if name in self.graph.variables:
                spec = self.graph.variables[name].spec
                kind = spec.type if isinstance(spec, ScalarSpec) else torch.Tensor
            case ast.Name(id=name) if name in self.graph.knowns:
                known = self.graph.knowns[name].value
                kind = torch.Tensor if is_tensor(known) else type(known)
            case _:
                kind = type(value.value) if isinstance(value, ast.Constant) else None
        if kind in (bool, int, float):
            return "number"
        return "output" if kind is torch.Tensor else "scalar"

    def _is_text(self, name: str) -> bool:
        known = self.graph.knowns.get(name)
        return known is not None and (known.value is None or type(known.value) is str)


def exit_codes(variants: Sequence[Mapping[str, object]]) -> dict[NodeId, int]:
    """Return which variant of its result a region returns at each of its exits."""
    found: dict[NodeId, int] = {}
    for number, form in enumerate(variants):
        match form:
            case {"dict": [["exit", {"constant": str() as target}], *_]}:
                found[target] = number
    return found
