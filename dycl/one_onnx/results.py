"""What a program returns, taken apart into tensors and numbers, which become outputs.

Paths may return results of different structure: lists of different lengths, None or a tensor, one
text or another. Each structure is a *variant*; then one more output says which one it is, and
outputs that a variant does not have mean nothing.
"""

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from onnx import TensorProto

from dycl.one_onnx.expressions import ELEMENTS
from dycl.one_onnx.graphs import Shape
from dycl.one_onnx.numbers import Numbers
from dycl.one_onnx.refusing import Inexpressible, Problems
from dycl.one_onnx.result_forms import FormReader, is_tensor
from dycl.one_onnx.types import element_of, type_of_variable, union
from hcfg.flow import part_of
from hcfg.graph import Hcfg, Return, parameter_variables

Form: TypeAlias = "dict[str, object]"
"""The structure of a result as JSON: ``{"tuple": [{"output": "result[0]"}, ...]}``.

``output`` is a tensor, ``number`` a number of Python's, ``scalar`` one of numpy's, ``constant`` a
text or None."""

Type: TypeAlias = tuple[int, Shape]


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What the program, or one of its functions, returns."""

    names: tuple[str, ...]
    """Variables for the parts of the result; no other variable is called so."""
    places: tuple[str, ...]
    """What the outputs are called: ``result[0]``; last, if there are variants, which it is."""
    types: tuple[Type, ...]
    variants: tuple[Form, ...]
    apart: "TakingApart"

    @property
    def chosen(self) -> str | None:
        """Return the output that says which variant a result is; None where there is one."""
        return self.places[-1] if len(self.variants) > 1 else None

    def parts(self, value: ast.expr) -> list[ast.expr | None]:
        """Return the expressions of the outputs for one of the results; None for no meaning."""
        taken = self.apart.take(value)
        own: dict[str, ast.expr] = dict(taken.leaves)
        if self.chosen is not None:
            own[self.chosen] = ast.Constant(self.variants.index(taken.form))
        return [own.get(place) for place in self.places]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A result taken apart: its structure, and its parts by name."""

    form: Form
    leaves: Mapping[str, ast.expr]


@dataclass(slots=True)
class TakingApart:
    """Takes results apart; a place that holds another element type gets another name."""

    graph: Hcfg
    numbers: Numbers
    root: str
    types: dict[str, Type] = field(default_factory=dict)
    """Of the outputs, by name."""

    def take(self, value: ast.expr) -> Taken:
        """Return the structure and the parts of a result."""
        leaves: dict[str, ast.expr] = {}

        def name_of(place: str, leaf: ast.expr) -> str:
            element, shape = self._type_of(leaf)
            if place in self.types and self.types[place][0] != element:
                place = f"{place} as {TensorProto.DataType.Name(element).lower()}"
            known = self.types.get(place, (element, shape))[1]
            self.types[place] = (element, union(known, shape))
            leaves[place] = leaf
            return place

        form = FormReader(self.graph, name_of).form(value, self.root)
        return Taken(form=form, leaves=leaves)

    def _type_of(self, leaf: ast.expr) -> Type:
        match leaf:
            case ast.Name(id=name) if name in self.graph.variables:
                return type_of_variable(self.graph.variables[name])
            case ast.Name(id=name) if name in self.graph.knowns:
                known = self.graph.knowns[name].value
                if is_tensor(known):
                    return element_of(known.dtype), tuple(known.shape)
        return ELEMENTS[self.numbers.of(leaf).kind], ()


def results_of(
    graph: Hcfg, numbers: Numbers, problems: Problems, functions: Iterable[str | None]
) -> dict[str | None, Results]:
    """Return what the program (None) and functions return; note what ONNX has no word for."""
    root = "result"
    while root in {*(p.name for p in graph.parameters), *parameter_variables(graph)}:
        root += "_"  # an output must not be called like an input
    found: dict[str | None, Results] = {}
    for function in functions:
        entry = graph.entry if function is None else graph.functions[function].entry
        returns = [n for i in part_of(graph, entry) if isinstance(n := graph.nodes[i], Return)]
        apart = TakingApart(graph, numbers, root)
        found[function] = _results(function, returns, apart, problems)
    return found


def _results(
    function: str | None, returns: Sequence[Return], apart: TakingApart, problems: Problems
) -> Results:
    variants: list[Form] = []
    for each in returns:
        try:
            form = apart.take(each.value).form
        except Inexpressible as reason:
            problems.add(reason, each.origin)
            continue
        variants += [] if form in variants else [form]
    types = dict(apart.types)
    if len(variants) > 1:
        types[f"variant of {apart.root}"] = (ELEMENTS[int], ())
    return Results(
        names=tuple(f"result {i} of {function or 'the program'}" for i in range(len(types))),
        places=tuple(types),
        types=tuple(types.values()),
        variants=tuple(variants),
        apart=apart,
    )


def form_text(results: Results) -> str:
    """Return the structure as it stands in the file."""
    return json.dumps({"variants": results.variants, "chosen": results.chosen})


def types_by_name(results: Mapping[str | None, Results]) -> dict[str, Type]:
    """Return the types of the variables of results."""
    pairs = (zip(each.names, each.types, strict=True) for each in results.values())
    return {name: kind for pair in pairs for name, kind in pair}
