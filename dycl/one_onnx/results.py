"""What a program returns, taken apart into tensors and numbers, which become outputs."""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch

from dycl.one_onnx.expressions import ELEMENTS
from dycl.one_onnx.graphs import Shape
from dycl.one_onnx.numbers import Numbers
from dycl.one_onnx.refusing import Inexpressible, Problems
from dycl.one_onnx.types import element_of, type_of_variable, union
from hcfg.flow import part_of
from hcfg.graph import Hcfg, Return
from rewriter.program import ScalarSpec

Form: TypeAlias = "dict[str, object]"
"""The structure of a result as JSON: ``{"tuple": [{"output": "result[0]"}, ...]}``.

``output`` is a tensor, ``number`` a number of Python's, ``scalar`` one of numpy's, ``constant`` a
text or None."""

ROOT = "result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A part of a result that is a tensor or a number."""

    place: str
    """``result['logits'][0]``."""
    expression: ast.expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What the program, or one of its functions, returns."""

    names: tuple[str, ...]
    """Variables for the parts of the result; no other variable is called so."""
    places: tuple[str, ...]
    types: tuple[tuple[int, Shape], ...]
    form: Form
    constants: Mapping[str, tuple[object, ...]]
    """Texts and None in the result, by place. Where there are several, an integer says which."""

    def parts(self, value: ast.expr, graph: Hcfg) -> list[ast.expr]:
        """Return the expressions of the outputs, for one of the results."""
        taken = take_apart(value, graph)
        chosen = [place for place, found in self.constants.items() if len(found) > 1]
        numbers = [self.constants[p].index(taken.constants[p]) for p in chosen]
        return [leaf.expression for leaf in taken.leaves] + [ast.Constant(n) for n in numbers]


def results_of(graph: Hcfg, numbers: Numbers, problems: Problems) -> dict[str | None, Results]:
    """Return what the program and each function return; note what ONNX has no word for."""
    found: dict[str | None, Results] = {}
    for function, entry in zip((None, *graph.functions), graph.entries, strict=True):
        returns = [n for i in part_of(graph, entry) if isinstance(n := graph.nodes[i], Return)]
        found[function] = _results(function, returns, graph, numbers, problems)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A result taken apart."""

    form: Form
    leaves: tuple[Leaf, ...]
    constants: Mapping[str, object]
    """Texts and None, by place."""


def take_apart(value: ast.expr, graph: Hcfg) -> Taken:
    """Return the structure of a result, and its parts in order."""
    reader = _Reader(graph)
    form = reader.form(value, ROOT)
    return Taken(form=form, leaves=tuple(reader.leaves), constants=reader.constants)


def _results(
    function: str | None,
    returns: Sequence[Return],
    graph: Hcfg,
    numbers: Numbers,
    problems: Problems,
) -> Results:
    """Return what all returns have in common."""
    form: Form | None = None
    leaves: tuple[Leaf, ...] = ()
    types: list[tuple[int, Shape]] = []
    constants: dict[str, list[object]] = {}
    for each in returns:
        try:
            taken = take_apart(each.value, graph)
            own = [_type_of(leaf.expression, graph, numbers) for leaf in taken.leaves]
            if form is not None and form != taken.form:
                raise Inexpressible("a result that is of one structure or of another")
            types = own if form is None else list(_united(types, own))
            form, leaves = taken.form, taken.leaves
        except Inexpressible as reason:
            problems.add(reason, each.origin)
            continue
        for place, constant in taken.constants.items():
            found = constants.setdefault(place, [])
            found += [] if constant in found else [constant]
    choices = {place: tuple(found) for place, found in constants.items() if len(found) > 1}
    places = (*(leaf.place for leaf in leaves), *choices)
    return Results(
        names=tuple(f"{ROOT} {i} of {function or 'the program'}" for i in range(len(places))),
        places=places,
        types=(*types, *((ELEMENTS[int], ()) for _ in choices)),
        form=form or {},
        constants={place: tuple(found) for place, found in constants.items()},
    )


def _united(
    one: Sequence[tuple[int, Shape]], other: Sequence[tuple[int, Shape]]
) -> Iterator[tuple[int, Shape]]:
    for (element, shape), (second, second_shape) in zip(one, other, strict=True):
        if element != second:
            raise Inexpressible("a result that is of one type or of another")
        yield element, union(shape, second_shape)


def _type_of(expression: ast.expr, graph: Hcfg, numbers: Numbers) -> tuple[int, Shape]:
    match expression:
        case ast.Name(id=name) if name in graph.variables:
            return type_of_variable(graph.variables[name])
        case ast.Name(id=name) if name in graph.knowns and _is_tensor(graph, name):
            known = graph.knowns[name].value
            return element_of(known.dtype), tuple(known.shape)  # type: ignore[attr-defined]
    return ELEMENTS[numbers.of(expression).kind], ()


def _is_tensor(graph: Hcfg, name: str) -> bool:
    return hasattr(graph.knowns[name].value, "dtype") and hasattr(graph.knowns[name].value, "shape")


class _Reader:
    """Reads the expression of a result."""

    def __init__(self, graph: Hcfg) -> None:
        self._graph = graph
        self.leaves: list[Leaf] = []
        self.constants: dict[str, object] = {}

    def form(self, value: ast.expr, place: str) -> Form:
        """Return the structure of a part, and note the leaves in it."""
        match value:
            case ast.Tuple(elts=items) | ast.List(elts=items):
                kind = "tuple" if isinstance(value, ast.Tuple) else "list"
                parts = [self.form(item, f"{place}[{i}]") for i, item in enumerate(items)]
                return {kind: parts}
            case ast.Dict():
                return {"dict": list(self._items(value, place))}
            case ast.Call(func=ast.Name(id=name)) if (fields := self._fields(name)) is not None:
                return self._named_tuple(value, fields, place)
            case ast.Constant(value=None | str() as constant):
                self.constants[place] = constant
                return {"constant": place}
            case ast.Name(id=name) if self._is_text(name):
                self.constants[place] = self._graph.knowns[name].value
                return {"constant": place}
        self.leaves.append(Leaf(place=place, expression=value))
        return {self._kind(value): place}

    def _items(self, value: ast.Dict, place: str) -> Iterator[object]:
        for key, item in zip(value.keys, value.values, strict=True):
            match key:
                case ast.Constant(value=str() | int() | bool() as constant):
                    yield [constant, self.form(item, f"{place}[{constant!r}]")]
                case _:
                    raise Inexpressible("a dict with keys of run time")

    def _fields(self, name: str) -> tuple[str, ...] | None:
        """Return the fields of a named tuple's class."""
        known = self._graph.knowns[name].value if name in self._graph.knowns else None
        fields: tuple[str, ...] | None = getattr(known, "_fields", None)
        is_class = isinstance(known, type) and issubclass(known, tuple)
        return fields if is_class else None

    def _named_tuple(self, value: ast.Call, fields: tuple[str, ...], place: str) -> Form:
        given = dict(zip(fields, value.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg}
        if list(given) != list(fields):
            raise Inexpressible("a named tuple that is made of another number of values")
        parts = [self.form(given[field], f"{place}.{field}") for field in fields]
        assert isinstance(value.func, ast.Name)
        called = getattr(self._graph.knowns[value.func.id].value, "__name__", "")
        return {"tuple": parts, "name": called, "fields": list(fields), "class": value.func.id}

    def _kind(self, value: ast.expr) -> str:
        """Return whether a part is a tensor, a number of Python's, or one of numpy's."""
        match value:
            case ast.Name(id=name) if name in self._graph.variables:
                spec = self._graph.variables[name].spec
                kind = spec.type if isinstance(spec, ScalarSpec) else torch.Tensor
            case ast.Name(id=name) if name in self._graph.knowns:
                kind = type(self._graph.knowns[name].value)
            case _:
                kind = type(value.value) if isinstance(value, ast.Constant) else None
        if kind in (bool, int, float):
            return "number"
        return "output" if kind in (torch.Tensor, torch.nn.Parameter) else "scalar"

    def _is_text(self, name: str) -> bool:
        known = self._graph.knowns.get(name)
        return known is not None and (known.value is None or type(known.value) is str)


def form_text(results: Results) -> str:
    """Return the structure as it stands in the file."""
    return json.dumps({"form": results.form, "constants": results.constants})


def types_by_name(results: Mapping[str | None, Results]) -> dict[str, tuple[int, Shape]]:
    """Return the types of the variables of results."""
    pairs = (zip(each.names, each.types, strict=True) for each in results.values())
    return {name: kind for pair in pairs for name, kind in pair}
