"""The graph of a package that calls one ONNX file: the file, and what makes its outputs results.

``CompileOptions(host_mode="ifs")`` compiles to this. Arguments are checked, and results built,
by the host as always; between them there is one sub-DNN, the whole.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch

from dycl.one_onnx.compiling import Plan
from dycl.one_onnx.graphs import Shape
from dycl.one_onnx.number import kind_of
from dycl.one_onnx.refusing import refusal
from dycl.one_onnx.results import Form, Results
from dycl.one_onnx.types import torch_type
from hcfg.graph import Branch, Entry, Hcfg, HostBlock, HostCode, Node, NodeId, Return, SubDnn
from rewriter.diagnostics import CompileError, DyclBug
from rewriter.origin import Origin
from rewriter.program import (
    Dimension,
    HostStatement,
    ScalarSpec,
    SymbolRange,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
    Variable,
    VariableSpec,
)

WHOLE = "subdnn_0"
"""The node of the file."""


def whole_graph(plan: Plan) -> Hcfg:
    """Return the graph of the package: one sub-DNN, and the host around it."""
    return _Writer(plan).graph()


@dataclass(slots=True)
class _Writer:
    plan: Plan
    variables: dict[str, Variable] = field(default_factory=dict)
    symbols: dict[str, SymbolRange] = field(default_factory=dict)
    read: list[HostCode] = field(default_factory=list)
    """Statements after the whole."""

    def graph(self) -> Hcfg:
        """Return the graph."""
        original = self.plan.graph
        self.symbols = dict(original.symbols)
        self.variables = {name: original.variables[name] for name in self.plan.inputs}
        first = next(n for n in original.nodes.values() if isinstance(n, Return))
        made, inputs = self._inputs(first.origin)
        results = self.plan.results[None]
        pairs = zip(results.places, results.types, strict=True)
        outputs = tuple(self._output(place, *kind) for place, kind in pairs)
        parts = dict(zip(results.places, outputs, strict=True))
        before: dict[NodeId, Node] = {}
        if made:
            before["host_0"] = HostBlock(statements=tuple(made), then=WHOLE)
        after, then = self._ends(results, parts, first.origin)
        whole = SubDnn(
            statements=(_call(inputs, outputs, first.origin),),
            inputs=inputs,
            outputs=outputs,
            then=then,
        )
        entry = Entry(then="host_0" if made else WHOLE)
        return replace(
            original,
            nodes={"entry": entry, **before, WHOLE: whole, **after},
            entry="entry",
            variables=self.variables,
            functions={},
            symbols=self.symbols,
        )

    def _ends(
        self, results: Results, parts: Mapping[str, str], origin: Origin
    ) -> tuple[dict[NodeId, Node], NodeId]:
        """Return what follows the whole: a return for each variant, and what chooses one."""
        nodes: dict[NodeId, Node] = {}
        starts = [self._end(form, parts, origin, nodes) for form in results.variants]
        *others, then = starts
        if results.chosen is None:
            return nodes, then
        chosen = self._variable("which variant", ScalarSpec(type=int), hint="variant")
        for number, start in reversed(list(enumerate(others))):
            test = ast.Compare(_name(chosen), [ast.Eq()], [ast.Constant(number)])
            branch = Branch(
                condition=test, if_true=start, if_false=then, origin=origin, asks_the_way=True
            )
            then = f"branch_{number}"
            nodes[then] = branch
        number_read = HostStatement(
            target=chosen, expression=_item(parts[results.chosen]), origin=origin
        )
        nodes["host_1"] = HostBlock(statements=(number_read,), then=then)
        return nodes, "host_1"

    def _end(
        self, form: Form, parts: Mapping[str, str], origin: Origin, nodes: dict[NodeId, Node]
    ) -> NodeId:
        """Add the nodes that return a result of one structure; return the first of them."""
        self.read = []
        number = len(nodes)
        end = f"return_{number}"
        nodes[end] = Return(value=self._result(form, parts, origin), origin=origin)
        if not self.read:
            return end
        nodes[f"host_{number + 2}"] = HostBlock(statements=tuple(self.read), then=end)
        return f"host_{number + 2}"

    def _inputs(self, origin: Origin) -> tuple[list[HostCode], tuple[str, ...]]:
        """Return what makes tensors of numbers, and the inputs of the whole."""
        made: list[HostCode] = []
        inputs: list[str] = []
        for name in self.plan.inputs:
            spec = self.variables[name].spec
            kind = kind_of(spec.type) if isinstance(spec, ScalarSpec) else None
            if kind is None or kind is int:  # a sub-DNN takes integers as they are
                inputs.append(name)
                continue
            dtype = torch.bool if kind is bool else torch.float64
            target = self._variable(f"{name} as a tensor", TensorSpec(dtype=dtype, shape=()))
            number = ast.Name(name, ast.Load())
            made.append(
                TensorFromHost(target=target, expression=number, dtype=dtype, origin=origin)
            )
            inputs.append(target)
        return made, tuple(inputs)

    def _output(self, place: str, element: int, shape: Shape) -> str:
        if shape is None:
            raise CompileError(
                (refusal(f"{place}, a tensor with one number of dimensions or another,", None),)
            )
        sizes: list[Dimension] = []
        for size in shape:
            if isinstance(size, int):
                sizes.append(size)
            else:
                sizes.append(f"size_{len(self.symbols)}")
                self.symbols[f"size_{len(self.symbols)}"] = SymbolRange()
        spec = TensorSpec(dtype=torch_type(element), shape=tuple(sizes))
        return self._variable(f"{place} of the whole", spec)

    def _variable(self, name: str, spec: VariableSpec, hint: str = "result") -> str:
        self.variables[name] = Variable(name=name, hint=hint, spec=spec)
        return name

    def _result(self, form: Form, parts: Mapping[str, str], origin: Origin) -> ast.expr:
        """Return the expression of a result; what has to be read from tensors first is noted."""
        match form:
            case {"output": str() as place}:
                return ast.Name(parts[place], ast.Load())
            case {"number": str() as place}:
                return self._read(place, _item(parts[place]), ScalarSpec(type=None), origin)
            case {"scalar": str() as place}:
                whole = ast.Subscript(_name(parts[place]), ast.Tuple([], ast.Load()), ast.Load())
                return self._read(place, whole, ScalarSpec(type=None), origin)
            case {"constant": None | str() as constant}:
                return ast.Constant(constant)
            case {"dict": list() as pairs}:
                keys: list[ast.expr | None] = [ast.Constant(key) for key, _ in pairs]
                return ast.Dict(keys, [self._result(item, parts, origin) for _, item in pairs])
            case {"list": list() as items}:
                return ast.List([self._result(i, parts, origin) for i in items], ast.Load())
            case {"tuple": list() as items, **more}:
                values = [self._result(item, parts, origin) for item in items]
                if "class" in more:
                    return ast.Call(_name(str(more["class"])), values, [])
                return ast.Tuple(values, ast.Load())
        raise DyclBug(f"a result of an unknown form: {form}")

    def _read(
        self, place: str, expression: ast.expr, spec: VariableSpec, origin: Origin
    ) -> ast.expr:
        target = self._variable(f"{place} of the host, {len(self.variables)}", spec)
        self.read.append(HostStatement(target=target, expression=expression, origin=origin))
        return _name(target)


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _item(name: str) -> ast.expr:
    return ast.Call(ast.Attribute(_name(name), "item", ast.Load()), [], [])


def _call(inputs: Sequence[str], outputs: Sequence[str], origin: Origin) -> TensorStatement:
    """Return a statement that stands for the whole where the graph is shown."""
    called = ast.Call(_name(WHOLE), [_name(name) for name in inputs], [])
    return TensorStatement(pattern=tuple(outputs), expression=called, origin=origin)
