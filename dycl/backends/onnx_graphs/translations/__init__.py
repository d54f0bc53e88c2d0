"""ONNX for the ATen operators that the exporter translates to something slightly different.

ONNX Runtime's maximum, sorting and pooling ignore NaN, where PyTorch takes NaN for the
largest value; gathering takes negative indices, where PyTorch raises; clipping on one side
turns infinities into the largest number. Here these are built from operators that agree.
"""

from collections.abc import Callable
from typing import Any

import torch

from dycl.backends.onnx_graphs.translations import (
    adaptive_pooling,
    arithmetic,
    attention,
    convolving,
    distances,
    extremes,
    indexing,
    joining,
    logarithms,
    losses,
    neighbours,
    ordered,
    pairs,
    pooling,
    powers,
    products,
    recurrence,
    reductions,
    scattering,
    selecting,
    storing,
    unique,
)
from hcfg.traced_layers import RECURRENT

_aten = torch.ops.aten

TRANSLATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    _aten.linalg_vector_norm.default: extremes.vector_norm,
    _aten.amax.default: extremes.amax,
    _aten.amin.default: extremes.amin,
    _aten.max.default: extremes.max_all,
    _aten.min.default: extremes.min_all,
    _aten.max.dim: extremes.max_dim,
    _aten.min.dim: extremes.min_dim,
    _aten.argmax.default: extremes.argmax,
    _aten.argmin.default: extremes.argmin,
    _aten.topk.default: extremes.topk,
    _aten.sort.default: extremes.sort,
    _aten.sort.stable: extremes.sort_stable,
    _aten.searchsorted.Tensor: ordered.searchsorted,
    _aten.bucketize.Tensor: ordered.bucketize,
    _aten.cummax.default: ordered.cummax,
    _aten.cummin.default: ordered.cummin,
    _aten.bincount.default: ordered.bincount,
    _aten.roll.default: ordered.roll,
    _aten.kthvalue.default: selecting.kthvalue,
    _aten.median.default: selecting.median_all,
    _aten.median.dim: selecting.median_dim,
    _aten.nanmedian.default: selecting.nanmedian_all,
    _aten.nanmedian.dim: selecting.nanmedian_dim,
    _aten.max_pool1d.default: pooling.max_pool1d,
    _aten.max_pool2d.default: pooling.max_pool2d,
    _aten.max_pool3d.default: pooling.max_pool3d,
    _aten.conv_tbc.default: convolving.conv_tbc,
    _aten.adaptive_max_pool2d.default: adaptive_pooling.adaptive_max_pool2d,
    _aten.adaptive_max_pool3d.default: adaptive_pooling.adaptive_max_pool3d,
    _aten._adaptive_avg_pool3d.default: adaptive_pooling.adaptive_avg_pool3d,
    _aten.clamp.default: arithmetic.clamp,
    _aten.clamp_min.default: arithmetic.clamp_min,
    _aten.clamp_max.default: arithmetic.clamp_max,
    _aten.clamp.Tensor: arithmetic.clamp_by_tensors,
    _aten.clamp_min.Tensor: arithmetic.clamp_min_by_tensor,
    _aten.clamp_max.Tensor: arithmetic.clamp_max_by_tensor,
    _aten.sign.default: arithmetic.sign,
    _aten.atan2.default: arithmetic.atan2,
    _aten.signbit.default: arithmetic.signbit,
    _aten.pow.Tensor_Scalar: powers.pow_scalar,
    _aten.pow.Tensor_Tensor: powers.pow_tensor,
    _aten.pow.Scalar: powers.pow_of_scalar,
    _aten.nextafter.default: neighbours.nextafter,
    _aten.fmax.default: pairs.fmax,
    _aten.fmin.default: pairs.fmin,
    _aten.hypot.default: pairs.hypot,
    _aten.copysign.Tensor: pairs.copysign,
    _aten.gcd.default: pairs.gcd,
    _aten.lcm.default: pairs.lcm,
    _aten.hardtanh.default: arithmetic.hardtanh,
    _aten.celu.default: arithmetic.celu,
    _aten.sinc.default: arithmetic.sinc,
    _aten.special_sinc.default: arithmetic.sinc,
    _aten.log2.default: logarithms.log2,
    _aten.log10.default: logarithms.log10,
    _aten.log1p.default: logarithms.log1p,
    _aten.logit.default: logarithms.logit,
    _aten.special_erfcx.default: logarithms.erfcx,
    _aten.expm1.default: logarithms.expm1,
    _aten.special_log1p.default: logarithms.log1p,
    _aten.special_expm1.default: logarithms.expm1,
    _aten.log_sigmoid.default: logarithms.log_sigmoid,
    _aten.logaddexp.default: logarithms.logaddexp,
    _aten.logaddexp2.default: logarithms.logaddexp2,
    _aten.logcumsumexp.default: logarithms.logcumsumexp,
    _aten.xlogy.Tensor: logarithms.xlogy,
    _aten.special_xlogy.default: logarithms.xlogy,
    _aten.special_xlog1py.default: logarithms.xlog1py,
    _aten._log_softmax.default: logarithms.log_softmax,
    _aten.softmax.int: logarithms.softmax_in,
    _aten.log_softmax.int: logarithms.log_softmax_in,
    _aten.addbmm.default: products.addbmm,
    _aten.baddbmm.default: products.baddbmm,
    _aten.addmv.default: products.addmv,
    _aten.diagonal.default: indexing.diagonal,
    _aten.diagonal_copy.default: indexing.diagonal,
    _aten.diagonal_scatter.default: indexing.diagonal_scatter,
    _aten.trace.default: indexing.trace,
    _aten.heaviside.default: arithmetic.heaviside,
    _aten.remainder.Tensor: arithmetic.remainder,
    _aten.fmod.Tensor: arithmetic.fmod,
    _aten.fmod.Scalar: arithmetic.fmod_scalar,
    _aten.remainder.Scalar: arithmetic.remainder_scalar,
    _aten.floor_divide.default: arithmetic.floor_divide,
    _aten.div.Tensor_mode: arithmetic.divide_with_mode,
    _aten.mse_loss.default: losses.mse_loss,
    _aten.cat.default: joining.cat,
    _aten.any.default: reductions.any_all,
    _aten.any.dim: reductions.any_dim,
    _aten.any.dims: reductions.any_dims,
    _aten.cumprod.default: reductions.cumprod,
    _aten.cumsum.default: reductions.cumsum,
    _aten.std.correction: reductions.std,
    _aten.var.correction: reductions.var,
    _aten.var_mean.correction: reductions.var_mean,
    _aten.mean.default: reductions.mean_all,
    _aten.mean.dim: reductions.mean_dim,
    _aten.scaled_dot_product_attention.default: attention.scaled_dot_product_attention,
    _aten._cdist_forward.default: distances.cdist,
    _aten.gather.default: indexing.gather,
    _aten.index.Tensor: indexing.index,
    _aten.index_select.default: indexing.index_select,
    _aten.embedding.default: indexing.embedding,
    _aten.scatter.src: indexing.scatter_src,
    _aten.scatter.value: indexing.scatter_value,
    _aten.scatter_add.default: indexing.scatter_add,
    _aten.scatter_reduce.two: scattering.scatter_reduce,
    _aten.index_reduce.default: scattering.index_reduce,
    _aten._unique2.default: unique.unique2,
    _aten.unique_dim.default: unique.unique_dim,
    _aten.unique_consecutive.default: unique.unique_consecutive,
    _aten.index_copy.default: indexing.index_copy,
    _aten.index_add.default: indexing.index_add,
    _aten.index_put.default: storing.index_put,
    _aten.nonzero.default: indexing.nonzero,
    _aten.nonzero_static.default: indexing.nonzero_static,
    _aten.one_hot.default: indexing.one_hot,
    _aten.copy.default: indexing.copy,
    _aten.masked_select.default: indexing.masked_select,
    RECURRENT: recurrence.recurrent,
}

_WIDE = (
    *(_aten.cumsum.default, _aten.std.correction),
    *(_aten.var.correction, _aten.var_mean.correction),
)
"""What is computed in double precision because single precision may become infinite on the way."""

_LEAN = (_aten.index.Tensor, _aten.nonzero.default)
"""What takes fewer operators: OpenVINO ends the process where such a Gather has no indices."""

FINITE_TRANSLATIONS = {
    operator: translation
    for operator, translation in TRANSLATIONS.items()
    if translation.__module__ != extremes.__name__ and operator not in (*_WIDE, *_LEAN)
} | {
    _aten.mean.dim: reductions.mean_dim_of_known,
    # the exporter's own want dimensions
    _aten.amax.default: reductions.amax,
    _aten.amin.default: reductions.amin,
}
"""Without what is only needed for NaN and infinities."""
