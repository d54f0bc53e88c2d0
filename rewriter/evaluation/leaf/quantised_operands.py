"""Quantised tensors of the model: what is computed of them alone is known when it is compiled.

Fake tensors cannot stand for them, nor do compilers take them, so anything else is refused.
"""

from typing import NoReturn

import torch
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.evaluation.containers.containers import adopt
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Outcomes
from rewriter.values import Value


def has_quantised(operation: Operation) -> bool:
    """Return whether an operand is a quantised tensor of the model."""
    return any(_is_quantised(known.value) for known in operation.known())


def with_quantised(operation: Operation) -> Outcomes:
    """Yield what an operation gives of known operands, which it may only read."""
    arguments = [_copied(operation, value) for value in operation.operands]
    keywords = {name: _copied(operation, value) for name, value in operation.keywords.items()}
    tensors = [x for x in tree_leaves((arguments, keywords)) if isinstance(x, torch.Tensor)]
    before = [tensor._version for tensor in tensors]
    try:
        with torch.no_grad():
            result = operation.compute(*arguments, **keywords)
    except Exception as error:
        operation.run.raise_known(operation.state, error)
        return
    if before != [tensor._version for tensor in tensors]:
        _refuse(operation, "that is written in place")
    yield operation.state, adopt(operation.run, operation.state, result)


def _copied(operation: Operation, value: Value) -> object:
    """Return an operand as an object that may be written."""
    known = known_object(operation.state, value)
    if known is None:
        _refuse(operation, "and of what depends on the input")
    return tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, known.value)


def _is_quantised(content: object) -> bool:
    return isinstance(content, torch.Tensor) and content.is_quantized


def _refuse(operation: Operation, what: str) -> NoReturn:
    operation.refuse(
        "DYCL032",
        f"{operation.title} of a quantised tensor {what}",
        "compute with the numbers that it stands for: .dequantize()",
    )
