"""Sums of products (``einsum``) of tensors that may be empty: the runtime ends the process then.

It divides by the size of a batch of nothing. So such an Einsum becomes ``If(an operand is empty,
zeros, Einsum)``: a sum of nothing is zero, and only the sizes of the result matter.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import reduce

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes
from dycl.backends.onnx_graphs.transposing import body_of, may_be_zero

_REST = "..."


def guard_sums(model: ir.Model, least: Mapping[str, int]) -> None:
    """Change, in place, each Einsum that may get an empty tensor.

    ``least`` is the least number that each symbol of the graph's sizes may stand for.
    """
    for number, node in enumerate(list(model.graph)):
        if node.op_type != "Einsum" or node.domain != "":
            continue
        operands = [value for value in node.inputs if value is not None]
        empty = [value for value in operands if may_be_empty(value, least)]
        if empty and all(value.shape is not None for value in operands):
            equation = node.attributes["equation"].as_string()
            guard(model.graph, node, equation, empty, Nodes(f"summed_{number}"))


def may_be_empty(value: ir.Value, least: Mapping[str, int]) -> bool:
    """Return whether a tensor of the graph may have no elements at run time."""
    return value.shape is None or any(may_be_zero(size, least) for size in value.shape)


def guard(
    graph: ir.Graph, node: ir.Node, equation: str, empty: Sequence[ir.Value], nodes: Nodes
) -> None:
    """Have a node that computes a sum of products give zeros where one of ``empty`` is that."""
    nothing = nodes.constant(np.array(0, np.int64))
    tests = [nodes.add("Equal", nodes.add("Size", value), nothing) for value in empty]
    test = reduce(lambda one, other: nodes.add("Or", one, other), tests)

    zeros, sums = nodes.inner("zeros"), nodes.inner("sums")
    operands = [value for value in node.inputs if value is not None]
    _zeros(equation, operands, node, zeros)
    sums.add(node.op_type, *operands, **node.attributes)
    result = nodes.add(
        "If",
        test,
        then_branch=body_of("then", zeros.made, node),
        else_branch=body_of("else", sums.made, node),
    )
    old = node.outputs[0]
    result.type, result.shape = old.type, old.shape
    graph.insert_before(node, nodes.made)
    old.replace_all_uses_with(result, replace_graph_outputs=True)
    graph.remove(node)


def _zeros(equation: str, operands: Sequence[ir.Value], node: ir.Node, nodes: Nodes) -> None:
    """Add what makes zeros of the sizes of the result."""
    ranks = [len(value.shape) for value in operands if value.shape is not None]
    terms, result = labels_of(equation, ranks)
    one = nodes.constant(np.array([1], np.int64))
    sizes = [] if result else [nodes.constant(np.array([], np.int64))]
    for label in result:
        given = [
            nodes.add("Shape", value, start=axis, end=axis + 1)
            for value, term in zip(operands, terms, strict=True)
            for axis, other in enumerate(term)
            if other == label
        ]
        sizes.append(
            reduce(lambda a, b: nodes.add("Where", nodes.add("Equal", a, one), b, a), given)
        )
    kind = node.outputs[0].dtype or operands[0].dtype
    assert kind is not None
    shape = nodes.add("Concat", *sizes, axis=0)
    zero = ir.tensor(np.zeros(1, kind.numpy()))
    nodes.add("ConstantOfShape", shape, value=zero)


def labels_of(equation: str, ranks: Sequence[int]) -> tuple[list[list[Hashable]], list[Hashable]]:
    """Return a label for each dimension of each operand, and of the result.

    Dimensions that ``...`` stands for are numbered from the last one.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    written = left.split(",")
    rests = [rank - len(term.replace(_REST, "")) for term, rank in zip(written, ranks, strict=True)]
    terms = [_labels(term, rest) for term, rest in zip(written, rests, strict=True)]
    most = max(
        (rest for term, rest in zip(written, rests, strict=True) if _REST in term), default=0
    )
    if not arrow:
        letters = left.replace(_REST, "").replace(",", "")
        once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        right = _REST + "".join(once)
    return terms, _labels(right, most)


def _labels(term: str, rest: int) -> list[Hashable]:
    before, dots, after = term.partition(_REST)
    between = range(rest - 1, -1, -1) if dots else ()
    return [*before, *between, *after]
