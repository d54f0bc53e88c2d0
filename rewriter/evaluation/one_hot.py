"""``F.one_hot`` whose number of classes is known only at run time, or found in the classes."""

from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.inlining import inline_function
from rewriter.evaluation.integer_arguments import with_integers
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.special_calls import special
from rewriter.evaluation.torch_calls import call_torch
from rewriter.state import State
from rewriter.values import Known, TensorValue, Value


def one_hot(tensor: torch.Tensor, num_classes: int = -1) -> torch.Tensor:
    """``F.one_hot``, with PyTorch's errors: run as user code."""
    if tensor.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    else:
        if tensor.min() < 0:
            raise RuntimeError("Class values must be non-negative.")
        if num_classes == -1:
            num_classes = int(tensor.max()) + 1
        elif tensor.max() >= num_classes:
            raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor.unsqueeze(-1) == torch.arange(num_classes)).long()


_ONE_HOT: Any = one_hot


@special(torch.nn.functional.one_hot)
def one_hot_(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """A leaf where the number of classes is known."""
    positional, keywords = with_integers(frame, node, state, "one_hot", positional, keywords)
    classes = [*positional[1:], *keywords.values()]
    if not (classes and isinstance(classes[-1], Known) and classes[-1].value != -1) and (
        isinstance(positional[0], TensorValue)
    ):
        return inline_function(frame, node, state, _ONE_HOT, positional, keywords)
    function = Known(torch.nn.functional.one_hot, "torch.nn.functional.one_hot")
    return call_torch(frame, node, state, function, positional, keywords)
