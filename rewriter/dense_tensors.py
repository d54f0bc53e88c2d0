"""Which tensors are arrays in the host's memory."""

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass
from torch.utils._pytree import tree_leaves


def is_dense(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is an array in the host's memory: others have no storage.

    Those of classes that hold other tensors have none, either.
    """
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
        return False
    return not is_traceable_wrapper_subclass(tensor)


def all_dense(result: object) -> bool:
    """Return whether all tensors of a result are arrays in the host's memory."""
    return all(is_dense(each) for each in tree_leaves(result) if isinstance(each, torch.Tensor))
