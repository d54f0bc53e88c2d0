"""Which operators have kernels that convert nothing under ``torch.autocast``, whatever they call.

An operator without a rule for autocasting runs its kernel while casting is on: what that calls (a
product in ``bilinear``, say) may convert, and a fake tensor, which has no kernel, does not tell.
"""

from functools import cache
from typing import Any

import torch

_PLAIN = frozenset(
    {"_adaptive_avg_pool2d", "_cdist_forward", "_embedding_bag", "_embedding_bag_forward_only",
     "_fft_c2c", "_fft_c2r", "_fft_r2c", "_linalg_check_errors", "_linalg_det", "_linalg_eigh",
     "_linalg_eigvals", "_linalg_slogdet", "_linalg_solve_ex", "_linalg_svd",
     "_local_scalar_dense", "_log_softmax", "_native_batch_norm_legit",
     "_native_batch_norm_legit_no_training", "_prelu_kernel", "_safe_softmax",
     "_scaled_dot_product_flash_attention_for_cpu",
     "_scaled_dot_product_fused_attention_overrideable", "_softmax", "_to_copy", "_unsafe_view",
     "adaptive_max_pool2d", "arange", "as_strided_", "avg_pool2d", "bernoulli", "bernoulli_",
     "bucketize", "clone", "complex", "constant_pad_nd", "convolution", "copy_", "cummax",
     "cummin", "cumprod", "cumprod_", "cumsum", "cumsum_", "dot", "embedding", "empty",
     "empty_like", "empty_permuted", "empty_strided", "equal", "eye", "fill", "fill_", "flip",
     "full", "full_like", "gather", "glu", "index", "index_add", "index_add_", "index_fill",
     "index_fill_", "index_put", "index_put_", "index_select", "kthvalue", "lift", "lift_fresh",
     "lift_fresh_copy", "linalg_lu_factor_ex", "linalg_lu_solve", "linspace",
     "log_sigmoid_forward", "logcumsumexp", "masked_fill", "masked_fill_", "masked_scatter",
     "masked_scatter_", "masked_select", "max_pool2d_with_indices", "max_pool3d_with_indices",
     "median", "mode", "multinomial", "mv", "native_batch_norm", "native_dropout",
     "native_group_norm", "native_layer_norm", "new_empty", "new_empty_strided", "new_full",
     "new_ones", "new_zeros", "nll_loss2d_forward", "nll_loss_forward", "nonzero",
     "nonzero_static", "normal_", "ones", "ones_like", "pixel_shuffle", "pixel_unshuffle",
     "rand", "rand_like", "randint", "randn", "randn_like", "randperm", "repeat", "roll",
     "scalar_tensor", "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce",
     "scatter_reduce_", "searchsorted", "select_scatter", "slice_scatter", "sort", "squeeze_",
     "t_", "take", "topk", "transpose_", "tril", "tril_", "triu", "triu_", "uniform_",
     "unsafe_split", "unsqueeze_", "upsample_bicubic2d", "upsample_bilinear2d",
     "upsample_linear1d", "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d",
     "upsample_trilinear3d", "vdot", "zero_", "zeros", "zeros_like"}
)  # fmt: skip
"""Operators that are loops over elements, or make and move them."""


@cache
def may_convert_inside(operator: Any) -> bool:
    """Return whether an operator's kernel may run what autocasting converts for, unseen."""
    if operator.namespace != "aten":
        return bool(operator.namespace != "prim")  # questions about a tensor
    if torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "AutocastCPU"):
        return False
    known = torch.Tag.pointwise in operator.tags or torch.Tag.reduction in operator.tags
    return not (known or operator.is_view or operator.overloadpacket.__name__ in _PLAIN)
