"""Masks in torch's attention layers, as its fast path takes them.

Outside of training, ``nn.MultiheadAttention``, ``nn.TransformerEncoderLayer`` and
``nn.TransformerEncoder`` of batches in front are not the code that their ``forward`` shows, but
kernels that differ where masks do unusual things:

- a row where everything is masked gives NaN, not 0;
- a mask of numbers masks wherever it is not 0 (in encoder layers);
- padding at the end of sequences is left out: those positions give 0, whatever they held;
- an encoder layer calls neither ``_sa_block`` nor ``_ff_block``, also where a subclass has its own.

Fake tensors and compilers take the code. It is therefore replaced by the functions below where a
mask is given: they say in plain operations what the kernels do, and are evaluated like a user's.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from rewriter.values import Known, TensorValue, Value


def masked_forward(
    forward: Any, module: nn.Module, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> Any | None:
    """Return the function to evaluate in place of a library's ``forward``, if any."""
    if not torch.backends.mha.get_fastpath_enabled():
        return None
    if forward not in _COMPUTED and not _has_such_parts(module):
        return None
    try:
        given = inspect.signature(forward).bind(module, *positional, **keywords).arguments
    except TypeError:
        return None
    has_masks = not all(_is(value, None) for key, value in given.items() if key.endswith("mask"))
    if not has_masks and not _has_own_blocks(module):
        return None
    if forward not in _COMPUTED:
        return forward
    applies, computed = _COMPUTED[forward]
    return computed if applies(module, given) else None


def forward_over_layers(forward: object) -> Any | None:
    """Return what runs layers of any class, the user's, too: None for other modules."""
    if not torch.backends.mha.get_fastpath_enabled():
        return None
    if forward is nn.Transformer.forward:
        return forward
    applies, computed = _COMPUTED.get(forward, (None, None))
    return computed if applies is _always else None


def has_own_merging(module: nn.Module) -> bool:
    """Return whether torch's fast path alone calls a method of the user's: ``merge_masks``."""
    shown = nn.MultiheadAttention
    return any(
        isinstance(part, shown)
        and getattr(part.merge_masks, "__func__", None) is not shown.merge_masks
        for part in module.modules()
    )


def _has_such_parts(module: nn.Module) -> bool:
    """Return whether a module calls others with masks that take them otherwise than shown."""
    return any(
        isinstance(part, nn.TransformerEncoder | nn.TransformerDecoder)
        or (isinstance(part, nn.MultiheadAttention) and _is_fast(part))
        for part in module.modules()
    )


# --- when torch takes its fast path -----------------------------------------------------------


def _is_fast(attention: nn.MultiheadAttention) -> bool:
    return bool(
        attention.batch_first
        and not attention.training
        and attention.in_proj_weight is not None
        and attention.in_proj_bias is not None
        and attention.bias_k is None
        and attention.bias_v is None
        and not attention.add_zero_attn
        and attention._qkv_same_embed_dim
        and attention.num_heads % 2 == 0
    )


def _attends_fast(module: Any, given: Mapping[str, Value]) -> bool:
    attended = [given[name] for name in ("query", "key", "value")]
    names = {value.name for value in attended if isinstance(value, TensorValue)}
    return (
        _is_fast(module)
        and _is(given.get("need_weights"), False)
        and len(names) == 1
        and all(map(_is_batch, attended))
        and not _holds_fractions(given.get("attn_mask"))
        and not _holds_fractions(given.get("key_padding_mask"))
    )


def _is_fast_layer(layer: Any) -> bool:
    return bool(
        isinstance(layer, nn.TransformerEncoderLayer)
        and not layer.training
        and _is_fast(layer.self_attn)
        and layer.activation_relu_or_gelu
        and layer.norm1.eps == layer.norm2.eps
        and not any(part._forward_hooks or part._forward_pre_hooks for part in layer.modules())
    )


def _has_own_blocks(module: nn.Module) -> bool:
    """Return whether a layer's class says what its blocks do: the kernel does not ask."""
    shown = nn.TransformerEncoderLayer
    return isinstance(module, shown) and (
        type(module)._sa_block is not shown._sa_block
        or type(module)._ff_block is not shown._ff_block
    )


def _encodes_layer_fast(module: Any, given: Mapping[str, Value]) -> bool:
    return _is_fast_layer(module) and _is_batch(given["src"])


def _always(module: Any, given: Mapping[str, Value]) -> bool:
    return True


def _is_batch(value: Value) -> bool:
    return isinstance(value, TensorValue) and value.fake.dim() == 3


def _holds_fractions(mask: Value | None) -> bool:
    held = mask.fake if isinstance(mask, TensorValue) else getattr(mask, "value", None)
    return isinstance(held, torch.Tensor) and held.is_floating_point()


def _is(value: Value | None, content: object) -> bool:
    return isinstance(value, Known) and value.value is content


# --- what it computes: evaluated as a user's functions ----------------------------------------


def attention(  # type: ignore[no-untyped-def]
    self,
    query,
    key,
    value,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    average_attn_weights=True,
    is_causal=False,
):
    """``nn.MultiheadAttention`` without weights: with weights, its softmax is the kernel's."""
    attended, _ = self(query, key, value, key_padding_mask=key_padding_mask, attn_mask=attn_mask)
    return attended, None


def encoder_layer(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):  # type: ignore[no-untyped-def]
    """``nn.TransformerEncoderLayer``: what is not 0 in the sum of its masks is masked."""
    mask, padding = src_mask, src_key_padding_mask
    if mask is not None:
        mask = F._canonical_mask(mask, "src_mask", None, "", src.dtype, False)
    if padding is not None:
        padding = F._canonical_mask(padding, "src_key_padding_mask", None, "", src.dtype, False)
    merged, _ = self.self_attn.merge_masks(mask, padding, src)
    key_padding_mask, attn_mask = None, None
    if mask is not None:
        attn_mask = (merged != 0).flatten(0, 1)
    elif padding is not None:
        key_padding_mask = merged != 0
    x = self.norm1(src) if self.norm_first else src
    attended, _ = self.self_attn(x, x, x, key_padding_mask=key_padding_mask, attn_mask=attn_mask)
    x = src + attended
    if self.norm_first:
        return x + self.linear2(self.activation(self.linear1(self.norm2(x))))
    x = self.norm1(x)
    return self.norm2(x + self.linear2(self.activation(self.linear1(x))))


def encoder(self, src, mask=None, src_key_padding_mask=None, is_causal=None):  # type: ignore[no-untyped-def]
    """``nn.TransformerEncoder``: nested tensors hold no padding, and are 0 there in the end.

    Whether a mask is causal is not asked: it is for speed.
    """
    padding = src_key_padding_mask
    if padding is not None:
        padding = F._canonical_mask(padding, "src_key_padding_mask", None, "", src.dtype, False)
    left_out = None
    batch_first = self.layers[0].self_attn.batch_first
    nests = self.use_nested_tensor and batch_first and not self.layers[0].training
    nests = nests and src.dim() == 3 and padding is not None
    if nests and (mask is None or self.mask_check) and padding.size(1) == 0:
        raise IndexError("select(): index -1 out of range for an empty dimension")
    if nests and mask is None:
        padded = padding != 0
        if self.mask_check:
            is_at_end = ~(padded[:, :-1] & ~padded[:, 1:]).any()
            left_out = padded & is_at_end
        else:
            kept = (~padded).sum(1, keepdim=True)
            left_out = torch.arange(src.size(1)) >= kept
            padding = torch.zeros_like(padding)
        if left_out.all():
            raise RuntimeError(
                "to_padded_tensor: at least one constituent tensor should have non-zero numel"
            )
        padding = padding.masked_fill(left_out, -torch.inf)
        src = src.masked_fill(left_out.unsqueeze(2), 0)
    output = src
    for layer in self.layers:
        output = layer(
            output, src_mask=mask, is_causal=is_causal is True, src_key_padding_mask=padding
        )
    if left_out is not None:
        output = output.masked_fill(left_out.unsqueeze(2), 0)
    if self.norm is not None:
        output = self.norm(output)
    return output


def decoder(  # type: ignore[no-untyped-def]
    self,
    tgt,
    memory,
    tgt_mask=None,
    memory_mask=None,
    tgt_key_padding_mask=None,
    memory_key_padding_mask=None,
    tgt_is_causal=None,
    memory_is_causal=False,
):
    """``nn.TransformerDecoder``, which does not ask whether a mask is causal."""
    output = tgt
    for layer in self.layers:
        output = layer(
            output,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal is True,
            memory_is_causal=memory_is_causal,
        )
    if self.norm is not None:
        output = self.norm(output)
    return output


_COMPUTED: dict[object, tuple[Callable[[Any, Mapping[str, Value]], bool], Any]] = {
    nn.MultiheadAttention.forward: (_attends_fast, attention),
    nn.TransformerEncoderLayer.forward: (_encodes_layer_fast, encoder_layer),
    nn.TransformerEncoder.forward: (_always, encoder),
    nn.TransformerDecoder.forward: (_always, decoder),
}
