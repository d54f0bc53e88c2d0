"""Sub-DNNs made from Python functions instead of whole programs, to test backends with."""

import ast
from collections.abc import Callable, Mapping

import torch

from dycl.capture import CapturedSubDnn, capture
from hcfg.graph import Entry, Hcfg, Return, SubDnn
from rewriter.origin import Origin
from rewriter.parameters import Parameter, VariableInput
from rewriter.program import KnownReference, TensorSpec, TensorStatement, Variable


def origin_of(text: str, line: int = 1) -> Origin:
    """Return an origin in ``model.py`` that spans the whole line."""
    return Origin(
        file="model.py", line=line, column=0, end_column=len(text), text=text, function="forward"
    )


def statement(text: str, line: int = 1) -> TensorStatement:
    """Return a tensor statement written as Python (``y, z = f(x)``, ``x[0] = y``)."""
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.Assign)
    target = node.targets[0]
    if isinstance(target, ast.Subscript):
        name = ast.unparse(target.value)
        return TensorStatement(
            pattern=None,
            expression=node.value,
            origin=origin_of(text, line),
            stores_into=target,
            updates=((name, name),),
        )
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    pattern = tuple(ast.unparse(name) for name in names)
    return TensorStatement(
        pattern=pattern if isinstance(target, ast.Tuple) else pattern[0],
        expression=node.value,
        origin=origin_of(text, line),
    )


def tensor_variable(name: str, tensor: torch.Tensor) -> Variable:
    """Return a variable that holds tensors like ``tensor``."""
    spec = TensorSpec(dtype=tensor.dtype, shape=tuple(tensor.shape))
    return Variable(name=name, hint=name, spec=spec)


def known(name: str, value: object) -> KnownReference:
    """Return a reference to an object of compile time."""
    return KnownReference(name=name, path=None, value=value)


def graph_of(
    *texts: str,
    knowns: Mapping[str, object],
    inputs: Mapping[str, torch.Tensor],
    outputs: tuple[str, ...],
    name: str = "subdnn_0",
) -> Hcfg:
    """Return a graph of one sub-DNN; statement ``n`` stands on line ``n`` of ``model.py``.

    The statements run once to learn what the variables hold.
    """
    values: dict[str, object] = {key: value.clone() for key, value in inputs.items()}
    with torch.no_grad():
        exec("\n".join(texts), dict(knowns), values)
    variables = {
        key: tensor_variable(key, value)
        for key, value in {**values, **inputs}.items()
        if isinstance(value, torch.Tensor)
    }
    node = SubDnn(
        statements=tuple(statement(text, line) for line, text in enumerate(texts, start=1)),
        inputs=tuple(inputs),
        outputs=outputs,
        then="return_0",
    )
    value = ast.Tuple([ast.Name(output, ast.Load()) for output in outputs], ast.Load())
    return Hcfg(
        name="model",
        nodes={
            "entry": Entry(then=name),
            name: node,
            "return_0": Return(value=value, origin=origin_of("return")),
        },
        entry="entry",
        variables=variables,
        parameters=tuple(
            Parameter(name=key, spec=VariableInput(variable=key, spec=variables[key].spec))
            for key in inputs
        ),
        knowns={key: known(key, value) for key, value in knowns.items()},
        source_file="model.py",
    )


def capture_lines(
    *texts: str,
    knowns: Mapping[str, object],
    inputs: Mapping[str, torch.Tensor],
    outputs: tuple[str, ...],
    name: str = "subdnn_0",
) -> CapturedSubDnn:
    """Return statements captured as one sub-DNN."""
    graph = graph_of(*texts, knowns=knowns, inputs=inputs, outputs=outputs, name=name)
    node = graph.nodes[name]
    assert isinstance(node, SubDnn)
    return capture(name, node, graph)


def capture_function(
    function: Callable[..., object], *inputs: torch.Tensor, name: str = "subdnn_0"
) -> CapturedSubDnn:
    """Return the call of ``function`` as a sub-DNN; it returns a tensor or a tuple of them."""
    names = [f"x{i}" for i in range(len(inputs))]
    with torch.no_grad():
        result = function(*(x.clone() for x in inputs))
    call = f"function({', '.join(names)})"
    outputs: tuple[str, ...]
    if isinstance(result, torch.Tensor):
        text, outputs = f"y = {call}", ("y",)
    else:
        assert isinstance(result, tuple)
        outputs = tuple(f"y{i}" for i in range(len(result)))
        text = f"{', '.join(outputs)}, = {call}"
    return capture_lines(
        text,
        knowns={"function": function},
        inputs=dict(zip(names, inputs, strict=True)),
        outputs=outputs,
        name=name,
    )
