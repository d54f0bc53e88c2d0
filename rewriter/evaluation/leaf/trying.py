"""Running an operation on fake tensors, and as eager PyTorch where these raise."""

from typing import NoReturn

import torch
from torch.utils._pytree import tree_map

from rewriter.dense_tensors import all_dense
from rewriter.evaluation.leaf.operation import Fakes, Operation
from rewriter.evaluation.observation import (
    Observer,
    concrete_copy,
    forget_memos,
    quiet_fake_tensors,
)
from rewriter.evaluation.tensors.shown_code import ShownCode
from rewriter.evaluation.unchecked_operators import is_unchecked
from rewriter.fakes_errors import OF_CONTENT, OF_FAKES
from rewriter.sizes import UndecidedSize

_UNREGISTERED = "no rule registered for HigherOrderOperator"
"""What PyTorch says where library code calls ``cond``, ``scan`` and the like on fake tensors."""


def result_on_fakes(operation: Operation, fakes: Fakes, observer: Observer) -> object:
    """Run the operation on fake tensors; refuse what they cannot stand for."""
    operation.run.sizes.begin(operation.state.size_facts)
    forget_memos((fakes.arguments, fakes.keywords))
    try:
        with (
            torch.no_grad(),
            quiet_fake_tensors(),
            operation.run.mode,
            observer,
            ShownCode(),
        ):
            result = operation.compute(*fakes.arguments, **fakes.keywords)
    except (*OF_CONTENT, UndecidedSize) as error:
        refuse_unknown(operation, error)
    except OF_FAKES as error:
        refuse_without_fakes(operation, error)
    if not all_dense(result):
        refuse_result(operation)
    return result


def refuse_result(operation: Operation) -> NoReturn:
    """Refuse an operation that gives what is no array."""
    operation.refuse("DYCL032", "the result is sparse, nested, quantised or not on the CPU")


def refuse_unknown(operation: Operation, error: Exception) -> NoReturn:
    """Refuse an operation that looks into a tensor."""
    operation.refuse(
        "DYCL031",
        f"the result of {operation.title} has a size or value that "
        f"depends on the input's content ({str(error).partition(chr(10))[0]})",
    )


def refuse_without_fakes(operation: Operation, error: object) -> NoReturn:
    """Refuse an operation that fake tensors do not have."""
    operation.refuse("DYCL032", f"PyTorch cannot run this on fake tensors: {error}")


def eager_error(operation: Operation, error: Exception, fakes: Fakes) -> Exception:
    """Return the error that PyTorch itself raises here: fake tensors may word it otherwise."""
    if isinstance(error, NotImplementedError) and _UNREGISTERED in str(error):
        reason = str(error).partition(" and mode")[0]
        refuse_without_fakes(operation, reason)
    if operation.module:
        return RuntimeError(*error.args) if isinstance(error, AssertionError) else error
    if is_unchecked(operation.compute):
        operation.refuse("DYCL032", f"PyTorch's internal operator refuses this: {error}")
    try:
        with torch.no_grad():
            operation.compute(
                *tree_map(concrete_copy, fakes.arguments), **tree_map(concrete_copy, fakes.keywords)
            )
    except Exception as actual:
        return actual
    refuse_without_fakes(operation, error)
