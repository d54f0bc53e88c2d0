"""Sub-DNNs with sizes and integers of run time for tests: a function and what it takes."""

import ast
from collections.abc import Callable, Mapping

import torch

from dycl.capture import CapturedSubDnn, capture
from dycl.testing.subdnns import origin_of
from hcfg.graph import Entry, Hcfg, Return, SubDnn
from rewriter.program import (
    Dimension,
    KnownReference,
    ScalarSpec,
    SymbolRange,
    TensorSpec,
    TensorStatement,
    Variable,
    VariableSpec,
)


def floats(*shape: Dimension) -> TensorSpec:
    """Return the spec of a float32 tensor."""
    return TensorSpec(dtype=torch.float32, shape=shape)


def integers(*shape: Dimension) -> TensorSpec:
    """Return the spec of an int64 tensor."""
    return TensorSpec(dtype=torch.int64, shape=shape)


def booleans(*shape: Dimension) -> TensorSpec:
    """Return the spec of a tensor of booleans."""
    return TensorSpec(dtype=torch.bool, shape=shape)


def count(low: int | None = None, high: int | None = None) -> ScalarSpec:
    """Return the spec of an integer of the host."""
    return ScalarSpec(type=int, minimum=low, maximum=high)


def symbolic_graph(
    function: Callable[..., object],
    inputs: Mapping[str, VariableSpec],
    *outputs: TensorSpec,
    symbols: Mapping[str, SymbolRange] | None = None,
) -> Hcfg:
    """Return a graph whose one sub-DNN calls a function."""
    names = tuple(f"y{number}" for number in range(len(outputs)))
    specs = {**inputs, **dict(zip(names, outputs, strict=True))}
    call = f"function({', '.join(inputs)})"
    statement = TensorStatement(
        pattern=names[0] if len(names) == 1 else names,
        expression=ast.parse(call, mode="eval").body,
        origin=origin_of(call),
    )
    node = SubDnn(statements=(statement,), inputs=tuple(inputs), outputs=names, then="return_0")
    return Hcfg(
        name="model",
        nodes={
            "entry": Entry(then="subdnn_0"),
            "subdnn_0": node,
            "return_0": Return(
                value=ast.parse(f"({', '.join(names)},)", mode="eval").body,
                origin=origin_of("return"),
            ),
        },
        entry="entry",
        variables={name: Variable(name=name, hint=name, spec=spec) for name, spec in specs.items()},
        parameters=(),
        knowns={"function": KnownReference(name="function", path=None, value=function)},
        source_file="model.py",
        symbols=symbols or {},
    )


def capture_symbolic(
    function: Callable[..., object],
    inputs: Mapping[str, VariableSpec],
    *outputs: TensorSpec,
    symbols: Mapping[str, SymbolRange] | None = None,
) -> CapturedSubDnn:
    """Return the call of a function, captured."""
    graph = symbolic_graph(function, inputs, *outputs, symbols=symbols)
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    return capture("subdnn_0", node, graph)
